"""Answers and schedules as data frames: what is in them, and what happens without pandas."""

import importlib.util
import subprocess
import sys
from typing import Any

import pandas
import polars
import pytest

import ringyard
from ringyard.instances.flat import flat_rows


@pytest.fixture(scope="module")
def answer() -> ringyard.Answer:
    return ringyard.solve(ringyard.load("hand-contend"), "gang-lpt")


def test_a_frame_has_the_gpus_of_every_job_by_server(answer: ringyard.Answer) -> None:
    frame = answer.schedule.to_frame(backend="pandas")
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == ["job", "start_slot", "server", "gpus", "end_slot"]
    asked = {job.name: job.gpus for job in answer.instance.jobs}
    assert frame.groupby("job")["gpus"].sum().to_dict() == asked
    assert frame["end_slot"].max() == answer.objective


def test_both_backends_have_the_same_rows(answer: ringyard.Answer) -> None:
    other = answer.schedule.to_frame(backend="polars")
    assert isinstance(other, polars.DataFrame)
    assert other.to_dicts() == answer.schedule.to_frame("assignments", "pandas").to_dict("records")


def test_an_answer_is_a_row() -> None:
    answer = ringyard.solve(ringyard.load("hand-lpt"), "gang-lpt")
    frame = answer.to_frame("pandas")
    assert frame.shape == (1, len(answer.row()))
    assert frame.loc[0, ["instance", "objective", "valid", "violations"]].tolist() == [
        *("hand-lpt", answer.objective, True, 0)
    ]


def test_what_a_machine_does_not_hold_is_none_of_it() -> None:
    instance = ringyard.load("pdors-small-03x2x4")
    schedule = ringyard.solve(instance, "pd-ors-corrected").schedule
    rows, columns = flat_rows(schedule)
    held = [
        (one.job, plan.slot, machine, dict(plan.workers).get(machine, 0))
        for one in schedule.admissions
        for plan in one.plan
        for machine in {*dict(plan.workers), *dict(plan.servers)}
    ]
    found = [(row["job"], row["slot"], row["machine"], row["workers"]) for row in rows]
    assert sorted(found) == sorted(held)
    assert all(row.keys() == set(columns) for row in rows)


def test_a_part_may_be_named() -> None:
    schedule = ringyard.solve(ringyard.load("tiny-fleet-3"), "boa-integer").schedule
    leases = schedule.to_frame("leases", "polars")
    assert leases.columns == ["gpus", "start_s", "stop_s"]
    assert len(leases) == len(schedule.leases)
    with pytest.raises(ringyard.InputError, match="Did you mean 'leases'"):
        schedule.to_frame("lease")


def test_a_schedule_without_lists_is_a_row() -> None:
    schedule = ringyard.solve(ringyard.load("coded-10"), "mds").schedule
    (row,), columns = flat_rows(schedule)
    assert columns == ["expected_s", "parts", "points"]
    assert row["parts"] == schedule.parts


@pytest.mark.parametrize(("there", "asked"), [((), None), (("polars",), "pandas")])
def test_a_missing_package_is_named(
    answer: ringyard.Answer, there: tuple[str, ...], asked: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name in there or None)
    with pytest.raises(ringyard.MissingError, match="pip install pandas"):
        answer.to_frame(asked)


def test_another_backend_is_refused(answer: ringyard.Answer) -> None:
    with pytest.raises(ringyard.InputError, match="backend: found 'panda', expected pandas or pol"):
        answer.to_frame("panda")  # type: ignore[arg-type]


def test_neither_is_imported_before_it_is_asked_for() -> None:
    program = "import sys, ringyard; ringyard.Answer; ringyard.Schedule; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert not {b"pandas", b"polars", b"matplotlib"} & set(done.stdout.split())
