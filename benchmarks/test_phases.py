"""The other phases: reading, writing, judging, and the policies."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from ringyard.analysis.check import check
from ringyard.instances import Limits, MakespanInstance, Schedule, digest
from ringyard.instances.generate import generate
from ringyard.instances.reading.encode import to_text
from ringyard.instances.reading.files import INSTANCES, parse
from ringyard.methods import all_methods
from ringyard.policies.makespan import gang_lpt
from ringyard.policies.request import Request
from ringyard.search.makespan.bounds.counting import best_bound
from ringyard.simulation import build_model
from ringyard.simulation.makespan.evaluate import extremes

SIZES = [(160, 20), (2000, 200)]
POLICIES = [m for m in all_methods() if m.kind == "policy" and m.family == "makespan"]
sizes = pytest.mark.parametrize(("jobs", "servers"), SIZES, ids=str)


@cache
def instance_of(jobs: int, servers: int) -> MakespanInstance:
    """Return an instance of the paper's mix."""
    return generate("large", seed=0, jobs=jobs, servers=servers)


@cache
def schedule_of(jobs: int, servers: int) -> Schedule:
    """Return a schedule for it."""
    schedule = gang_lpt.run(instance_of(jobs, servers), Request()).schedule
    assert isinstance(schedule, Schedule)
    return schedule


@sizes
@pytest.mark.benchmark(group="read a file")
def test_read(benchmark: Any, jobs: int, servers: int) -> None:
    text = to_text(instance_of(jobs, servers))
    assert benchmark(parse, text, INSTANCES) == instance_of(jobs, servers)


@sizes
@pytest.mark.benchmark(group="write a file")
def test_write(benchmark: Any, jobs: int, servers: int) -> None:
    assert benchmark(to_text, instance_of(jobs, servers))


@sizes
@pytest.mark.benchmark(group="digest")
def test_digest(benchmark: Any, jobs: int, servers: int) -> None:
    assert len(benchmark(digest.__wrapped__, instance_of(jobs, servers))) == 64


@sizes
@pytest.mark.benchmark(group="build the engine's records")
def test_build(benchmark: Any, jobs: int, servers: int) -> None:
    assert benchmark(build_model, instance_of(jobs, servers)).jobs.size == jobs


@sizes
@pytest.mark.benchmark(group="judge a schedule")
def test_judge(benchmark: Any, jobs: int, servers: int) -> None:
    assert benchmark(check, instance_of(jobs, servers), schedule_of(jobs, servers)).valid


@sizes
@pytest.mark.benchmark(group="bound")
def test_bound(benchmark: Any, jobs: int, servers: int) -> None:
    def run() -> Any:
        extremes.cache_clear()
        return best_bound(instance_of(jobs, servers))

    assert benchmark(run).value > 0


@sizes
@pytest.mark.parametrize("method", POLICIES, ids=lambda m: m.name)
@pytest.mark.benchmark(group="policies, whole search")
def test_policy(benchmark: Any, jobs: int, servers: int, method: Any) -> None:
    def run() -> Any:
        extremes.cache_clear()
        return method.run(instance_of(jobs, servers), Limits(), np.random.default_rng(0))

    outcome = benchmark.pedantic(run, rounds=3, warmup_rounds=1)
    assert outcome.schedule is not None
