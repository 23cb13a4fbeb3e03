"""Who decides by jobs to come is found out, and nobody else."""

from pathlib import Path
from typing import Any

import pytest
from evaluation.small import TINY, first_of

from ringyard.evaluation.evaluate import drawn, evaluate
from ringyard.evaluation.score import cut_of, twin
from ringyard.evaluation.suites import TRAINING
from ringyard.instances.reading.encode import plain
from ringyard.instances.reading.files import validate

AHEAD = '''
import gc

from ringyard import policy, solve
from ringyard.instances import TraceInstance

FOUND = []


def ends_long(instance):
    """The last job is longer than the one that comes when half have come."""
    return instance.jobs[-1].duration_s > instance.jobs[len(instance.jobs) // 2].duration_s


@policy("trace")
def peeks(job, now):
    """The instance lies in memory, with all jobs to come."""
    if not FOUND:
        FOUND.extend(one for one in gc.get_objects() if isinstance(one, TraceInstance))
    return job.gpus if ends_long(FOUND[0]) else -job.gpus


@policy("trace")
def honest(job, now):
    return job.gpus


def sorts(instance):
    """A function sees all, but need not use it."""
    return solve(instance, "sjf").schedule


def chooses(instance):
    """The better of two for the whole trace."""
    return solve(instance, "sjf" if ends_long(instance) else "2d-las").schedule
'''


@pytest.mark.parametrize("suite", ["trace", "online", "fleet"])
def test_a_twin_is_the_same_until_its_later_jobs_come(suite: str) -> None:
    field = "arrival_slot" if suite == "online" else "arrival_s"
    for instance in drawn(first_of(suite), TRAINING):
        other: Any = twin(instance)
        validate(other)
        pairs = list(zip(instance.jobs, other.jobs, strict=True))
        for name in ("name", field):
            assert [getattr(a, name) for a, _ in pairs] == [getattr(b, name) for _, b in pairs]
        assert min(getattr(a, field) for a, b in pairs if a != b) >= cut_of(instance)
        assert _bodies(instance, field) == _bodies(other, field)


def _bodies(instance: Any, field: str) -> list[str]:
    """Return what jobs are, but for names and arrivals."""
    return sorted(repr(plain(one, without=("name", field))) for one in instance.jobs)


def test_where_no_jobs_arrive_there_is_none() -> None:
    assert [twin(one) for one in drawn(TINY, TRAINING)] == [None, None]


@pytest.mark.slow
@pytest.mark.parametrize("suite", ["trace", "online"])
def test_baselines_decide_as_jobs_come(suite: str) -> None:
    for name in first_of(suite).baselines:
        found = evaluate(name, first_of(suite), baselines=(), workers=1, time_limit=120.0)
        assert (found.valid, found.foresight(0), found.to_dict()["foresight"]) == (1, False, False)


@pytest.mark.parametrize(
    ("name", "ahead"),
    [
        ("peeks", True),
        ("honest", False),
        pytest.param("sorts", False, marks=pytest.mark.slow),
        pytest.param("chooses", True, marks=pytest.mark.slow),
    ],
)
def test_who_looks_ahead_is_told(name: str, ahead: bool, tmp_path: Path) -> None:
    (tmp_path / "ahead.py").write_text(AHEAD)
    suite, method = first_of("trace"), f"{tmp_path / 'ahead.py'}:{name}"
    found = evaluate(method, suite, baselines=(), workers=2, time_limit=120.0)
    assert [run.status for run in found.runs] == ["valid"]
    assert found.foresight(0) is ahead
    assert found.row(0)["foresight"] is ahead
