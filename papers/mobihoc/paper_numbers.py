"""What the SJF-BCO paper (arXiv 2207.07817) shows in its Figures 4-7, and concludes from them.

Each number may be off by `READING` slots. A point is named by its figure's labels; it has the
makespan and, in Figure 4, the average job completion time.
A conclusion says that one policy does better than another. It is judged by the ratio of the two
on the same seeds, its geometric mean with a 95 % interval: it *holds* if the interval lies below
1, is *reversed* if it lies above, and *open* otherwise.
"""

from dataclasses import dataclass
from itertools import pairwise

from ...analysis.intervals import Interval
from ..study import HOLDS, OBJECTIVE, OPEN, REVERSED, Compared

READING = 10
"""How far a number may be from the paper's, in slots."""

Point = tuple[str, ...]

FIGURES: dict[int, dict[Point, tuple[int, int | None]]] = {
    4: {
        ("SJF-BCO",): (535, 180),
        ("LS",): (595, 185),
        ("FF",): (720, 450),
        ("RAND",): (1130, 260),
    },
    5: {
        ("1",): (626, None),
        ("2",): (565, None),
        ("4",): (541, None),
        ("8",): (535, None),
        ("10",): (700, None),
        ("16",): (750, None),
        ("32",): (737, None),
    },
    6: {
        ("10", "SJF-BCO"): (940, None),
        ("10", "LS"): (1160, None),
        ("10", "FF"): (1410, None),
        ("10", "RAND"): (1490, None),
        ("15", "SJF-BCO"): (715, None),
        ("15", "LS"): (870, None),
        ("15", "FF"): (965, None),
        ("15", "RAND"): (1265, None),
        ("20", "SJF-BCO"): (535, None),
        ("20", "LS"): (595, None),
        ("20", "FF"): (720, None),
        ("20", "RAND"): (1130, None),
    },
    7: {
        ("1",): (1042, None),
        ("2",): (882, None),
        ("4",): (730, None),
        ("8",): (537, None),
    },
}
"""Makespan and average completion by figure and point; None where the paper shows none."""


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
        read = {name: both[i] or 0 for (name,), both in FIGURES[4].items()}
        for better, worse in pairwise(sorted(read, key=lambda name: read[name])):
            if read[worse] - read[better] > 2 * READING:
                found.append(Conclusion(measure=measure, better=better, worse=worse))
    return found
