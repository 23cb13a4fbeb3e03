"""Exact probabilities of failure against what gain factors claim, and where the claims break."""

from fractions import Fraction
from math import comb, exp, inf, log, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounding.mixed_programs import DELTAS, SIDES, Floats, mixed_programs, roundings, widths_of
from scipy.stats import binom, poisson

from ringyard.rounding.gain import GainFactor, chernoff_gain, chosen_gain, printed_gain
from ringyard.rounding.program import MixedProgram, Widths


def failing(program: MixedProgram, point: Floats, gain: GainFactor) -> tuple[float, Floats, Floats]:
    """Return the exact probabilities that cost, cover rows and packing rows fail."""
    cost, cover, packing = 0.0, np.zeros(program.demand.size), np.zeros(program.capacity.size)
    limit = gain.cost * float(program.cost @ point) + 1e-9
    for x, chance in roundings(gain.factor * point):
        cost += chance * (program.cost @ x > limit)
        cover += chance * (program.cover @ x < gain.cover * program.demand - 1e-9)
        packing += chance * (program.packing @ x > gain.packing * program.capacity + 1e-9)
    return cost, cover, packing


@given(mixed_programs(), DELTAS, st.sampled_from([0.3, 0.7, 1.0, 1.4]))
def test_every_row_of_small_programs_fails_as_rarely_as_claimed(
    case: Any, delta: float, factor: float
) -> None:
    program, point = case
    w = program.widths
    gains = [chosen_gain(w, delta, factor)]
    for favours in ("packing", "covering"):
        gains += [chernoff_gain(w, delta, favours), printed_gain(w, delta, favours)]
    for gain in gains:
        cost, cover, packing = failing(program, point, gain)
        assert cost <= delta / 3
        if gain.cover_unmet is None:
            assert (cover <= delta / 3 / max(1, program.demand.size) + 1e-12).all()
        if gain.packing_unmet is None:
            assert (packing <= delta / 3 / max(1, program.capacity.size) + 1e-12).all()


def tails(w: Widths, gain: GainFactor, columns: int) -> tuple[float, float]:
    """Return the exact failure of a cover and of a packing row of ones, equal columns."""
    short = binom.cdf(np.ceil(gain.cover * w.cover - 1e-9) - 1, columns, p(gain, w.cover, columns))
    over = binom.sf(np.floor(gain.packing * w.packing + 1e-9), columns, p(gain, w.packing, columns))
    return float(short), float(over)


def p(gain: GainFactor, width: float, columns: int) -> float:
    return min(1.0, gain.factor * width / columns)


@given(
    st.sampled_from([0.5, 1, 2, 4, 7.5, 15, 40, 57, 120, 300]),
    st.sampled_from([0.5, 1, 2, 4, 7.5, 15, 40, 57, 120, 300]),
    st.sampled_from([1, 3, 401]),
    DELTAS,
    SIDES,
)
def test_binomial_rows_fail_as_rarely_as_claimed(
    cover: float, packing: float, r: int, delta: float, favours: Any
) -> None:
    w = widths_of(cover, packing, r=r)
    for gain in (chernoff_gain(w, delta, favours), printed_gain(w, delta, favours)):
        columns = int(5000 * max(1, gain.factor))
        short, over = tails(w, gain, columns)
        assert gain.cover_unmet or short <= delta / 3 / w.cover_rows + 1e-12
        assert gain.packing_unmet or over <= delta / 3 / r + 1e-12


def test_the_printed_factor_breaks_its_promise_on_one_row() -> None:
    # One row x_1 + ... + x_100 <= 1, all columns equal: two go up more often than 1 in 10,000.
    w, delta = widths_of(inf, 1.0, m=0, r=1), 1e-4
    printed, ours = (form(w, delta, "packing") for form in (printed_gain, chernoff_gain))
    assert "W_b >= 6 ln(3r/delta)" in (printed.unmet or "")
    assert tails(w, printed, 100)[1] > 4 * delta
    assert tails(w, ours, 100)[1] < delta / 3


def test_the_printed_factor_breaks_its_claim_on_machines_with_four_gpus() -> None:
    """With 100 machines of four resources, r = 401, delta = 0.1: a row fails 1.23 times as often.

    The row is x_1 + ... + x_1000 <= 4, all columns equal. It fails if five or more go up, each with
    probability 4 G / 1000, where 1/G = 1 + k + sqrt(k^2 + 2 k) with k = 3 ln(3 r / delta) / 8.
    """
    k = 3 * log(3 * 401 / 0.1) / 8
    up = Fraction(4, 1000) / Fraction(1 + k + sqrt(k * k + 2 * k))
    most_four = sum(comb(1000, i) * up**i * (1 - up) ** (1000 - i) for i in range(5))
    times = (1 - most_four) / (Fraction(1, 10) / 3 / 401)
    assert Fraction("1.2335") < times < Fraction("1.2345")
    w = widths_of(inf, 4.0, m=0)
    printed = printed_gain(w, 0.1, "packing")
    assert printed.packing_unmet == "W_b >= 6 ln(3r/delta), and 4 < 56.37"
    assert tails(w, printed, 1000)[1] == pytest.approx(float(times) * 0.1 / 3 / 401, rel=1e-9)
    # With machines of two, and rows that share no column, so do all of them together.
    w = widths_of(inf, 2.0, m=0)
    over = tails(w, printed_gain(w, 0.1, "packing"), 1000)[1]
    assert 1 - (1 - over) ** 401 > 0.1


@pytest.mark.parametrize(("share", "breaks"), [(2.4, True), (2.56, False)])
def test_from_2_56_logs_on_the_printed_factor_keeps_its_promise_and_not_before(
    share: float, breaks: bool
) -> None:
    # Poisson rows are the limit of many equal columns.
    logs = 400.0
    w = widths_of(inf, round(share * logs), m=0, r=1)
    gain = printed_gain(w, 3 * exp(-logs), "packing")
    assert (poisson.logsf(w.packing, gain.factor * w.packing) > -logs) == breaks
