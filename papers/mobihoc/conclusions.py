"""What the paper concludes from its Figure 4, and what the runs under a model say about it.

A conclusion says that one policy does better than another. It is judged by the ratio of the two
on the same seeds, its geometric mean with a 95 % interval: it *holds* if the interval lies below
1, is *reversed* if it lies above, and *open* otherwise.
"""

from dataclasses import dataclass
from itertools import pairwise

from ...analysis.intervals import Interval, paired_ratio, student
from ...analysis.rows import Row
from .models import Model
from .paper_numbers import FIGURES as PAPER
from .paper_numbers import READING

BEST = "our best"
HOLDS, OPEN, REVERSED = "holds", "open", "reversed"
MEASURES = {"makespan": "objective", "mean completion": "mean_end"}
"""What the paper measures, and its key in a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A conclusion of the paper: by this measure, one policy is better than another."""

    measure: str
    better: str
    worse: str

    def __str__(self) -> str:
        """Say it in short."""
        return f"{self.better} before {self.worse} ({self.measure})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A model with its rows, by policy and seed, and the certified bound of each seed."""

    model: Model
    rows: dict[str, list[Row]]
    bounds: list[float]

    def over_bound(self, name: str) -> Interval:
        """Return the makespan of a policy over the bound."""
        values = self._values(name, "makespan")
        return student([value / bound for value, bound in zip(values, self.bounds, strict=True)])

    def ratio(self, claim: Claim) -> Interval:
        """Return what is claimed to be better over what is claimed to be worse."""
        better, worse = (self._values(name, claim.measure) for name in (claim.better, claim.worse))
        return paired_ratio(better, worse)

    def verdict(self, claim: Claim) -> str:
        """Say what the interval of the ratio says about a conclusion."""
        ratio = self.ratio(claim)
        return HOLDS if ratio.high < 1 else REVERSED if ratio.low > 1 else OPEN

    def _values(self, name: str, measure: str) -> list[float]:
        return [float(row[MEASURES[measure]]) for row in self.rows[name]]


def claims() -> list[Claim]:
    """Return who follows whom in the paper, where its plots tell the two apart."""
    found = []
    for i, measure in enumerate(MEASURES):
        read = {name: both[i] or 0 for (name,), both in PAPER[4].items()}
        for better, worse in pairwise(sorted(read, key=lambda name: read[name])):
            if read[worse] - read[better] > 2 * READING:
                found.append(Claim(measure=measure, better=better, worse=worse))
    return found
