"""Trials of gains: counts that agree with a plain count, and with exact probabilities."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounding.mixed_programs import mixed_programs, roundings

from ringyard.analysis.intervals import clopper_pearson
from ringyard.instances import InputError
from ringyard.rounding.gain import chernoff_gain, chosen_gain
from ringyard.rounding.program import MixedProgram
from ringyard.rounding.randomized import round_independently, run_trial


@given(mixed_programs(), st.booleans())
def test_counts_are_those_of_the_draws(case: Any, promising: bool) -> None:
    program, point = case
    gain = chosen_gain(program.widths, 0.9, 0.8)
    if promising:
        gain = replace(gain, cover=0.9, packing=0.9)
    found = run_trial(program, point, gain, np.random.default_rng(0), draws=60)
    block = round_independently(point, 60, np.random.default_rng(0), 0.8)
    points = [block.point(i) for i in range(60)]
    base = float(program.cost @ point)
    dear = [program.cost @ x > gain.cost * base + 1e-9 for x in points]
    short = [(program.cover @ x < gain.cover * program.demand - 1e-9).any() for x in points]
    over = [(program.packing @ x > gain.packing * program.capacity + 1e-9).any() for x in points]
    assert (found.cost, found.cover, found.packing) == (sum(dear), sum(short), sum(over))
    assert found.any == sum(np.array(dear) | short | over)
    factors = sorted(program.cost @ x / base for x in points) if base else []
    assert found.cost_factors[-1:] == pytest.approx(tuple(factors[-1:]))
    assert list(found.cost_factors) == sorted(found.cost_factors)


def test_counts_are_near_exact_probabilities() -> None:
    program = MixedProgram(
        cost=np.array([0.1, 0.1, 9.0]),
        cover=np.ones((1, 3)),
        demand=np.array([1.45]),
        packing=np.array([[2.0, 1.0, 1.0]]),
        capacity=np.array([3.0]),
    )
    point = np.array([0.8, 0.6, 0.05])
    gain = chosen_gain(program.widths, 0.9, 0.9)
    found = run_trial(program, point, gain, np.random.default_rng(3), draws=50_000)
    limit = gain.cost * (program.cost @ point)
    dear = sum(p for x, p in roundings(0.9 * point) if program.cost @ x > limit)
    low, high = clopper_pearson(found.cost, 50_000, 0.9999)
    assert 0.001 < dear < 0.9
    assert low < dear < high


def test_a_point_outside_the_relaxation_is_refused() -> None:
    program = MixedProgram(
        cost=np.ones(1),
        cover=np.ones((1, 1)),
        demand=np.array([2.0]),
        packing=np.zeros((0, 1)),
        capacity=np.zeros(0),
    )
    gain = chernoff_gain(program.widths, 0.1, "covering")
    with pytest.raises(InputError, match=r"cover\[0\]: found a row that is missed by 1"):
        run_trial(program, np.array([1.0]), gain, np.random.default_rng(0))
