"""The orders that Figures 4-7 of the paper on SJF-BCO show, and whether rows have them, too."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

from ...analysis.intervals import Interval, paired_ratio
from ...analysis.rows import Row
from ..compared import HOLDS, OPEN, REVERSED
from .conditions import Place
from .paper_numbers import FIGURES, MEASURES, READING

CLEAR = 0.01
"""A ratio has to be so far below 1; where the paper has two values alike, no farther above it."""

LEAST, BESIDE = ("8",), ("4",)
"""The kappa that is least in the paper's plot, and the one that cannot be told from it."""

RecheckedPoint = Mapping[Place, Sequence[Row]]
"""The rows of every point, one for each seed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureOrder:
    """In the paper's plot, one point lies below another; or not above it, where they are alike."""

    figure: int
    better: tuple[str, ...]
    worse: tuple[str, ...]
    measure: str
    alike: bool = False

    @property
    def name(self) -> str:
        """Say it in short."""
        sign = "<=" if self.alike else "<"
        less, more = (" ".join(one) for one in (self.better, self.worse))
        about = ", completion" if self.measure != "makespan" else ""
        return f"Figure {self.figure}: {less} {sign} {more}{about}"

    @property
    def paper(self) -> float:
        """Return the paper's ratio."""
        return self._read(self.better) / self._read(self.worse)

    def _read(self, point: tuple[str, ...]) -> float:
        return _number(self.figure, point, self.measure)

    def ratio(self, looked: RecheckedPoint) -> Interval:
        """Return what should be better over what should be worse, over the seeds."""
        return paired_ratio(*(self._values(looked, one) for one in (self.better, self.worse)))

    def _values(self, looked: RecheckedPoint, point: tuple[str, ...]) -> list[float]:
        return [float(row[MEASURES[self.measure]]) for row in looked[self.figure, *point]]

    def holds(self, ratio: float) -> bool:
        """Say whether a ratio is clearly on the paper's side."""
        return ratio <= (1 + CLEAR if self.alike else 1 - CLEAR)

    def verdict(self, ratio: Interval) -> str:
        """Say what an interval of the ratio says."""
        if self.alike:
            return HOLDS if ratio.low <= 1 + CLEAR else REVERSED
        return HOLDS if ratio.high < 1 else REVERSED if ratio.low > 1 else OPEN


def figure_orders() -> list[FigureOrder]:
    """Return which points of a figure follow each other, where the plots tell them apart."""
    found = [
        FigureOrder(figure=figure, better=better, worse=worse, measure=measure)
        for figure in FIGURES
        for measure in MEASURES
        for better, worse in permutations(_points(figure, measure), 2)
        if _follows(figure, better, worse, measure)
    ]
    beside = FigureOrder(figure=5, better=LEAST, worse=BESIDE, measure="makespan", alike=True)
    return sorted([*found, beside], key=lambda one: one.figure)


def held(looked: RecheckedPoint, orders: Sequence[FigureOrder]) -> frozenset[str]:
    """Return the orders that rows have, by geometric means over their seeds."""
    return frozenset(one.name for one in orders if one.holds(one.ratio(looked).mean))


def _points(figure: int, measure: str) -> list[tuple[str, ...]]:
    """Return the points that have a number; kappa 10 and 20 servers are looked at elsewhere."""
    index = list(MEASURES).index(measure)
    left = {5: ("10",), 6: ("20",)}
    return [
        point
        for point, numbers in FIGURES[figure].items()
        if numbers[index] is not None and point[:1] != left.get(figure)
    ]


def _number(figure: int, point: tuple[str, ...], measure: str) -> float:
    return float(FIGURES[figure][point][list(MEASURES).index(measure)] or 0)


def _follows(figure: int, better: tuple[str, ...], worse: tuple[str, ...], measure: str) -> bool:
    """Say whether nothing that can be told from both lies between two points of a place."""
    if better[:-1] != worse[:-1]:
        return False

    def below(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
        gap = _number(figure, other, measure) - _number(figure, one, measure)
        return one[:-1] == other[:-1] and gap > 2 * READING

    others = _points(figure, measure)
    between = any(below(better, one) and below(one, worse) for one in others)
    return below(better, worse) and not between


class HeldAt(NamedTuple):
    """What holds at a point: by the means over its seeds, and for each seed alone."""

    means: frozenset[str]
    draws: tuple[frozenset[str], ...]


def held_at(looked: RecheckedPoint, orders: Sequence[FigureOrder]) -> HeldAt:
    """Return what holds over all seeds and for each alone."""
    seeds = len(next(iter(looked.values())))
    alone = ({key: [rows[s]] for key, rows in looked.items()} for s in range(seeds))
    return HeldAt(held(looked, orders), tuple(held(one, orders) for one in alone))
