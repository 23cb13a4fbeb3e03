"""What Slurm writes, read as far as it goes: attempts, slices, epochs, bars, headers, encodings."""

from collections.abc import Callable
from typing import Any

import pytest

HEAD = "JobID|Submit|Elapsed|State|AllocTRES\n"
AT8, AT13 = "2024-03-01T08:00:00", "2024-03-01T13:00:30"
HOUR = 3600

NODE_FAILED = f"""{HEAD}\
7|{AT8}|05:00:00|NODE_FAIL|gres/gpu=8
7|{AT8}|09:00:00|COMPLETED|gres/gpu=8
8|{AT8}|05:00:00|PREEMPTED|gres/gpu=8
8|{AT13}|09:00:00|COMPLETED|gres/gpu=8
"""
REQUEUED = f"""{HEAD}\
7|{AT8}|05:00:00|REQUEUED|gres/gpu=8
7|{AT13}|09:00:00|COMPLETED|gres/gpu=8
"""
SLICES = f"{HEAD}7|{AT8}|05:00:00|COMPLETED|gres/gpu:a100_1g.10gb=7,gres/gpu=7\n"
INVALID = f"""{HEAD}\
1|{AT8}|01:00:00|COMPLETED|gres/gpu=2
2|Unknown|01:00:00|COMPLETED|gres/gpu=2
3|{AT8}|INVALID|COMPLETED|gres/gpu=2
4|{AT8}|00:10:00|COMPLETED|gres/gpu=2.5
5|{AT8}|00:10:00|COMPLETED|gres/gpu:a100=2,gres/gpu:h100=0
6|{AT8}|00:00:00|FAILED|gres/gpu=2
7|{AT8}|10:11|DEADLINE|gres/gpu=2
"""
BARS = f"""\
JobID|JobName|User|Submit|Start|Elapsed|State|AllocTRES|ReqTRES
1|tr|ain|u1|{AT8}|{AT8}|01:00:00|COMPLETED|gres/gpu=2|gres/gpu=2
2|a||b|u1|{AT8}|None|00:10:00|CANCELLED by 5|gres/gpu=4|
3|plain|u1|{AT8}|{AT8}|00:20:00|FAILED||gres/gpu=1
4|short|u1|{AT8}|01:00:00|COMPLETED|gres/gpu=2
"""
AttemptLine = Callable[..., str]


def jobs(made: Any) -> dict[str, tuple[int, int, int]]:
    """Return arrival, GPUs and seconds of each job."""
    return {j.name: (int(j.arrival_s), j.gpus, int(j.duration_s)) for j in made.instance.jobs}


def test_attempts_of_a_job_are_one_job_with_all_their_work(bring: Any) -> None:
    """Five hours before the failure and nine after it, on 8 GPUs: 14 hours."""
    made = bring("sacct", NODE_FAILED)
    assert jobs(made) == {"7": (0, 8, 14 * HOUR), "8": (0, 8, 14 * HOUR)}
    assert (made.read, made.further, made.dropped) == (4, 2, {})
    assert made.remarks == (
        "states of attempts before the last of a job: 1 NODE_FAIL, 1 PREEMPTED",
        "NODE_FAIL: 1 attempt in 14h. For the rate of a node, add the column NodeList to the "
        "--format of sacct",
        "jobs that ran in several attempts, whose times are added up: 2",
    )
    assert jobs(bring("sacct", NODE_FAILED, strict=True)) == jobs(made)


def test_a_job_that_was_requeued_has_ended_if_its_last_attempt_has(bring: Any) -> None:
    assert jobs(bring("sacct", REQUEUED)) == {"7": (0, 8, 14 * HOUR)}
    waiting = (
        REQUEUED.replace("09:00:00|COMPLETED", "00:00:00|PENDING")
        + f"9|{AT8}|1:0:0|X|"
        + ("gres/gpu=1\n")
    )
    made = bring("sacct", waiting)
    assert (jobs(made).keys(), made.read, made.dropped) == ({"9"}, 3, {"not ended yet": 2})


