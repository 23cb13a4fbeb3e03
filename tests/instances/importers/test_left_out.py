"""In every format a bad record is left out and counted, and the others are as they were."""

from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest
from foreign_mutants import FORMATS, THROUGHPUTS, small_log
from foreign_texts import CHRONUS, CSV, ELASTICFLOW, PHILLY, SHOCKWAVE, TIRESIAS

HEAD = "job_id,arrival_s,gpus,duration_s"


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("bad", ["", "\0,|,\t", '{"', "x" * 300, "-"])
def test_a_bad_line_costs_no_other(bring: Any, tmp_path: Any, kind: str, bad: str) -> None:
    log = small_log(kind, Random(0))
    more = {"throughputs": tmp_path / "speeds"} if log.format == "gavel" else {}
    (tmp_path / "speeds").write_text(THROUGHPUTS)
    k = max(log.places["1003" if "1003" in log.jobs else "3"])
    text = "\n".join((*log.lines[:k], bad + log.lines[k][:9], *log.lines[k + 1 :]))
    made = bring(log.format, text, **more)
    found = {job.name: (job.gpus, int(job.duration_s)) for job in made.instance.jobs}
    expected = {name: job for name, job in log.jobs.items() if k not in log.places[name]}
    assert found.items() >= expected.items()
    assert made.read == len(found) + made.further + sum(made.dropped.values())
    firsts = [one.first.text for one in made.left_out]
    assert any(text.startswith(bad + log.lines[k][:9]) for text in firsts)


def test_what_cannot_be_printed_is_escaped_and_long_lines_are_cut(bring: Any) -> None:
    made = bring("csv", f"{HEAD}\na,0,1,1\nb,0,1,\x1b[31m\nc,0,1,{'9' * 300}\n")
    lines = {one.line for one in made.left_out}
    assert lines == {
        "line 3: b,0,1,\\x1b[31m",
        f"line 4: c,0,1,{'9' * 154}... (306 characters)",
    }


def test_reasons_are_counted_most_first_and_told_with_the_first_line(bring: Any) -> None:
    made = bring("csv", f"{HEAD}\na,0,1,1\nb,x,1,1\nc,y,1,1\nd,0,1\na,0,1,1\n")
    assert [(one.count, one.reason, one.line) for one in made.left_out] == [
        (2, "arrival_s: expected a nonnegative number", "line 3: b,x,1,1"),
        (1, "expected 4 cells, as in the header", "line 5: d,0,1"),
        (1, "name: expected a name other than in earlier lines", "line 6: a,0,1,1"),
    ]
    assert "left out: 2 (arrival_s: expected a nonnegative number), 1 (" in made.instance.notes


def test_a_quote_that_is_not_closed_costs_one_line(bring: Any) -> None:
    made = bring("csv", f'{HEAD}\n"a,0,1,1\nb,0,1,2\n"c",0,1,3\nd",0,1,4\n')
    assert [job.name for job in made.instance.jobs] == ["b", "c", 'd"']
    assert made.dropped == {"expected values separated by commas": 1}


def test_one_time_far_from_the_others_is_left_out(bring: Any) -> None:
    """No more than 10^9 ticks may lie between two arrivals; here one job has no real date."""
    dates = "1970-01-01T00:00:00", "2024-03-01T08:00:00", "2024-03-01T08:00:05"
    lines = [f"{i},{date},1,60,COMPLETED" for i, date in enumerate(dates)]
    text = "\n".join(("job_id,submit_time,gpu_num,duration,state", *lines))
    made = bring("helios", text)
    assert [(job.name, job.arrival_s) for job in made.instance.jobs] == [("1", 0), ("2", 5)]
    (why,) = made.dropped
    assert why == "arrival: expected at most 1e+09 ticks after most others"
    assert [job.name for job in bring("helios", text, tick_s=Decimal(10)).instance.jobs] == [
        *("0", "1", "2")
    ]


def test_a_file_without_any_good_record_is_refused_with_all_reasons(faults: Any) -> None:
    text = f"{HEAD}\na,x,1,1\nb,0,0,1\nc,0,99,1\n"
    assert [line.partition(": ")[2] for line in faults("csv", text, strict=False)] == [
        "found 3 records, left out: 1 (arrival_s: expected a nonnegative number), "
        "1 (more GPUs than the cluster has), 1 (no GPUs), expected a job that can be used. "
        "Leave out less, or check the format.",
        "found 'a,x,1,1', expected a job that can be used. 1 left out: "
        "arrival_s: expected a nonnegative number.",
        "found 'c,0,99,1', expected a job that can be used. 1 left out: "
        "more GPUs than the cluster has.",
        "found 'b,0,0,1', expected a job that can be used. 1 left out: no GPUs.",
    ]


def test_there_is_an_end_to_reasons(bring: Any) -> None:
    """Widths differ from job to job, and so would what is expected of them."""
    lines = [f"j{i},0,{i},1,{i}=3" for i in range(1, 80)]
    made = bring("csv", "\n".join((f"{HEAD},speeds", *lines, "a,0,1,1,")), servers="80x1")
    assert len(made.left_out) == 51
    assert made.left_out[0].reason == "other reasons"
    assert sum(made.dropped.values()) == 79


@pytest.mark.parametrize(
    ("format", "text", "unused"),
    [
        ("chronus", CHRONUS, "iterations interval expect_value_list job_type"),
        ("tiresias", ELASTICFLOW, "iteration batch_size"),
        ("philly", PHILLY, "user"),
        (
            "gavel",
            SHOCKWAVE,
            "command working_directory num_steps_arg needs_data_dir priority_weight",
        ),
        ("csv", CSV, ""),
    ],
)
def test_columns_that_nobody_looks_at_are_named(
    bring: Any, format: str, text: str, unused: str
) -> None:
    made = bring(format, text)
    assert list(made.unused)[: len(unused.split())] == unused.split()
    assert f"not used: {', '.join(made.unused)}" in made.instance.notes or not unused


def test_a_broken_object_of_a_list_costs_no_other(bring: Any) -> None:
    """A job misses a comma, something stands behind it, and the log ends in the middle."""
    text = PHILLY.replace('"Killed", ', '"Killed" ').replace(
        '{"status": "Failed"', '?{"status": "F"'
    )
    made = bring("philly", text[: text.index('"jobid": "a5"')])
    assert [job.name for job in made.instance.jobs] == ["a1"]
    assert made.dropped == {
        "expected a complete object": 2,
        "never ran": 1,
        "not ended yet": 1,
    }


def test_a_law_is_read_as_far_as_it_goes(bring: Any, faults: Any, tmp_path: Path) -> None:
    law = tmp_path / "law.csv"
    law.write_text("duration\n5\nx\n1,2\n7\n")
    made = bring("tiresias", TIRESIAS, law=law)
    assert made.instance.law == (5, 7)
    assert made.remarks == (
        "past jobs left out of the law: 1 (duration: expected a nonnegative number), "
        "1 (expected one number)",
    )
    assert len(faults("tiresias", TIRESIAS, law=law)) == 2
