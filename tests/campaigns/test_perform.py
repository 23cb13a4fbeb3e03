"""One run: the judge's findings as columns, and a reason in place of every traceback."""

import json
import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from ringyard.analysis.check import check
from ringyard.analysis.rows import COLUMNS, whole_row
from ringyard.campaigns import perform as performing
from ringyard.campaigns.perform import perform
from ringyard.campaigns.runs import BOUND, Run
from ringyard.instances import TerminationReason
from ringyard.instances.catalogue import load
from ringyard.instances.reading.files import SCHEDULES, parse
from ringyard.run import Answer, solve

RUN = Run(instance=load("hand-lpt"), method="gang-lpt")


def test_columns_are_what_the_judge_says() -> None:
    found = perform(replace(RUN, seed=3).task())
    columns, schedule = found["columns"], parse(found["schedule"], SCHEDULES)
    verdict = check(RUN.instance, schedule)
    assert columns["valid"]
    assert columns["violations"] == 0
    assert (columns["objective"], columns["mean_end"]) == (
        verdict.objective,
        verdict.mean_completion,
    )
    assert columns["trajectory"][-1][1:] == [verdict.objective, columns["bound"]]
    assert all(columns[name] >= 0 for name in ("seconds", "seconds_bound", "seconds_check"))


def test_columns_are_those_of_solve() -> None:
    columns = perform(RUN.task())["columns"]
    row = solve(RUN.instance, "gang-lpt").row()
    same = (
        "status",
        "termination",
        "objective",
        "bound",
        "bound_kind",
        "gap",
        "valid",
        "nodes",
        "note",
    )
    assert {name: columns[name] for name in same} == {name: row[name] for name in same}


@pytest.mark.parametrize(
    ("name", "method", "rules"),
    [
        ("hand-lpt", BOUND, "area"),
        ("hand-lpt", "gang-lpt", "area"),
        ("hand-spread", "enumeration", "searched"),
    ],
)
def test_a_row_says_how_a_certificate_proves_its_bound(name: str, method: str, rules: str) -> None:
    # No bound of hand-spread that counts or rests on prices reaches what the search proves.
    columns = perform(Run(instance=load(name), method=method).task())["columns"]
    assert columns["certificate"] == rules


def test_every_column_has_a_name() -> None:
    for method in ("gang-lpt", BOUND, "branch-and-bound"):
        run = replace(RUN, method=method)
        row = whole_row({**run.stated(), **perform(run.task())["columns"]})
        assert list(row) == list(COLUMNS)
        assert json.loads(json.dumps(row, allow_nan=False)) == row


def test_a_column_that_there_is_not_is_an_error() -> None:
    with pytest.raises(ValueError, match="no such columns: surprise"):
        whole_row({"surprise": 1})


def test_numbers_are_never_whole_in_one_row_and_not_in_another() -> None:
    row = whole_row(perform(RUN.task())["columns"])
    kinds = {"number": float, "integer": int, "boolean": bool}
    for name, (kind, _) in COLUMNS.items():
        if kind in kinds and row[name] is not None:
            assert type(row[name]) is kinds[kind]


def test_a_bound_needs_no_schedule() -> None:
    found = perform(replace(RUN, method=BOUND, time_limit=5.0).task())
    best = solve(RUN.instance, "enumeration").objective
    assert best is not None
    assert 0 < Fraction(found["columns"]["bound"]) <= best
    assert (found["columns"]["valid"], found["schedule"]) == (False, None)


def test_a_refusal_is_a_row() -> None:
    columns = perform(replace(RUN, method="drf").task())["columns"]
    assert columns["status"] == "refused"
    assert "not 'makespan' ones" in columns["note"]
    assert not columns["valid"]


@pytest.mark.parametrize(
    ("error", "status", "note"),
    [
        (ZeroDivisionError("by nought"), "error", "ZeroDivisionError: by nought"),
        (MemoryError(), "out of memory", "MemoryError"),
        (RecursionError("deep"), "error", "RecursionError: deep"),
    ],
)
def test_whatever_a_method_raises_is_a_row(
    error: Exception, status: str, note: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> Answer:
        raise error

    monkeypatch.setattr(performing, "solve", fail)
    columns = perform(RUN.task())["columns"]
    assert (columns["status"], columns["note"]) == (status, note)
    assert not columns["valid"]


def test_a_schedule_that_had_to_be_replaced_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = "it ended without a schedule. The returned one was reported earlier, with value 3"

    def faulty(*given: Any, **options: Any) -> Answer:
        return replace(solve(*given, **options), rejection=fault)

    assert perform(RUN.task())["columns"]["rejection"] is None
    monkeypatch.setattr(performing, "solve", faulty)
    assert perform(RUN.task())["columns"]["rejection"] == fault


def test_an_interrupted_run_has_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: Any, **options: Any) -> Answer:
        answer = solve(*given, **options)
        return replace(
            answer, outcome=replace(answer.outcome, termination=TerminationReason.INTERRUPTED)
        )

    monkeypatch.setattr(performing, "solve", interrupted)
    with pytest.raises(KeyboardInterrupt):
        perform(RUN.task())


def test_online_rows_have_completions() -> None:
    instance = load("hand-online-inside")
    found = perform(Run(instance=instance, method="order-search").task())
    verdict = check(instance, parse(found["schedule"], SCHEDULES))
    (job,) = instance.jobs
    assert found["columns"]["completed"] == 1
    took = verdict.completions[job.name] - job.arrival_slot + 1
    assert found["columns"]["median_slots"] == took
    assert "mean_end" not in found["columns"]


def test_a_number_that_no_row_can_hold_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        performing, "answer_columns", lambda _: {"status": "feasible", "gap": math.inf}
    )
    found = perform(RUN.task())
    assert found["columns"]["status"] == "error"
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["schedule"] is None


def test_fleet_rows_have_their_metrics_in_seconds() -> None:
    instance = load("tiny-fleet-3")
    found = perform(Run(instance=instance, method="equal-width").task())
    columns, log = found["columns"], json.loads(found["schedule"])
    ends = {entry["job"]: entry["end_s"] for entry in log["jobs"]}
    times = sorted(ends[job.name] - float(job.arrival_s) for job in instance.jobs)
    assert (columns["median_jct_s"], columns["p95_jct_s"]) == (times[1], times[2])
    assert columns["objective"] == pytest.approx(sum(times) / 3 / 3600)
    leased = sum(one["gpus"] * (one["stop_s"] - one["start_s"]) for one in log["leases"])
    held = sum(
        run["gpus"] * (ends[entry["job"]] - run["start_s"])
        for entry in log["jobs"]
        for run in entry["runs"]
    )
    assert columns["utilisation"] == pytest.approx(held / leased)
    assert columns["mean_gpus"] == pytest.approx(leased / float(instance.span_s))


def test_trace_rows_have_their_metrics() -> None:
    found = perform(Run(instance=load("tiresias-example"), method="fifo").task())
    columns = found["columns"]
    # J1 0-2, J2 2-10, J3 10-16: 24 of 32 GPU-seconds are used, 8 are idle beside J2.
    assert (columns["median_jct_s"], columns["p95_jct_s"], columns["mean_queueing_s"]) == (
        10,
        16,
        4,
    )
    assert columns["mean_waiting_s"] == columns["mean_queueing_s"], "nobody is stopped"
    assert (columns["makespan_s"], columns["preemptions"]) == (16, 0)
    assert columns["utilisation"] == 24 / 32
    assert columns["fragmentation"] == pytest.approx(2 / 3), "two of three jobs want 2 GPUs"
    assert whole_row(columns)["p95_jct_s"] == 16.0
