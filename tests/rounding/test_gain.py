"""Gain factors: their equations, their hypotheses, and the two forms side by side."""

from decimal import Decimal, localcontext
from math import exp, expm1, log, log1p
from sys import float_info
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounding.mixed_programs import DELTAS, SIDES, widths_of
from scipy.optimize import brentq

from ringyard.instances import InputError
from ringyard.rounding.gain import chernoff_gain, chosen_gain, levels, means, printed_gain
from ringyard.rounding.program import Widths

WIDE = st.floats(0.05, 1e4)
WIDTHS = st.builds(widths_of, WIDE, WIDE, st.integers(1, 9), st.integers(1, 999))


# Lambert against a root finder.


@given(st.floats(1e-6, 500))
def test_means_solve_the_tail_equation(y: float) -> None:
    below, above = means(y)
    found = brentq(lambda u: expm1(u) - u - y, 1e-9, log1p(y) + 2, xtol=1e-13)
    assert above == pytest.approx(exp(found), rel=1e-6)
    found = brentq(lambda u: expm1(u) - u - y, -y - 2, -1e-9, xtol=1e-13)
    assert below == pytest.approx(exp(found), rel=1e-6)


@given(st.floats(1e-6, 1e4))
def test_levels_solve_the_tail_equation(y: float) -> None:
    def tail(q: float) -> float:
        return q * log(q) - q + 1 - y

    below, above = levels(y)
    assert above == pytest.approx(brentq(tail, 1, y + 5), rel=1e-6)
    if y < 0.999:
        assert below == pytest.approx(brentq(tail, 1e-300, 1), rel=1e-6, abs=1e-12)
    elif y >= 1:
        assert below == 0


@given(st.floats(1e-15, 1e4))
def test_the_roots_are_on_the_safe_side(y: float) -> None:
    """Beyond means and levels tails are at most as thick as said, in eighty digits."""
    with localcontext(prec=80):
        for root in map(Decimal, means(y)):
            assert root - 1 - root.ln() >= Decimal(y) or root == Decimal(float_info.min)
        for root in map(Decimal, levels(y)):
            assert root == 0 or root * root.ln() - root + 1 >= Decimal(y)


@given(WIDTHS, DELTAS, st.floats(0.01, 5))
def test_what_a_gain_grants_is_rounded_outward(w: Widths, delta: float, factor: float) -> None:
    """The exact tail at the levels, as parts of the means, is below each row's part of delta."""
    gain = chosen_gain(w, delta, factor)
    shares = (
        (gain.cover, w.cover, w.cover_rows),
        (gain.packing, w.packing, w.packing_rows),
    )
    for level, width, rows in shares:
        with localcontext(prec=80):
            mean = Decimal(factor) * Decimal(width)
            q = Decimal(level) / Decimal(factor)
            exponent = mean * (q * q.ln() - q + 1) if q else mean
            needed = (3 * rows / Decimal(repr(delta))).ln()
            assert q == 0 or exponent >= needed
    assert Decimal(gain.cost) * Decimal(repr(delta)) >= 3 * Decimal(factor)


def test_no_deviation_is_no_gain() -> None:
    assert means(0.0) == levels(0.0) == (1, 1)


@given(WIDTHS, DELTAS)
def test_the_printed_factors_solve_the_equations_they_come_from(w: Widths, delta: float) -> None:
    g = printed_gain(w, delta, "packing").factor
    assert (1 / g - 1) ** 2 * g * w.packing / 3 == pytest.approx(log(3 * w.packing_rows / delta))
    g = printed_gain(w, delta, "covering").factor
    assert (1 - 1 / g) ** 2 * g * w.cover / 2 == pytest.approx(log(3 * w.cover_rows / delta))


