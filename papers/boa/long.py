"""A million jobs of the paper's two types under BOA: the measured mean beside the program's."""

from decimal import Decimal

from ...analysis.tables import Cell, Column, Table
from ...campaigns.rent.path import Drawing, drawn_path
from ...campaigns.rent.runs import planned
from ...instances import RentalInstance
from ...instances.catalogue import load_as
from ...instances.fleet.mix import Sizes
from ...run import solve
from ..study import Settings

JOBS, FEW = 1_000_000, 3_000
"""Jobs of a run, and of one of a small version."""

TICK_S = Decimal("0.1")
"""A job ends with a tick, on average half of one too late."""

LAWS: tuple[tuple[str, Sizes], ...] = (
    ("poisson", "exponential"),
    ("bursty", "exponential"),
    ("poisson", "pareto"),
    ("bursty", "lognormal"),
    ("even", "exponential"),
)
"""Laws of arrivals and of sizes."""


def long_table(settings: Settings) -> Table:
    """Return what was measured, law by law."""
    instance = load_as(RentalInstance, "boa-two-types")
    jobs = FEW if settings.points else JOBS
    return Table(
        caption=f"{jobs:,} jobs under BOA: {instance.name}",
        columns=(
            Column(head="arrivals", digits=None),
            Column(head="sizes", digits=None),
            Column(head="measured", digits=4, over="mean JCT, h"),
            Column(head="program", digits=4, over="mean JCT, h"),
            Column(head="within", digits=None, over="mean JCT, h"),
            Column(head="measured", digits=3, over="GPUs paid for"),
            Column(head="budget", digits=3, over="GPUs paid for"),
            Column(head="over the path's own least", digits=5),
        ),
        rows=tuple(_row(instance, jobs, *laws) for laws in LAWS),
        notes=(
            "Intervals: batch means, 95 %. Within: whether the program's value lies in the "
            "interval. The path's own least: the program's value for the jobs that came and for "
            "what was paid for them; certified. Sizes by Pareto's law have no variance, so that "
            "their intervals are too narrow.",
        ),
    )


def _row(instance: RentalInstance, jobs: int, arrivals: str, sizes: Sizes) -> tuple[Cell, ...]:
    drawing = Drawing(jobs=jobs, arrivals=arrivals, sizes=sizes, tick_s=TICK_S)
    path = drawn_path(instance, drawing, as_fleet=False)
    found, _ = planned(instance, path, solve(instance).schedule, drawing.seed, None)
    assert found.expected is not None
    assert found.mean_jct_h is not None
    mean, expected = found.mean_jct_h, float(found.expected.mean_jct)
    within = "yes" if mean.low <= expected <= mean.high else "no"
    budget = float(found.expected.mean_gpus)
    ratio = float(found.ratio)
    return arrivals, sizes, mean, expected, within, found.spend_per_h, budget, ratio
