"""Checks of random rounding against its theorems.

Every statement is checked against its part of delta: a third for each of cost, cover and packing,
and delta for all three together. The verdict is ``holds`` if the upper limit at 99 % is at most
that part, ``violated`` if the lower limit is above it, and otherwise ``inconclusive``. It is
``hypothesis not met: ...`` if the theorem does not apply.
"""

from dataclasses import dataclass

from ...analysis.intervals import clopper_pearson
from ...rounding.gain import GainFactor
from ...rounding.randomized import Trial

LEVEL = 0.99


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A guarantee of a gain: its observed failures, and limits on their probability."""

    what: str
    failures: int
    draws: int
    stated: float
    low: float
    high: float
    verdict: str


def statements(trial: Trial, gain: GainFactor) -> tuple[Statement, ...]:
    """Check the frequencies of a trial against its gain."""
    third = gain.delta / 3
    return (
        _statement("cost", trial.cost, trial.draws, third, None),
        _statement("cover", trial.cover, trial.draws, third, gain.cover_unmet),
        _statement("packing", trial.packing, trial.draws, third, gain.packing_unmet),
        _statement("all", trial.any, trial.draws, gain.delta, gain.unmet),
    )


def _statement(what: str, failures: int, draws: int, stated: float, unmet: str | None) -> Statement:
    low, high = clopper_pearson(failures, draws, LEVEL)
    if unmet:
        verdict = f"hypothesis not met: {unmet}"
    elif high <= stated:
        verdict = "holds"
    else:
        verdict = "violated" if low > stated else "inconclusive"
    return Statement(
        what=what,
        failures=failures,
        draws=draws,
        stated=stated,
        low=low,
        high=high,
        verdict=verdict,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundingRow:
    """One statement about one gain on one program, with its frequencies."""

    instance: str
    job: str
    gain: GainFactor
    favours: str
    widths: tuple[float, float]
    """W_a and W_b."""
    statement: Statement
    usable: float
    """Part of the draws that keep every row as it is."""
    cost_factors: tuple[float, ...]
    """Cost over the relaxation's cost at the quantiles 0.5, 0.9, 0.99 and 1."""

    @property
    def broken(self) -> bool:
        """True if something that is proved fails beyond doubt."""
        return self.statement.verdict == "violated"
