"""What the paper concludes from its Figure 4, and what the runs under a model say about it.

A conclusion says that one policy does better than another. It is judged by the ratio of the two
on the same seeds, its geometric mean with a 95 % interval: it *holds* if the interval lies below
1, is *reversed* if it lies above, and *open* otherwise.
"""

from dataclasses import dataclass
from itertools import pairwise

from ...analysis.intervals import Interval
from ..compared import HOLDS, OBJECTIVE, OPEN, REVERSED, Compared
from .paper_numbers import FIGURES as PAPER
from .paper_numbers import READING

MEASURES = {"makespan": OBJECTIVE, "mean completion": "mean_end"}
"""What the paper measures, and its key in a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """A conclusion of the paper: by this measure, one policy is better than another."""

    measure: str
    better: str
    worse: str

    def __str__(self) -> str:
        """Say it in short."""
        return f"{self.better} before {self.worse} ({self.measure})"

    def ratio(self, one: Compared) -> Interval:
        """Return what is claimed to be better over what is claimed to be worse."""
        return one.ratio(self.better, self.worse, MEASURES[self.measure])

    def verdict(self, one: Compared) -> str:
        """Say what the interval of the ratio says."""
        ratio = self.ratio(one)
        return HOLDS if ratio.high < 1 else REVERSED if ratio.low > 1 else OPEN


def claims() -> list[Conclusion]:
    """Return who follows whom in the paper, where its plots tell the two apart."""
    found = []
    for i, measure in enumerate(MEASURES):
        read = {name: both[i] or 0 for (name,), both in PAPER[4].items()}
        for better, worse in pairwise(sorted(read, key=lambda name: read[name])):
            if read[worse] - read[better] > 2 * READING:
                found.append(Conclusion(measure=measure, better=better, worse=worse))
    return found
