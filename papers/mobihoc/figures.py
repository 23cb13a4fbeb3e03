"""Figures 4-7 of the SJF-BCO paper (arXiv 2207.07817): their parameters, values and conclusions.

The paper's own draws are not published. Instances here are drawn as in its description. Seeds 0 to
9 are `mobihoc-*` of the catalogue. A number read off a plot may be off by `READING` slots.

A conclusion says that one policy does better than another. It is judged by the ratio of the two
on the same seeds, its geometric mean with a 95 % interval: it *holds* if the interval lies below
1, is *reversed* if it lies above, and *open* otherwise.
"""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from ...analysis.intervals import Interval
from ...analysis.rows import by_key
from ...campaigns.runs import Run
from ...instances import MakespanInstance
from ...instances.generate import generate
from ..study import HOLDS, OBJECTIVE, OPEN, POLICIES, REVERSED, Compared

READING = 10
"""Tolerance for a number of the paper, in slots."""

Point = tuple[str, ...]

PAPER: dict[int, dict[Point, tuple[int, int | None]]] = {
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
"""Makespan and average completion by figure and point, None if the paper shows no value."""


MEASURES = {"makespan": OBJECTIVE, "mean completion": "mean_end"}
"""Measures of the paper, and their columns in a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """A conclusion of the paper: by this measure, one policy is better than another."""

    measure: str
    better: str
    worse: str

    def __str__(self) -> str:
        """Return its short name."""
        return f"{self.better} before {self.worse} ({self.measure})"

    def ratio(self, one: Compared) -> Interval:
        """Return the better policy, by the claim, over the worse one."""
        return one.ratio(self.better, self.worse, MEASURES[self.measure])

    def verdict(self, one: Compared) -> str:
        """Return the verdict of the interval of the ratio."""
        ratio = self.ratio(one)
        return HOLDS if ratio.high < 1 else REVERSED if ratio.low > 1 else OPEN


def claims() -> list[Conclusion]:
    """Return who follows whom in the paper, where its plots distinguish the two."""
    found = []
    for i, measure in enumerate(MEASURES):
        read = {name: both[i] or 0 for (name,), both in PAPER[4].items()}
        for better, worse in pairwise(sorted(read, key=lambda name: read[name])):
            if read[worse] - read[better] > 2 * READING:
                found.append(Conclusion(measure=measure, better=better, worse=worse))
    return found


Place = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FigurePoint:
    """One point of a figure: its labels, and the runs that make it."""

    labels: tuple[str, ...]
    method: str
    servers: int = 20
    horizon: int = 1200

    def instance(self, seed: int) -> MakespanInstance:
        """Draw the instance of a seed."""
        return _draw(self.servers, self.horizon, seed)

    def run(self, seed: int) -> Run:
        """Return the run of a seed."""
        return Run(instance=self.instance(seed), method=self.method, seed=seed)


@cache
def _draw(servers: int, horizon: int, seed: int) -> MakespanInstance:
    options = {"servers": servers, "horizon_slots": horizon}
    name = f"mobihoc-{servers}-s{seed}"
    instance: MakespanInstance = generate("mobihoc", seed=seed, name=name, **options)
    return instance


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperFigure:
    """A figure of the paper: its parameter and its points."""

    number: int
    title: str
    heads: tuple[str, ...]
    points: tuple[FigurePoint, ...]

    @property
    def name(self) -> str:
        """Its name as a file."""
        return f"figure-{self.number}"

    @property
    def timed(self) -> bool:
        """True if the paper shows completion times."""
        return all(self.paper(point)[1] is not None for point in self.points)

    @property
    def places(self) -> dict[Place, list[FigurePoint]]:
        """Its points by all their labels but the last. Each place has the same instances."""
        return by_key(self.points, lambda point: point.labels[:-1])

    def paper(self, point: FigurePoint) -> tuple[int, int | None]:
        """Return the makespan, and the mean completion, that the paper shows."""
        return PAPER[self.number][point.labels]


FIGURES = (
    PaperFigure(
        number=4,
        title="Makespan and average job completion time by policy, 20 servers",
        heads=("policy",),
        points=tuple(
            FigurePoint(labels=(name,), method=method) for name, method in POLICIES.items()
        ),
    ),
    PaperFigure(
        number=5,
        title="Makespan of SJF-BCO by kappa, 20 servers",
        heads=("kappa",),
        points=tuple(FigurePoint(labels=(k,), method=f"sjf-bco:kappa={k}") for (k,) in PAPER[5]),
    ),
    PaperFigure(
        number=6,
        title="Makespan by number of servers, T = 1500",
        heads=("servers", "policy"),
        points=tuple(
            FigurePoint(labels=(s, name), method=POLICIES[name], servers=int(s), horizon=1500)
            for s, name in PAPER[6]
        ),
    ),
    PaperFigure(
        number=7,
        title="Makespan of SJF-BCO by lambda at kappa = 1, 20 servers",
        heads=("lambda",),
        points=tuple(
            FigurePoint(labels=(x,), method=f"sjf-bco:kappa=1:lam={x}") for (x,) in PAPER[7]
        ),
    ),
)
