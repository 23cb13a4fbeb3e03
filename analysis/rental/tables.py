"""A plan by types of jobs, and the budgets of a trade-off curve, as tables."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..tables import Column, Table
from .facts import TypeFacts

PLAN_NOTE = (
    "Load: GPUs kept busy if each job had one. GPUs: what a job holds, epoch by epoch; of several "
    "ways each job draws one. JCT: from arrival to end, on average. Share: of all GPU-hours paid "
    "for."
)
CURVE_NOTE = (
    "GPUs: the budget, on average over time. Saves: by how much one GPU more lowers the mean "
    "completion time, as the curve's slope there."
)

MOST_WIDTHS = 4
"""A curve shows the widths of at most this many epochs of types."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """The least mean completion time for a budget."""

    budget_gpus: float
    spend_per_h: float
    mean_jct_h: float
    saves_h: float | None
    """Hours of it that one GPU more would save: the curve's slope. None if time was too short."""
    widths: tuple[float, ...]
    """GPUs of a job by epochs of types, on average over its time there; empty if not asked for."""

    def plain(self) -> dict[str, float | None]:
        """Return the numbers by name, but for the widths."""
        return {
            "budget_gpus": self.budget_gpus,
            "spend_per_h": self.spend_per_h,
            "mean_jct_h": self.mean_jct_h,
            "gpu_saves_h": self.saves_h,
        }


def plan_table(facts: Sequence[TypeFacts], caption: str) -> Table:
    """Return a line for each type of jobs."""
    return Table(
        caption=caption,
        columns=(
            Column(head="type", digits=None),
            Column(head="jobs/h", digits=3),
            Column(head="load", digits=3),
            Column(head="GPUs", digits=None),
            Column(head="JCT, h", digits=4, over="of a job"),
            Column(head="GPU-h", digits=4, over="of a job"),
            Column(head="share, %", digits=1),
        ),
        rows=tuple(
            (
                one.name,
                one.rate_per_h,
                one.load,
                one.gpus,
                one.jct_h,
                one.gpu_h,
                100 * one.share,
            )
            for one in facts
        ),
        notes=(PLAN_NOTE,),
    )


def curve_table(points: Sequence[CurvePoint], classes: Sequence[str], caption: str) -> Table:
    """Return a line for each budget, with the widths where there are few of them."""
    shown = classes if all(len(one.widths) == len(classes) for one in points) else ()
    return Table(
        caption=caption,
        columns=(
            Column(head="GPUs", digits=2),
            Column(head="spend/h", digits=2),
            Column(head="mean JCT, h", digits=4),
            Column(head="saves, min", digits=4),
            *(Column(head=name, digits=3, over="GPUs of a job") for name in shown),
        ),
        rows=tuple(
            (
                one.budget_gpus,
                one.spend_per_h,
                one.mean_jct_h,
                None if one.saves_h is None else 60 * one.saves_h,
                *one.widths[: len(shown)],
            )
            for one in points
        ),
        notes=(CURVE_NOTE,),
    )
