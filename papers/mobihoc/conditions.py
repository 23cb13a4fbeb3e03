"""Conditions that the paper on SJF-BCO leaves open, and the orders of its Figures 4-7."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from itertools import permutations, product
from typing import Any, NamedTuple

from ...analysis.intervals import Interval, paired_ratio
from ...analysis.rows import Row
from ...campaigns.runs import Run
from ...instances import MakespanInstance
from ...instances.generate import generate
from ..study import HOLDS, OPEN, POLICIES, REVERSED
from .figures import MEASURES, PAPER, READING


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """A model of contention and overhead, with a law of execution times."""

    name: str
    transfer: str | None = None
    """Seconds that a ring transfers, alone, for each second it computes.

    None is 15 % of an iteration minus the overhead, in the worst case.
    """
    share: str = "1"
    degradation: str = "0"
    overhead_ms: str = "0.02"
    once: bool = False
    """True if the overhead comes once, not for each server."""
    least: int = 50
    """Slots of the shortest job on its fastest servers. The longest has 300."""
    floor: bool = False
    """True if a slot has whole iterations only."""

    @property
    def options(self) -> dict[str, Any]:
        """Return the options of the generator."""
        return {
            "communication": None if self.transfer is None else Decimal(self.transfer),
            "share": Decimal(self.share),
            "degradation": Decimal(self.degradation),
            "overhead_s": Decimal(self.overhead_ms) / 1000,
            "overhead": "step" if self.once else "paper",
            "least_slots": Decimal(self.least),
            "progress": "floor" if self.floor else "fractional",
        }

    def run(self, point: "FigureMethod", seed: int) -> Run:
        """Return the run of a method and a seed."""
        return Run(instance=_draw(self, point.servers, seed), method=point.method, seed=seed)


@cache
def _draw(one: Conditions, servers: int, seed: int) -> MakespanInstance:
    horizon = 1200 if servers == 20 else 1500
    options = {**one.options, "servers": servers, "horizon_slots": horizon}
    name = f"mobihoc-{servers}-s{seed} {one.name}"
    drawn: MakespanInstance = generate("mobihoc", seed=seed, name=name, **options)
    return drawn


GRID = tuple(
    product(
        (None, "0.05", "0.1", "0.2", "0.5"),
        (("1", "0"), ("0.5", "1"), ("1", "3")),
        (("0.02", 50), ("1", 10)),
    )
)
"""Transfers, contention (xi_1 and alpha), and overhead with the least execution time."""

FOUND: tuple[dict[str, Any], ...] = (
    {"transfer": "0.05", "share": "0.5", "degradation": "3", "overhead_ms": "0.2", "least": 10},
    {"transfer": "0.5", "share": "0.1", "degradation": "3", "overhead_ms": "0.2", "once": True},
    {"transfer": "0.2", "overhead_ms": "3", "once": True, "least": 10},
    {"transfer": "0.2", "share": "0.5", "degradation": "0.5", "overhead_ms": "1"},
    {"transfer": "0.2", "share": "0.75", "degradation": "2", "overhead_ms": "1"},
    {"transfer": "0.25", "share": "0.25", "degradation": "2", "overhead_ms": "0.3", "floor": True},
    {"transfer": "0.1", "share": "0.25", "degradation": "2", "once": True, "least": 10},
    {"transfer": "0.14", "share": "0.25", "degradation": "2", "once": True, "least": 10},
)
"""Conditions with many orders in coarser searches, among several hundred drawn at random."""

CONDITIONS = (
    *(
        Conditions(
            name=str(i), transfer=transfer, share=share, degradation=alpha, overhead_ms=ms, least=d
        )
        for i, (transfer, (share, alpha), (ms, d)) in enumerate(GRID, 1)
    ),
    *(
        Conditions(name=str(i), **{"overhead_ms": "1", **one})
        for i, one in enumerate(FOUND, len(GRID) + 1)
    ),
)
"""The first is the paper's, as far as the paper says."""

GRIDDED = frozenset(one.name for one in CONDITIONS[: len(GRID)])
"""The names of the grid's conditions."""

SJF_READINGS = {
    "as published": "sjf-bco",
    "packing": "sjf-bco:mode=pack",
    "fastest estimate": "sjf-bco:estimate=fastest",
    "fastest estimate, shortest first": "sjf-bco:estimate=fastest:ties=shortest",
    "assigned ahead": "sjf-bco:assign=ahead",
}
"""Readings of SJF-BCO."""

BASE_READINGS = {
    "idle, fewest first": "",
    "idle, as listed": ":order=listed",
    "ahead, fewest first": ":assign=ahead",
    "ahead, as listed": ":assign=ahead:order=listed",
}
"""Readings of its baselines: the GPUs that a job may get, and the order of jobs."""

Place = tuple[int, *tuple[str, ...]]
"""A point of the paper: the figure, and its labels there."""


class FigureMethod(NamedTuple):
    """The method of a point, and its number of servers."""

    servers: int
    method: str


def figure_methods(sjf: str, base: str) -> dict[Place, FigureMethod]:
    """Return the points of Figures 4-7 for two readings.

    Not kappa 10, which parts the jobs as 8 does, and not 20 servers, which are in Figure 4.
    """
    return {(figure, *point): one for figure, point, one in _methods(sjf, base) if one}


