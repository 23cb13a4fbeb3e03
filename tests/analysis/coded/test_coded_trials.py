"""Simulated and decoded products, against exact times and direct products."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pytest
from check.coded.codes import EXPONENTIAL, LAWS, PARETO, coded, number, plain, work

from ringyard.analysis.check import check
from ringyard.analysis.coded import simulated as room
from ringyard.analysis.coded.simulated import (
    DecodingTask,
    collect,
    decode,
    decode_plan,
    draw_job,
    endless_variance,
    known_at,
    simulate,
    trials,
    vandermonde,
)
from ringyard.instances import CodedPlan, ParetoTime, TaskTime
from ringyard.policies.coded import points_of
from ringyard.run import solve


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.model)
@pytest.mark.parametrize("plan", [plain(12), plain(5), coded(8, 12)], ids=["all", "some", "mds"])
def test_exact_times_are_in_the_interval(law: TaskTime, plan: CodedPlan) -> None:
    """At 99.99 %, so that a dozen seeds hardly ever miss one."""
    if isinstance(law, ParetoTime):
        law = ParetoTime(tail=number(3))
    instance = work(12, law, rows=50)
    found = simulate(instance, plan, count=40_000, seed=5, level=0.9999)
    exact = check(instance, plan).objective
    assert exact is not None
    assert found.low < float(exact) < found.high
    assert found.high - found.low < 0.1 * found.mean


def test_blocks_change_nothing_but_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "BLOCK", 1000)
    instance, heard = work(7), list[int]()
    found = simulate(instance, coded(4, 7), count=500, seed=1, report=heard.append)
    blocks = list(trials(instance, coded(4, 7), np.random.default_rng(1), 500))
    drawn = np.concatenate(blocks)
    assert [len(block) for block in blocks] == [142, 142, 142, 74]
    assert heard == [142, 284, 426, 500]
    assert found.mean == pytest.approx(drawn.mean(), rel=1e-12)
    half = 1.9647 * drawn.std(ddof=1) / 500**0.5
    assert found.high - found.mean == pytest.approx(half, rel=1e-4)


def test_when_a_product_is_known() -> None:
    times = np.array([[5.0, 1, 2, 4, 3], [1, 1, 9, 9, 1]])
    assert known_at(coded(3, 5), times).tolist() == [3, 1]
    assert known_at(plain(5), times).tolist() == [5, 9]
    assert known_at(plain(2), times).tolist() == [2, 1]
    assert known_at(plain(3), times).tolist() == [4, 9]


def test_where_variance_is_infinite() -> None:
    instance = work(6, PARETO)
    assert endless_variance(instance, plain(6))
    assert endless_variance(instance, coded(6, 6))
    assert not endless_variance(instance, plain(3))
    assert not endless_variance(instance, coded(5, 6))
    assert not endless_variance(work(6), plain(6))


@pytest.mark.parametrize("rows", [100, 37, 3])
def test_repeated_parts_come_out_bit_by_bit(rows: int) -> None:
    job = draw_job(work(8), rows, 11, np.random.default_rng(2))
    for parts in range(1, 9):
        found = collect(job, parts)
        assert found.same
        assert found.error < 1e-15


@pytest.mark.parametrize("parts", [1, 3, 7, 8])
def test_few_parts_are_decoded_well(parts: int) -> None:
    job = draw_job(work(8), 50, 5, np.random.default_rng(3))
    points = [float(point) for point in points_of("chebyshev", 8)]
    for code in (
        vandermonde(points, parts),
        np.random.default_rng(4).standard_normal((8, parts)),
    ):
        found = decode(job, code)
        assert found.error < 1e-13 * found.condition


def test_any_k_of_n_parts_give_the_product() -> None:
    """The product is decoded from any four of seven workers, whoever they are.

    In exact numbers any four of the equations determine it: their determinant is not 0.
    """
    plan = coded(4, 7)
    plan = replace(plan, points=points_of("integers", 7))
    rng = np.random.default_rng(3)
    matrix, vector = rng.integers(-9, 9, (12, 3)), rng.integers(-9, 9, 3)
    code = vandermonde([float(point) for point in plan.points], plan.parts)
    for some in permutations(range(7), 4):
        late = [worker for worker in range(7) if worker not in some]
        job = DecodingTask(
            matrix=matrix.astype(float), vector=vector.astype(float), order=(*some, *late)
        )
        assert decode_plan(job, plan).error < 1e-9
        assert decode(job, code).error < 1e-9
    for some in combinations(code.astype(int).tolist(), 4):
        assert _determinant(some) != 0


def _determinant(rows: Sequence[Sequence[int]]) -> int:
    """Return the determinant of a matrix of whole numbers, by its first row."""
    if not rows:
        return 1
    first, *rest = rows
    return sum(
        (-1) ** i * one * _determinant([[*row[:i], *row[i + 1 :]] for row in rest])
        for i, one in enumerate(first)
    )


def test_real_vandermonde_codes_lose_all_digits_and_others_do_not() -> None:
    """At 100 workers and 69 parts, the best code of which nothing is left in floating point."""
    instance = work(100)
    job = draw_job(instance, 200, 5, np.random.default_rng(0))
    plan = solve(instance).schedule
    lost = decode_plan(job, plan)
    assert lost.condition > 1e16
    assert lost.error > 0.1
    roots = decode(job, vandermonde(np.exp(2j * np.pi * np.arange(100) / 100), 69))
    gauss = decode(job, np.random.default_rng(1).standard_normal((100, 69)))
    assert roots.error < 1e-8
    assert gauss.error < 1e-11


def test_points_whose_powers_overflow_are_told() -> None:
    job = draw_job(work(60, EXPONENTIAL), 60, 2, np.random.default_rng(0))
    found = decode(job, vandermonde([10.0**6 - w for w in range(60)], 60))
    assert (found.error, found.condition) == (float("inf"), float("inf"))
