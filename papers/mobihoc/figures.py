"""What Figures 4-7 of the SJF-BCO paper (arXiv 2207.07817) vary, point by point.

The paper's own draws are not published. Instances here are drawn as it describes them; seeds 0
to 9 are `mobihoc-*` of the catalogue.
"""

from dataclasses import dataclass
from functools import cache

from ...analysis.rows import by_key
from ...campaigns.runs import Run
from ...instances import MakespanInstance
from ...instances.generate import generate
from ..study import POLICIES
from .paper_numbers import FIGURES as PAPER

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
    """A figure of the paper: what it varies, and its points."""

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
        """Whether the paper shows completion times."""
        return all(self.paper(point)[1] is not None for point in self.points)

    @property
    def places(self) -> dict[Place, list[FigurePoint]]:
        """Its points by all their labels but the last: those of a place have the same instances."""
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