def _methods(sjf: str, base: str) -> Iterator[tuple[int, tuple[str, ...], FigureMethod | None]]:
    names = {name: sjf if name == "SJF-BCO" else own + base for name, own in POLICIES.items()}
    for (policy,) in PAPER[4]:
        yield 4, (policy,), FigureMethod(20, names[policy])
    for (kappa,) in PAPER[5]:
        yield 5, (kappa,), FigureMethod(20, f"{sjf}:kappa={kappa}") if kappa != "10" else None
    for servers, policy in PAPER[6]:
        there = FigureMethod(int(servers), names[policy]) if servers != "20" else None
        yield 6, (servers, policy), there
    for (lam,) in PAPER[7]:
        more = "" if lam == "1" else f":lam={lam}"
        yield 7, (lam,), FigureMethod(20, f"{sjf}:kappa=1{more}")


class RegionPoint(NamedTuple):
    """Conditions, and the names of how SJF-BCO and its baselines are read."""

    conditions: Conditions
    sjf: str
    base: str

    @property
    def methods(self) -> dict[Place, FigureMethod]:
        """Return the methods of the points of the figures."""
        return figure_methods(SJF_READINGS[self.sjf], BASE_READINGS[self.base])

    @property
    def about(self) -> str:
        """Describe it in a line."""
        one = self.conditions
        transfer = (
            "transfers of at most 15 %" if one.transfer is None else f"transfer {one.transfer}"
        )
        overhead = f"xi_2 {one.overhead_ms} ms {'once' if one.once else 'a server'}"
        floor = ", whole iterations" if one.floor else ""
        model = f"xi_1 {one.share}, alpha {one.degradation}, {overhead}, {one.least} to 300 slots"
        return f"{transfer}, {model}{floor}, SJF-BCO {self.sjf}, baselines {self.base}"

    @property
    def curves(self) -> str:
        """Name the parameters of Figures 5 and 7."""
        return f"{self.conditions.name}, SJF-BCO {self.sjf}"

    def __str__(self) -> str:
        """Name it."""
        return f"{self.curves}, baselines {self.base}"


CONFIRMED = RegionPoint(CONDITIONS[-1], "packing", "ahead, fewest first")
"""The point that is rechecked."""

PRINTED = RegionPoint(CONDITIONS[0], "as published", "idle, fewest first")
"""The paper's conditions, as far as it says."""

CLEAR = 0.01
"""A ratio must be this far below 1, or at most this far above 1 for equal values in the paper."""

LEAST, BESIDE = ("8",), ("4",)
"""The kappa that is least in the paper's plot, and the one that cannot be distinguished from it."""

RecheckedPoint = Mapping[Place, Sequence[Row]]
"""The rows of every point, one for each seed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureOrder:
    """In the paper's plot, one point lies below another, or not above it if they are equal."""

    figure: int
    better: tuple[str, ...]
    worse: tuple[str, ...]
    measure: str
    alike: bool = False

    @property
    def name(self) -> str:
        """Its short name."""
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
        """Return the better point over the worse one, over the seeds."""
        return paired_ratio(*(self._values(looked, one) for one in (self.better, self.worse)))

    def _values(self, looked: RecheckedPoint, point: tuple[str, ...]) -> list[float]:
        return [float(row[MEASURES[self.measure]]) for row in looked[self.figure, *point]]

    def holds(self, ratio: float) -> bool:
        """Return True if a ratio is clearly on the side of the paper."""
        return ratio <= (1 + CLEAR if self.alike else 1 - CLEAR)

    def verdict(self, ratio: Interval) -> str:
        """Return the verdict of an interval of the ratio."""
        if self.alike:
            # An interval that only reaches down to the margin does not show equality.
            least, most = ratio.low - CLEAR, ratio.high - CLEAR
            return HOLDS if most <= 1 else REVERSED if least > 1 else OPEN
        return HOLDS if ratio.high < 1 else REVERSED if ratio.low > 1 else OPEN


def figure_orders() -> list[FigureOrder]:
    """Return which points of a figure follow each other, where the plots distinguish them."""
    found = [
        FigureOrder(figure=figure, better=better, worse=worse, measure=measure)
        for figure in PAPER
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
    """Return the points that have a number. Kappa 10 and 20 servers are studied elsewhere."""
    index = list(MEASURES).index(measure)
    left = {5: ("10",), 6: ("20",)}
    return [
        point
        for point, numbers in PAPER[figure].items()
        if numbers[index] is not None and point[:1] != left.get(figure)
    ]


def _number(figure: int, point: tuple[str, ...], measure: str) -> float:
    return float(PAPER[figure][point][list(MEASURES).index(measure)] or 0)


def _follows(figure: int, better: tuple[str, ...], worse: tuple[str, ...], measure: str) -> bool:
    """Return True if no point that differs clearly from both lies between two points of a place."""
    if better[:-1] != worse[:-1]:
        return False

    def below(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
        gap = _number(figure, other, measure) - _number(figure, one, measure)
        return one[:-1] == other[:-1] and gap > 2 * READING

    others = _points(figure, measure)
    between = any(below(better, one) and below(one, worse) for one in others)
    return below(better, worse) and not between


class HeldAt(NamedTuple):
    """The orders that hold at a point: by the means over its seeds, and for each seed alone."""

    means: frozenset[str]
    draws: tuple[frozenset[str], ...]


def held_at(looked: RecheckedPoint, orders: Sequence[FigureOrder]) -> HeldAt:
    """Return the orders that hold over all seeds, and for each seed alone."""
    seeds = len(next(iter(looked.values())))
    alone = ({key: [rows[s]] for key, rows in looked.items()} for s in range(seeds))
    return HeldAt(held(looked, orders), tuple(held(one, orders) for one in alone))
