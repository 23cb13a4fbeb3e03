"""Check random rounding against the statements about it.

Every statement is checked against its own part of delta: a third for cost, cover and packing, all
of it for the three together. The verdict words are ``holds`` if the upper limit at 99 % is at
most that part, ``violated`` if the lower one is above it, ``inconclusive`` between; and
``hypothesis not met: ...`` where the theorem says nothing, whatever was counted.
"""

from dataclasses import dataclass

from ...analysis.intervals import clopper_pearson
from ...rounding.gain import GainFactor
from ...rounding.randomized import Trial

LEVEL = 0.99


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One promise of a gain: how often it was false, and the limits of its true probability."""

    what: str
    failures: int
    draws: int
    stated: float
    low: float
    high: float
    verdict: str


def statements(trial: Trial, gain: GainFactor) -> tuple[Statement, ...]:
    """Check the counts of a trial against the gain it was made with."""
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
    """One statement about one gain on one program, with what was counted."""

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
    """Cost over that of the relaxation at the quantiles 0.5, 0.9, 0.99 and 1."""

    @property
    def broken(self) -> bool:
        """True if something that is proved fails beyond doubt."""
        return self.statement.verdict == "violated"
