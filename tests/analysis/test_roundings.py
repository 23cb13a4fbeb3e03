"""Verdicts on rounding theorems, and the limits of Clopper and Pearson behind them."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binom

from ringyard.analysis.intervals import clopper_pearson
from ringyard.campaigns.verifying.roundings import statements
from ringyard.rounding.gain import GainFactor, chernoff_gain, chosen_gain, printed_gain
from ringyard.rounding.program import MixedProgram
from ringyard.rounding.randomized import Trial, run_trial

LEVELS = st.sampled_from([0.9, 0.99])


@given(st.integers(0, 300), st.integers(1, 300), LEVELS)
def test_limits_are_where_the_exact_tails_are(failures: int, rest: int, level: float) -> None:
    low, high = clopper_pearson(failures, failures + rest, level)
    assert binom.cdf(failures, failures + rest, high) == pytest.approx(1 - level)
    if failures:
        assert binom.sf(failures - 1, failures + rest, low) == pytest.approx(1 - level)
        assert low == pytest.approx(beta.ppf(1 - level, failures, rest + 1))


def test_limits_at_the_ends_by_hand() -> None:
    # No failure in n draws: (1 - p)^n = 0.01.
    low, high = clopper_pearson(0, 10_000)
    assert (low, high) == (0, pytest.approx(1 - 0.01**1e-4))
    assert clopper_pearson(10_000, 10_000) == (pytest.approx(0.01**1e-4), 1)


@pytest.mark.parametrize("chance", [0.002, 0.1, 0.5])
def test_limits_cover_as_often_as_promised(chance: float) -> None:
    # Exact coverage: every possible count, weighted by its probability.
    counts = np.arange(201)
    limits = np.array([clopper_pearson(int(k), 200, 0.99) for k in counts])
    weights = binom.pmf(counts, 200, chance)
    assert weights[limits[:, 1] < chance].sum() <= 0.01
    assert weights[limits[:, 0] > chance].sum() <= 0.01


def crowd(rows: int, capacity: float, columns: int = 20) -> tuple[MixedProgram, Any]:
    """Return rows that share no column, all columns equal, and a point that fills them."""
    packing = np.kron(np.eye(rows), np.ones(columns))
    program = MixedProgram(
        cost=np.ones(rows * columns),
        cover=np.ones((1, rows * columns)),
        demand=np.array([rows * capacity]),
        packing=packing,
        capacity=np.full(rows, capacity),
    )
    return program, np.full(rows * columns, capacity / columns)


def verdicts(program: MixedProgram, point: Any, gain: GainFactor) -> dict[str, str]:
    trial = run_trial(program, point, gain, np.random.default_rng(0))
    return {one.what: one.verdict for one in statements(trial, gain)}


def test_a_theorem_whose_hypotheses_are_met_holds() -> None:
    program, point = crowd(3, 50.5, columns=200)
    for gain in (
        printed_gain(program.widths, 0.1, "packing"),
        chernoff_gain(program.widths, 0.1, "packing"),
        chernoff_gain(program.widths, 0.1, "covering"),
        chosen_gain(program.widths, 0.1, 1.0),
    ):
        assert gain.unmet is None
        assert set(verdicts(program, point, gain).values()) == {"holds"}


def test_outside_its_hypotheses_a_theorem_does_not_hold_whatever_was_counted() -> None:
    program, point = crowd(10, 1.0)
    gain = printed_gain(program.widths, 0.01, "packing")
    trial = run_trial(program, point, gain, np.random.default_rng(0))
    packing = statements(trial, gain)[2]
    assert packing.low > packing.stated
    assert packing.verdict == "hypothesis not met: W_b >= 6 ln(3r/delta), and 1 < 48.04"
    # The same gain, blind to its hypotheses, is caught.
    blind = GainFactor(form="printed", factor=gain.factor, delta=0.01, cover=0.0, packing=1.0)
    assert verdicts(program, point, blind)["packing"] == "violated"
    ours = chernoff_gain(program.widths, 0.01, "packing")
    assert verdicts(program, point, ours)["packing"] == "holds"


@pytest.mark.parametrize(
    ("failures", "draws", "verdict"),
    [
        (0, 10_000, "holds"),
        (0, 10, "inconclusive"),
        (330, 10_000, "inconclusive"),
        (400, 10_000, "violated"),
    ],
)
def test_words_follow_the_limits(failures: int, draws: int, verdict: str) -> None:
    gain = GainFactor(form="chernoff", factor=1.0, delta=0.1, cover=1.0, packing=1.0)
    trial = Trial(
        draws=draws,
        cost=failures,
        cover=0,
        packing=0,
        any=failures,
        usable=draws,
        cost_factors=(1.0,) * 4,
    )
    assert statements(trial, gain)[0].verdict == verdict
