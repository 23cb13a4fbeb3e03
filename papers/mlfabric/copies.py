"""What MLfabric's third decision saves: copies that the replica is not sent."""

from dataclasses import replace
from fractions import Fraction
from statistics import fmean

from ...analysis.intervals import paired_ratio
from ...analysis.tables import Cell, Column, Table
from ...instances import TransferPlan, TransfersInstance
from ...run import solve
from ..study import Settings
from .points import REPLICATION, Condition, drawn

COPYING, CHOOSING = "mlfabric-aggregate", "mlfabric"
"""Methods that copy everything, and only what is needed."""


def replication(settings: Settings) -> Table:
    """Return what is copied, and what it costs in time, by divergence."""
    return Table(
        caption="What the replica is sent",
        columns=(
            Column(head="divergence", digits=None),
            Column(head="all copied", digits=1, over="bytes of copies, % of all updates"),
            Column(head="MLfabric", digits=1, over="bytes of copies, % of all updates"),
            Column(head="all copied", digits=3, over="mean moment over that without a replica"),
            Column(head="MLfabric", digits=3, over="mean moment over that without a replica"),
        ),
        rows=tuple(_row(point, settings.seeds) for point in settings.some(REPLICATION)),
        notes=(
            "16 updates of norm 1 in 4 racks with an aggregator each; a group is one copy. "
            f"{settings.seeds} draws, 95 % intervals (Student's t).",
        ),
    )


def _row(point: Condition, seeds: int) -> tuple[Cell, ...]:
    instances = [drawn(point, seed) for seed in range(seeds)]
    free = [_moment(replace(one, divergence=None, replica=None), COPYING) for one in instances]
    moments, copied = [], []
    for method in (COPYING, CHOOSING):
        answers = [solve(one, method) for one in instances]
        moments.append(paired_ratio([float(a.objective or 0) for a in answers], free))
        pairs = zip(instances, answers, strict=True)
        copied.append(100 * fmean(copied_part(one, a.schedule) for one, a in pairs))
    return (*point.head, *copied, *moments)


def _moment(instance: TransfersInstance, method: str) -> float:
    return float(solve(instance, method).objective or 0)


def copied_part(instance: TransfersInstance, plan: TransferPlan) -> float:
    """Return the bytes of copies over those of all updates; a group is as large as its largest."""
    sizes = {one.name: Fraction(one.size_gb) for one in instance.updates}
    copies = [max(sizes[name] for name in send.updates) for send in plan.sends if send.to == "both"]
    return float(sum(copies) / sum(sizes.values()))
