"""The engine: evaluating complete schedules, and how the cost grows."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from ringyard.instances import Limits, MakespanInstance
from ringyard.instances.generate import generate
from ringyard.policies.makespan import gang_lpt
from ringyard.policies.makespan.baselines import LIST_SCHEDULING
from ringyard.policies.request import Request, usual
from ringyard.simulation import Model, PlacedStarts, build_model, evaluate, make_plan, to_plan

SIZES = [(160, 20), (2000, 200), (20000, 2000)]


@cache
def subject(jobs: int, servers: int, contention: str, policy: str) -> tuple[Model, PlacedStarts]:
    """Return a feasible schedule of the paper's mix, as the engine sees it."""
    instance = generate("large", seed=0, jobs=jobs, servers=servers, contention=contention)
    method: Any = {"packed": gang_lpt, "spread": LIST_SCHEDULING}[policy]
    outcome = method.run(instance, Request(limits=Limits(time_s=0.0), options=usual(method)))
    return build_model(instance), to_plan(instance, outcome.schedule)


@pytest.mark.parametrize("policy", ["packed", "spread"])
@pytest.mark.parametrize(("jobs", "servers"), SIZES, ids=str)
@pytest.mark.benchmark(group="evaluate a schedule, server uplinks")
def test_evaluate(
    benchmark: Any, size: Callable[[int], int], jobs: int, servers: int, policy: str
) -> None:
    model, plan = subject(size(jobs), size(servers), "server_uplink", policy)
    result = benchmark(evaluate, model, plan)
    assert result.excess == 0
    assert result.makespan < np.inf
    benchmark.extra_info["events"] = 2 * jobs


@pytest.mark.parametrize(("jobs", "servers"), SIZES[:2], ids=str)
@pytest.mark.benchmark(group="evaluate a schedule, fluid links")
def test_evaluate_fluid(benchmark: Any, jobs: int, servers: int) -> None:
    model, plan = subject(jobs, servers, "fluid", "packed")
    result = benchmark(evaluate, model, plan)
    assert result.excess == 0


@pytest.mark.parametrize("copies", [1, 10, 100])
@pytest.mark.benchmark(group="growth: unaffected jobs around the same rings")
def test_growth_with_unaffected_jobs(
    benchmark: Any, size: Callable[[int], int], copies: int
) -> None:
    """The same two servers and 200 rings, among more and more jobs on servers of their own."""
    model, plan = crowd(size(200 * copies) // 200)
    result = benchmark(evaluate, model, plan)
    assert result.makespan < np.inf
    benchmark.extra_info["events"] = 2 * model.jobs.size


def crowd(copies: int) -> tuple[Model, PlacedStarts]:
    """Return `copies` clusters side by side, each with the same contended schedule."""
    one: MakespanInstance = generate("tight", seed=1, jobs=200, servers=40)
    copied = [replace(job, name=f"{job.name}-{c}") for c in range(copies) for job in one.jobs]
    many = generate("tight", seed=1, jobs=200 * copies, servers=40 * copies)
    placements, starts = [], []
    for c in range(copies):
        for k, job in enumerate(one.jobs):
            room = min(4, job.gpus)
            base = 40 * c + (k * 4) % 36
            placements.append([(base + i, max(1, job.gpus // room)) for i in range(room)])
            starts.append(float(10 * k))
    return build_model(replace(many, jobs=tuple(copied))), make_plan(starts, placements)