def test_attempts_on_other_numbers_of_gpus_keep_the_gpu_seconds(bring: Any) -> None:
    """Five hours on 8 GPUs and nine on 4 are 76 GPU-hours: nine and a half on 8."""
    made = bring("sacct", REQUEUED.replace("COMPLETED|gres/gpu=8", "COMPLETED|gres/gpu=4"))
    assert jobs(made) == {"7": (0, 8, 19 * HOUR // 2)}
    assert "other numbers of GPUs" in made.remarks[1]


def test_a_number_given_again_after_the_job_completed_is_another_job(bring: Any) -> None:
    made = bring("sacct", REQUEUED.replace("REQUEUED", "COMPLETED"))
    assert jobs(made) == {"7": (0, 8, 5 * HOUR), "7#2": (5 * HOUR + 30, 8, 9 * HOUR)}
    assert made.further == 0


def test_a_line_that_stands_twice_counts_once(bring: Any, faults: Any) -> None:
    """Two dumps of overlapping days, one behind the other."""
    made = bring("sacct", REQUEUED + REQUEUED)
    assert jobs(made) == {"7": (0, 8, 14 * HOUR)}
    assert made.dropped == {"expected no second header": 1, "expected no duplicate line": 2}
    assert len(faults("sacct", REQUEUED + REQUEUED)) == 3


@pytest.mark.parametrize(
    ("slice", "gpus"), [("share", 1), ("whole", 7), ("1/4", 2), ("0.5", 4), ("1/1", 7)]
)
def test_what_a_slice_counts(bring: Any, slice: str, gpus: int) -> None:
    """Seven slices of a seventh are a GPU; seven quarters are two with what is rounded up."""
    made = bring("sacct", SLICES, slice=slice)
    assert jobs(made) == {"7": (0, gpus, 5 * HOUR)}
    assert made.remarks[0].endswith("(--slice): 7")


@pytest.mark.parametrize(
    ("resources", "gpus"),
    [
        ("gres/gpu:a100_3g.20gb=2,gres/gpu=2", 1),  # Six sevenths.
        ("gres/gpu:a100=4,gres/gpu:a100_4g.40gb=2,gres/gpu=6", 6),  # Four and eight sevenths.
        ("gres/gpu:a30_1g.6gb=4", 1),  # An A30 is cut into four.
        ("gres/gpu:1g.5gb+me=8", 2),
        ("gres/gpu:h100=3,gres/gpumem=9,gres/shard=5", 3),
        ("gres/gpu=", None),
        ("gres/gpu:a100=x", None),
        ("gres/shard=3", None),
    ],
)
def test_slices_among_other_gpus(bring: Any, resources: str, gpus: int | None) -> None:
    made = bring(
        "sacct", f"{HEAD}1|{AT8}|01:00|COMPLETED|gres/gpu=1\n2|{AT8}|02:00|X|{resources}\n"
    )
    assert jobs(made).get("2") == (None if gpus is None else (0, gpus, 120))


@pytest.mark.parametrize("slice", ["0", "2", "1/0", "1e9", "half", "-1", "1/4/4"])
def test_no_other_slices(faults: Any, slice: str) -> None:
    assert "--slice: found" in "\n".join(faults("sacct", SLICES, slice=slice))


def test_one_bad_record_refuses_no_file(bring: Any, faults: Any) -> None:
    made = bring("sacct", INVALID)
    assert jobs(made) == {"1": (0, 2, HOUR), "5": (0, 2, 600), "7": (0, 2, 611)}
    assert {one.reason: (one.count, one.line) for one in made.left_out} == {
        "no arrival": (1, "line 3: 2|Unknown|01:00:00|COMPLETED|gres/gpu=2"),
        "Elapsed: expected a time such as 1-02:30:00": (
            1,
            f"line 4: 3|{AT8}|INVALID|COMPLETED|gres/gpu=2",
        ),
        "AllocTRES: expected whole numbers of GPUs": (
            1,
            f"line 5: 4|{AT8}|00:10:00|COMPLETED|gres/gpu=2.5",
        ),
        "never ran": (1, f"line 7: 6|{AT8}|00:00:00|FAILED|gres/gpu=2"),
    }
    assert [line.split(", expected")[0] for line in faults("sacct", INVALID)] == [
        "line 4, Elapsed: found 'INVALID'",
        "line 5, AllocTRES: found 'gres/gpu=2.5'",
    ]


def test_times_in_seconds_since_1970(bring: Any) -> None:
    """2024-03-01 08:00 is 1709280000; the dates of a file may stand between."""
    epochs = NODE_FAILED.replace(AT8, "1709280000")
    assert jobs(bring("sacct", epochs)) == jobs(bring("sacct", NODE_FAILED))
    assert bring("sacct", epochs).remarks[-2] == "times in seconds since 1970, read as UTC: 3"


def test_bars_in_the_names_of_jobs(bring: Any, faults: Any) -> None:
    made = bring("sacct", BARS)
    assert jobs(made) == {"1": (0, 2, HOUR), "2": (0, 4, 600), "3": (0, 1, 1200)}
    assert made.dropped == {"expected 9 cells, as in the header": 1}
    assert made.remarks == ("lines with bars in JobName: 2",)
    assert made.unused == ("JobName", "User")
    assert len(faults("sacct", BARS)) == 3


def test_a_second_header_may_have_another_order(bring: Any) -> None:
    other = f"State|AllocTRES|JobID|Elapsed|Submit\nCOMPLETED|gres/gpu=1|9|01:00|{AT8}\n"
    made = bring("sacct", "Last login: Friday\n" + NODE_FAILED + other)
    assert jobs(made)["9"] == (0, 1, 60)
    assert made.dropped == {
        "expected no second header": 1,
        "expected no line above the header": 1,
    }


def test_without_a_header_the_columns_can_be_named(bring: Any, faults: Any) -> None:
    bare = NODE_FAILED.removeprefix(HEAD)
    (line,) = faults("sacct", bare, strict=False)
    assert line.startswith("line 1: found '7|2024-03-01T08:00:00|05:00:00|NODE_FAIL|gres/gpu=8'")
    assert "a header with the columns JobID, Submit, Elapsed, State, AllocTRES" in line
    assert "--columns" in line
    columns = HEAD.strip().replace("|", ", ")
    assert bring("sacct", bare, columns=columns).instance == bring("sacct", NODE_FAILED).instance
    assert "--columns: found nothing" in faults("sacct", bare, columns="JobID,State")[0]


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8-sig", "utf-16"])
def test_names_survive_an_encoding_other_than_utf_8(bring: Any, encoding: str) -> None:
    text = BARS.replace("plain", "Prüfung").encode(encoding)
    made = bring("sacct", text)
    assert jobs(made) == jobs(bring("sacct", BARS))
    told = "lines that are not UTF-8, read as Latin-1: 1" in made.remarks
    assert told == (encoding == "latin-1")


def test_strictly_only_utf_8(faults: Any) -> None:
    text = BARS.replace("plain", "Prüfung").encode("latin-1")
    assert "expected UTF-8 text" in faults("sacct", text)[0]