@given(WIDTHS, DELTAS)
def test_the_printed_levels_solve_the_equations_they_come_from(w: Widths, delta: float) -> None:
    gain = printed_gain(w, delta, "covering")
    above = gain.packing / gain.factor - 1
    logs = log(3 * w.packing_rows / delta)
    assert above**2 * gain.factor * w.packing / 3 == pytest.approx(logs)
    gain = printed_gain(w, delta, "packing")
    below = 1 - gain.cover / gain.factor
    logs = log(3 * w.cover_rows / delta)
    if gain.cover_unmet is None:
        assert below**2 * gain.factor * w.cover / 2 == pytest.approx(logs)
    else:
        assert gain.cover == 0


@given(WIDTHS, DELTAS)
def test_the_chernoff_cover_factor_is_never_larger_than_the_printed_one(
    w: Widths, delta: float
) -> None:
    ours, printed = (form(w, delta, "covering") for form in (chernoff_gain, printed_gain))
    assert 1 <= ours.factor <= printed.factor * (1 + 1e-12)
    assert ours.cover == 1
    assert chosen_gain(w, delta, ours.factor).cover == pytest.approx(1)


@given(WIDTHS, DELTAS)
def test_the_chernoff_packing_factor_is_larger_from_2_56_logs_on(w: Widths, delta: float) -> None:
    ours, printed = (form(w, delta, "packing") for form in (chernoff_gain, printed_gain))
    assert ours.packing == 1
    assert chosen_gain(w, delta, ours.factor).packing == pytest.approx(1)
    logs = w.packing / log(3 * w.packing_rows / delta)
    if logs > 2.561:
        assert printed.factor <= ours.factor <= 1
    if logs < 2.559:
        assert printed.factor > ours.factor


@given(WIDTHS, DELTAS, st.floats(1.01, 50), SIDES)
def test_wider_rows_and_larger_delta_bring_factors_nearer_to_one(
    w: Widths, delta: float, more: float, favours: Any
) -> None:
    sign = 1 if favours == "packing" else -1
    wider = widths_of(w.cover * more, w.packing * more, w.cover_rows, w.packing_rows)
    for form in (chernoff_gain, printed_gain):
        here = sign * form(w, delta, favours).factor
        assert sign * form(wider, delta, favours).factor >= here - 1e-12
        assert sign * form(w, min(0.999, delta * more), favours).factor >= here - 1e-12


@pytest.mark.parametrize(("share", "met"), [(1 + 1e-9, True), (1 - 1e-9, False)])
def test_the_printed_packing_form_starts_at_a_gain_of_one_half(share: float, met: bool) -> None:
    w = widths_of(1e6, 6 * log(3 * 401 / 0.1) * share)
    gain = printed_gain(w, 0.1, "packing")
    assert gain.factor == pytest.approx(0.5)
    assert (gain.unmet is None) == met


def test_every_hypothesis_is_named() -> None:
    tight = widths_of(2.0, 2.0)
    assert printed_gain(tight, 0.1, "packing").unmet == (
        "W_b >= 6 ln(3r/delta), and 2 < 56.37; G W_a >= 2 ln(3m/delta), and 0.1248 < 8.189"
    )
    assert (
        printed_gain(tight, 0.1, "covering").unmet == "G W_b >= 3 ln(3r/delta), and 11.85 < 28.19"
    )
    assert chernoff_gain(tight, 0.1, "packing").unmet is None
    assert chernoff_gain(tight, 0.1, "packing").cover == 0


def test_cost_is_three_gains_over_delta() -> None:
    assert chosen_gain(widths_of(5, 5), 0.3, 2.0).cost == pytest.approx(20)


@pytest.mark.parametrize("delta", [0.0, 1.0, -1.0, float("nan")])
def test_a_delta_that_is_no_probability_is_refused(delta: float) -> None:
    for make in (chernoff_gain, printed_gain):
        with pytest.raises(InputError, match="delta"):
            make(widths_of(1, 1), delta, "packing")


def test_a_factor_of_zero_is_refused() -> None:
    with pytest.raises(InputError, match="factor"):
        chosen_gain(widths_of(1, 1), 0.1, 0.0)
