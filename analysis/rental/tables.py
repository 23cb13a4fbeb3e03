"""A plan by types of jobs, and the budgets of a trade-off curve: facts, tables, and a figure."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from ...instances import RentalInstance, RentalPlan, TypePlan
from ..figures.canvas import Figure, Point, draw, finished, guide, new_figure
from ..figures.style import BARE, LOOKS, POINTS
from ..tables import Column, Table, columns_of, numbers
from . import counted_gpus, plan_text, time_text


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeFacts:
    """Facts about the jobs of a type, on average."""

    name: str
    rate_per_h: float
    load: float
    """GPUs they keep busy if each has one."""
    gpus: str
    """The GPUs that its jobs hold, in words."""
    widths: tuple[tuple[tuple[float, float], ...], ...]
    """By epoch: GPUs, and the share of the epoch's work done on them."""
    jct_h: float
    gpu_h: float
    share: float
    """Part of all GPU-hours paid for."""


def widths_of(plan: TypePlan) -> tuple[tuple[tuple[float, float], ...], ...]:
    """Return by epoch the numbers of GPUs in a type's plan, with the part of work on each."""
    parts: dict[int, dict[float, float]] = {}
    for choice in plan.choices:
        for stretch in choice.stretches:
            own = parts.setdefault(stretch.epoch, {})
            gpus, part = float(stretch.gpus), float(choice.share * stretch.part)
            own[gpus] = own.get(gpus, 0.0) + part
    return tuple(tuple(sorted(own.items())) for _, own in sorted(parts.items()))


def plan_facts(
    instance: RentalInstance,
    plan: RentalPlan,
    hours: Sequence[float],
    gpu_hours: Sequence[float],
) -> list[TypeFacts]:
    """Return the facts of a plan, of whose jobs hours and GPU-hours are known by type."""
    plans = {one.type: one for one in plan.types}
    rates, loads = [float(rate) for rate in instance.rates], instance.loads
    spent = [rate * each for rate, each in zip(rates, gpu_hours, strict=True)]
    whole = fsum(spent)
    return [
        TypeFacts(
            name=one.name,
            rate_per_h=rates[i],
            load=float(sum(loads[i])),
            gpus=plan_text(plans[one.name]),
            widths=widths_of(plans[one.name]),
            jct_h=hours[i],
            gpu_h=gpu_hours[i],
            share=spent[i] / whole,
        )
        for i, one in enumerate(instance.types)
    ]


PLAN_NOTE = (
    "Load: GPUs kept busy if each job had one. GPUs: GPUs of a job by epoch, drawn at random if "
    "there are alternatives. JCT: mean time from arrival to end. Share: of all paid GPU-hours."
)
CURVE_NOTE = (
    "GPUs: the time-averaged budget. Saves: decrease of the mean completion time per additional "
    "GPU, the slope of the curve."
)

MOST_WIDTHS = 4
"""A curve shows the widths of at most this many epochs of types."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """The minimum mean completion time for a budget."""

    budget_gpus: float
    spend_per_h: float
    mean_jct_h: float
    saves_h: float | None
    """Hours of it that one GPU more would save: the curve's slope. None if time was too short."""
    widths: tuple[float, ...]
    """Time-averaged GPUs of a job by epochs of types, empty if not requested."""

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
            *columns_of({"type": None, "jobs/h": 3, "load": 3, "GPUs": None}),
            *numbers("JCT, h", "GPU-h", digits=4, over="of a job"),
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
    """Return a row for each budget, with the widths if there are few, and a note otherwise."""
    shown = classes if all(len(one.widths) == len(classes) for one in points) else ()
    total = len(classes)
    many = f"GPUs of a job are left out: {total} epochs of types, more than {MOST_WIDTHS}."
    return Table(
        caption=caption,
        columns=(
            *columns_of({"GPUs": 2, "spend/h": 2, "mean JCT, h": 4, "saves, min": 4}),
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
        notes=(CURVE_NOTE, *([many] if total > MOST_WIDTHS else [])),
    )


def draw_curve(
    name: str, points: Sequence[CurvePoint], asked: CurvePoint, price_per_gpu_h: float
) -> Figure:
    """Draw the curve with the requested budget and the saving per additional GPU there."""
    figure, axes = new_figure(
        f"{name}: least mean completion time in hours by GPUs paid for",
        across="GPUs paid for, time average",
        up="mean completion time, h",
    )
    saves = f"one more GPU saves {time_text(asked.saves_h or 0)}"
    guide(axes, _tangent(asked, points), saves)
    line = [(one.budget_gpus, one.mean_jct_h) for one in points]
    draw(axes, line, "least mean completion time", LOOKS[0] | BARE)
    at = (asked.budget_gpus, asked.mean_jct_h)
    here = f"{counted_gpus(at[0])}: {time_text(at[1])}"
    draw(axes, [at], here, LOOKS[1] | POINTS)
    return finished(figure, (f"{name}: a GPU costs {price_per_gpu_h:,.10g} per hour",))


def _tangent(asked: CurvePoint, points: Sequence[CurvePoint]) -> tuple[Point, ...]:
    """Return the ends of the tangent within the frame, empty if it is level or unknown."""
    x, y, slope = asked.budget_gpus, asked.mean_jct_h, asked.saves_h
    if not slope or not points:
        return ()
    most, least = points[0].mean_jct_h, points[-1].mean_jct_h
    left = max(points[0].budget_gpus, x - (most - y) / slope)
    right = min(points[-1].budget_gpus, x + (y - least) / slope)
    return tuple((at, y - slope * (at - x)) for at in (left, right))
