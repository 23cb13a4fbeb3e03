"""One job of SMD: its time, its program, the linear programs of its ratios, and its optimum."""

from dataclasses import replace
from decimal import Decimal
from math import inf, isclose, nan
from random import Random
from typing import Any

import numpy as np
import pytest
from smd_ratio_program import ratio_program
from test_names import KINDS, components, sections

from ringyard.formulations.matrix import nonlinear_of
from ringyard.formulations.online import sum_of_ratios
from ringyard.formulations.online.smd import SmdJob, SmdProblem, draw_job, draw_problem
from ringyard.formulations.online.sum_of_ratios import (
    SERVERS,
    WORKERS,
    build,
    quickest,
    ratios,
)
from ringyard.formulations.solver_interface.checked import checker_of
from ringyard.formulations.solver_interface.solve import solve
from ringyard.instances import Deadline, InputError, RefusedError

HAND = SmdJob(
    name="hand",
    synchronous=True,
    epochs=10,
    samples=12,
    forward_ms=4,
    backward_ms=5,
    size_mb=6,
    bandwidth_mb_ms=2,
    worker_ms=3,
    server_ms=1,
    factors=(1, 2, 0.5),
    worker=(1.0, 2.0, 0.0),
    server=(0.0, 1.0, 0.0),
    reserved=(5.0, 10.0, 1.0),
    utility=Deadline(value=Decimal(7), slots=4),
)
"""With 4 workers and 2 servers a step takes 12 + 10 + 6 + 12 + 2 = 42 ms."""


def drawn(seed: int) -> SmdJob:
    return draw_job(Random(seed), "drawn", 9)


def test_the_times_by_hand() -> None:
    assert HAND.time_ms(4, 2) == 420
    own = replace(HAND, synchronous=False, concurrency=0.5)
    assert own.time_ms(4, 2) == 10 * (48 + 10 + 3 + 12 + 2) / 4


@pytest.mark.parametrize("seed", range(20))
def test_the_time_is_the_sum_of_its_ratios(seed: int) -> None:
    job = drawn(seed)
    constant_ms, parts = ratios(job)
    assert len(parts) == (4 if job.synchronous else 3)
    for x in ((1, 1, 1), (3, 7, 1), (2.5, 1.25, 1)):
        total = constant_ms + sum(part.weight * x[part.above] / x[part.below] for part in parts)
        assert isclose(total, job.time_ms(*x[:2]), rel_tol=1e-12)


def test_names_in_the_docstring_are_those_of_the_model() -> None:
    said = sections(str(sum_of_ratios.__doc__))
    for head, kind in KINDS.items():
        assert components(build(HAND), kind) == said[head], head


@pytest.mark.parametrize("seed", range(6))
def test_the_exported_program_is_the_job(seed: int) -> None:
    job = drawn(seed)
    program = nonlinear_of(build(job))
    checker = checker_of(program)
    fitting = 0
    for pair in [(w, p) for w in range(11) for p in range(11)]:
        at = dict(zip(("workers", "servers"), pair, strict=True))
        point = np.array([at[name] for name in program.columns], dtype=float)
        fits = min(pair) >= 1 and job.fits(*pair)
        assert (checker.violation(point) <= 1e-9) == fits
        if fits:
            assert isclose(checker.value(point), job.time_ms(*pair), rel_tol=1e-12)
            fitting += 1
    assert fitting


def variants(job: SmdJob) -> list[SmdJob]:
    """A job as it is, with servers that cost no time, and with ones that cost a lot."""
    return [job, replace(job, server_ms=0), replace(job, server_ms=20)]


@pytest.mark.parametrize("seed", range(20))
def test_quickest_is_the_best_of_all_pairs(seed: int) -> None:
    for job in variants(drawn(seed)):
        workers, servers = np.mgrid[1:200, 1:200]
        rooms = zip(job.worker, job.server, job.reserved, strict=True)
        fits = np.all([workers * a + servers * b <= v + 1e-6 for a, b, v in rooms], axis=0)
        assert not fits[-1].any()
        assert not fits[:, -1].any()
        found = quickest(job)
        assert fits[found.workers - 1, found.servers - 1]
        least = job.time_ms(workers, servers)[fits].min()
        assert isclose(found.time_ms, least, rel_tol=1e-12)


def test_tenths_that_do_not_add_up_still_fit() -> None:
    job = replace(HAND, worker=(0.1,), server=(0.1,), reserved=(0.3,), forward_ms=0.01)
    assert 0.1 + 2 * 0.1 > 0.3
    assert (quickest(job).workers, quickest(job).servers) == (1, 2)


def test_bounds_of_a_ratio_by_hand() -> None:
    by_name = {part.name: part for part in ratios(HAND)[1]}
    ratio = by_name["workers/servers"]
    assert (ratio.above, ratio.below) == (WORKERS, SERVERS)
    assert solve(ratio_program(HAND, ratio)).value == pytest.approx(1 / 8)
    assert solve(ratio_program(HAND, ratio, largest=True)).value == pytest.approx(-4.5)
    few = [(by_name["1/workers"], 1 / 3), (by_name["servers/1"], 2.0)]
    assert solve(ratio_program(HAND, ratio, few)).value == pytest.approx(3 / 2)


def test_worth_counts_begun_slots() -> None:
    times_ms = (400, 400 * (1 + 1e-12), 400.1)
    assert [HAND.worth(time_ms, 100) for time_ms in times_ms] == [7, 7, 0]


@pytest.mark.parametrize(
    ("change", "path", "expected"),
    [
        ({"epochs": 0}, "epochs", "a number above 0"),
        ({"bandwidth_mb_ms": nan}, "bandwidth_mb_ms", "a number above 0"),
        ({"worker_ms": -1.0}, "worker_ms", "a number of 0 or more"),
        ({"reserved": (5.0, inf, 1.0)}, "reserved[1]", "a number of 0 or more"),
        ({"reserved": (5.0, 10.0)}, "reserved", "3 numbers"),
        ({"factors": (1, 1, 0)}, "factors[2]", "a number above 0"),
        ({"factors": (1, 1)}, "factors", "3 numbers"),
        ({"server": (0.0, 0.0, 0.0)}, "server", "a need of some resource"),
        ({"reserved": (5.0, 2.9, 1.0)}, "reserved", "enough for one worker and one server"),
        ({"concurrency": 0.5}, "concurrency", "1 if synchronous"),
    ],
)
def test_a_job_that_cannot_be_is_refused(change: dict[str, Any], path: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        replace(HAND, **change)
    (problem,) = caught.value.problems
    assert problem.path == path
    assert problem.expected.startswith(expected)


def test_a_problem_that_cannot_be_is_refused() -> None:
    with pytest.raises(InputError, match=r"jobs\[0\]: found 3, expected 2 resources"):
        SmdProblem(jobs=(HAND,), capacity=(1.0, 1.0), slot_ms=1)
    with pytest.raises(InputError, match="at least one job"):
        SmdProblem(jobs=(), capacity=(1.0,), slot_ms=1)


def test_far_too_many_workers_are_refused() -> None:
    with pytest.raises(RefusedError, match="reserve less"):
        quickest(replace(HAND, reserved=(1e12, 1e12, 1.0)))


def test_a_seed_names_a_problem() -> None:
    assert draw_problem(3, jobs=4) == draw_problem(3, jobs=4) != draw_problem(4, jobs=4)
    assert {job.synchronous for job in draw_problem(3).jobs} == {True, False}
