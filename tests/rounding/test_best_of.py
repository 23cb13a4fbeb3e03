"""Best of many samples: valid, the cheapest there is, and failures counted right."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounding.mixed_programs import mixed_programs, placement, roundings

from ringyard.rounding.randomized import best_of, round_independently


@given(mixed_programs(), st.sampled_from([0.7, 1.0, 1.6]))
def test_failures_are_counted_and_the_cheapest_valid_sample_is_kept(
    case: Any, factor: float
) -> None:
    program, point = case
    best = best_of(program, point, 40, np.random.default_rng(0), factor=factor)
    block = round_independently(point, 40, np.random.default_rng(0), factor)
    points = [block.point(i) for i in range(40)]
    over = [bool(program.excess(x).any()) for x in points]
    short = [bool(program.missing(x).any()) and not o for x, o in zip(points, over, strict=True)]
    valid = [program.cost @ x for x in points if program.holds(x)]
    assert (best.samples, best.over, best.short) == (40, sum(over), sum(short))
    assert best.cost == pytest.approx(min(valid, default=np.inf))
    assert (best.x is None) == (not valid)
    assert best.x is None or (program.holds(best.x) and program.cost @ best.x == best.cost)


@given(mixed_programs(columns=4))
def test_many_samples_find_the_cheapest_valid_rounding_there_is(case: Any) -> None:
    program, point = case
    valid = [program.cost @ x for x, p in roundings(point) if p > 1e-4 and program.holds(x)]
    best = best_of(program, point, 100_000, np.random.default_rng(0))
    assert best.cost <= min(valid, default=np.inf) + 1e-9


@given(mixed_programs())
def test_repair_only_helps_and_its_points_are_valid(case: Any) -> None:
    program, point = case
    costs = []
    for repairing in ("none", "short", "all"):
        best = best_of(program, point, 20, np.random.default_rng(1), repairing=repairing)
        costs.append(best.cost)
        assert best.x is None or program.holds(best.x)
        assert best.repair is None or best.repair.changes
    assert costs[0] >= costs[1] >= costs[2]


def test_a_sample_that_fits_is_repaired_where_none_covers() -> None:
    program = placement()
    point = np.concatenate([np.full(8, 6.9), np.full(8, 0.1)])
    none = best_of(program, point, 50, np.random.default_rng(0))
    assert (none.x, none.cost, none.over + none.short) == (None, np.inf, 50)
    best = best_of(program, point, 50, np.random.default_rng(0), repairing="all")
    assert best.x is not None
    assert program.holds(best.x)
    assert best.repair is not None
