"""The ratios that the Tiresias paper gives, compared with ours."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...analysis.intervals import Interval
from ..compared import HOLDS, OPEN, REVERSED, Compared
from .methods import BASE, MEAN, MEDIAN, TAIL
from .mixes import TESTBED, TRACE
from .numbers import TESTBED as PAPER
from .numbers import TESTBED_RATIOS
from .numbers import TRACE as PAPER_TRACE

OTHER = "differs"
"""What is said where two are equally good in the paper, and not here."""

NEAR = 0.05
"""Ratios of the paper that are closer to 1 say that two are equally good."""

MEASURES = {"mean": MEAN, "median": MEDIAN, "95th percentile": TAIL}


@dataclass(frozen=True, slots=True, kw_only=True)
class Direction:
    """A ratio that the paper gives, and the same here."""

    mix: str
    name: str
    measure: str
    paper: float
    here: Interval

    @property
    def verdict(self) -> str:
        """Say whether the paper's direction comes out again."""
        if abs(self.paper - 1) <= NEAR:
            return HOLDS if self.here.low <= 1 + NEAR and self.here.high >= 1 - NEAR else OTHER
        if self.here.low <= 1 <= self.here.high:
            return OPEN
        return HOLDS if (self.here.low > 1) == (self.paper > 1) else REVERSED


def directions(found: Mapping[str, Compared]) -> Iterator[Direction]:
    """Yield everything of which the paper gives a ratio."""
    for mix, numbers in ((TESTBED, TESTBED_RATIOS), (TRACE, PAPER_TRACE)):
        for name, ratios in numbers.items():
            for measure, paper in zip(MEASURES, ratios, strict=False):
                here = found[mix].ratio(name, BASE, MEASURES[measure])
                yield Direction(mix=mix, name=name, measure=measure, paper=paper, here=here)
    for measure, column in (("makespan", "makespan_s"), ("waiting", "mean_waiting_s")):
        paper = PAPER["YARN-CS"][column] / PAPER[BASE][column]
        here = found[TESTBED].ratio("YARN-CS", BASE, column)
        yield Direction(mix=TESTBED, name="YARN-CS", measure=measure, paper=paper, here=here)
