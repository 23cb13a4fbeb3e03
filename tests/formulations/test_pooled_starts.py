"""The pool of GPUs says what the relaxation of `occupancy` says, and its shares are starts."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import makespan_instances

from ringyard.formulations.makespan.fractional import PooledStarts, pooled_starts
from ringyard.formulations.makespan.occupancy import twin
from ringyard.formulations.matrix import relaxed
from ringyard.formulations.solver_interface.solve import solve
from ringyard.instances import MakespanInstance, SolutionStatus
from ringyard.instances.catalogue import load
from ringyard.search.makespan.bounds.counting import tasks_of
from ringyard.simulation.makespan.evaluate import refusal


def pool_of(instance: MakespanInstance, horizon: int) -> PooledStarts:
    tasks = tasks_of(instance)
    gpus, durations, releases = (
        np.array([int(number) for number in column])
        for column in zip(*((t.gpus, t.slots, t.release) for t in tasks), strict=True)
    )
    pool = sum(server.gpus for server in instance.cluster.servers)
    return pooled_starts(gpus, durations, releases, pool, horizon)


@given(st.data())
def test_it_is_the_relaxation_of_occupancy(data: st.DataObject) -> None:
    """At any horizon both are infeasible, or give the same start-up cost."""
    progress = data.draw(st.sampled_from(["floor", "fractional"]))
    instance = data.draw(makespan_instances(max_jobs=5, progress=progress))
    assume(refusal(instance) is None)
    longest = max(int(task.release + task.slots) for task in tasks_of(instance))
    horizon = longest + data.draw(st.integers(0, 6))
    pool, full = pool_of(instance, horizon).matrix, relaxed(twin(instance, horizon))
    count = pool.a.shape[1] - horizon
    cost = np.zeros_like(full.cost)
    cost[1 : 1 + count] = pool.cost[:count]
    assert full.columns[count].startswith("start")
    assert full.columns[1 + count].startswith("gpus")
    one, other = solve(pool), solve(replace(full, cost=cost))
    assert one.status is other.status
    if one.status is SolutionStatus.OPTIMAL:
        assert one.value == pytest.approx(other.value, abs=1e-6)


def test_rows_and_columns_by_hand() -> None:
    """Jobs of 1 x 2 and 2 x 1 (GPUs x slots), the second released at 1, on 2 GPUs in 3 slots."""
    found = pooled_starts(np.array([1, 2]), np.array([2, 1]), np.array([0, 1]), 2, 3)
    starts = ("start[0,0]", "start[0,1]", "start[1,1]", "start[1,2]")
    assert found.matrix.columns == (*starts, "busy[0]", "busy[1]", "busy[2]")
    assert found.matrix.a.toarray().tolist() == [
        [1, 1, 0, 0, 0, 0, 0],
        [0, 0, 1, 1, 0, 0, 0],
        [1, 0, 0, 0, -1, 0, 0],
        [0, 1, 2, 0, 1, -1, 0],
        [-1, 0, -2, 2, 0, 1, -1],
    ]
    assert found.matrix.cost.tolist() == [0, 1, 4, 8, 0, 0, 0]


def test_shares_stand_where_jobs_start() -> None:
    found = pool_of(load("hand-area"), 6)
    solution = solve(found.matrix)
    assert solution.point is not None
    shares = found.shares(solution.point)
    assert shares.sum(axis=1) == pytest.approx(np.ones(5))
    jobs, slots = np.nonzero(shares > 1e-9)
    durations = np.array([int(task.slots) for task in tasks_of(load("hand-area"))])
    assert (slots + durations[jobs] <= 6).all()
