"""Conditional expectations: what random rounding promises likely, this one keeps surely."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounding.mixed_programs import Floats, mixed_programs, placement, roundings

from ringyard.rounding.gain import GainFactor, chernoff_gain, chosen_gain, printed_gain
from ringyard.rounding.program import MixedProgram
from ringyard.rounding.randomized import derandomize

DELTAS = st.sampled_from([0.9, 0.5, 0.1, 0.01])


def kept(program: MixedProgram, x: Any, gain: GainFactor) -> bool:
    """Return True if all rows keep the levels of the gain."""
    cover, packing = gain.cover * program.demand, gain.packing * program.capacity
    return bool(
        (program.cover @ x >= cover * (1 - 1e-8)).all()
        and (program.packing @ x <= packing * (1 + 1e-8)).all()
    )


def check(program: MixedProgram, point: Floats, gain: GainFactor) -> None:
    found = derandomize(program, point, gain)
    assert (found.x is None) == (found.reason is not None) == (found.rows >= 1)
    if found.x is not None:
        mean = gain.factor * float(program.cost @ point)
        assert kept(program, found.x, gain)
        assert program.cost @ found.x <= found.cost * mean * (1 + 1e-8) + 1e-9
        assert (np.abs(found.x - gain.factor * point) < 1 + 1e-9).all()


@given(mixed_programs(), DELTAS, st.sampled_from(["packing", "covering"]))
def test_what_a_met_theorem_grants_is_kept_surely(case: Any, delta: float, favours: Any) -> None:
    program, point = case
    for gain in (
        chernoff_gain(program.widths, delta, favours),
        printed_gain(program.widths, delta, favours),
    ):
        check(program, point, gain)
        found = derandomize(program, point, gain)
        if gain.unmet is None:
            assert found.rows <= 2 * delta / 3 + 1e-9
            assert found.cost * gain.factor <= gain.cost * (1 + 1e-9)


@given(mixed_programs(), DELTAS, st.sampled_from([0.4, 0.8, 1.0, 1.3]))
def test_any_factor_is_kept_or_refused(case: Any, delta: float, factor: float) -> None:
    program, point = case
    check(program, point, chosen_gain(program.widths, delta, factor))


@given(mixed_programs())
def test_the_estimate_is_above_the_exact_probability(case: Any) -> None:
    program, point = case
    gain = chosen_gain(program.widths, 0.5, 0.8)
    exact = sum(p for x, p in roundings(gain.factor * point) if not kept(program, x, gain))
    assert derandomize(program, point, gain).rows >= exact - 1e-6


def test_a_row_whose_mean_is_at_its_level_is_refused() -> None:
    program = MixedProgram(
        cost=np.ones(2),
        cover=np.ones((1, 2)),
        demand=np.ones(1),
        packing=np.zeros((0, 2)),
        capacity=np.zeros(0),
    )
    gain = printed_gain(program.widths, 0.5, "covering")
    exact = GainFactor(form="chernoff", factor=1.0, delta=0.5, cover=1.0, packing=1.0)
    assert derandomize(program, np.array([0.5, 0.5]), gain).x is not None
    refused = derandomize(program, np.array([0.5, 0.5]), exact)
    assert refused.x is None
    assert "not < 1" in (refused.reason or "")


def test_a_whole_point_that_does_not_fit_is_refused() -> None:
    program = placement()
    gain = GainFactor(form="chernoff", factor=1.0, delta=0.5, cover=1.0, packing=1.0)
    assert derandomize(program, np.full(16, 30.0), gain).x is None
    assert derandomize(program, np.zeros(16), gain).x is None


def test_cover_is_not_bought_at_any_price() -> None:
    # Every column up would help the cover row, and cost twice the mean.
    program = MixedProgram(
        cost=np.ones(20),
        cover=np.ones((1, 20)),
        demand=np.array([10.0]),
        packing=np.zeros((0, 20)),
        capacity=np.zeros(0),
    )
    found = derandomize(
        program,
        np.full(20, 0.5),
        GainFactor(form="chernoff", factor=1, delta=0.5, cover=0.4, packing=1),
    )
    assert found.x is not None
    assert 4 <= found.x.sum() <= 10 / (1 - found.rows) < 12


def test_a_placement_wide_enough_is_rounded_below_three_over_delta() -> None:
    program = placement(45.0)
    point = np.concatenate([np.full(8, 5.7), np.full(8, 1.9)])
    gain = chosen_gain(program.widths, 0.5, 1.0)
    found = derandomize(program, point, gain)
    assert found.x is not None
    assert kept(program, found.x, gain)
    assert found.cost == pytest.approx(1 / (1 - found.rows))
    assert program.cost @ found.x < 1.1 * (program.cost @ point)
