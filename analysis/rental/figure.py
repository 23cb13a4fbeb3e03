"""The trade-off curve as a figure: mean completion time against budget, and its slope."""

from collections.abc import Sequence

from ..charts import LOOKS, Axis, Panel, Point, Series, guide
from .tables import CurvePoint
from .words import counted_gpus, time_text


def curve_panel(
    name: str, points: Sequence[CurvePoint], asked: CurvePoint, price_per_gpu_h: float
) -> Panel:
    """Return the curve with the budget asked for and what one GPU more would save there."""
    at = (asked.budget_gpus, asked.mean_jct_h)
    saves = f"one GPU more saves {time_text(asked.saves_h or 0)}"
    tangent = guide(_tangent(asked, points), saves)
    curve = Series(
        name="least mean completion time",
        points=tuple((one.budget_gpus, one.mean_jct_h) for one in points),
        way="line",
        look=LOOKS[0],
        marked=False,
    )
    here = f"{counted_gpus(at[0])}: {time_text(at[1])}"
    return Panel(
        about=f"{name}: least mean completion time in hours against the GPUs paid for",
        x=Axis(title="GPUs paid for, on average over time"),
        y=Axis(title="mean completion time, h"),
        series=(tangent, curve, Series(name=here, points=(at,), way="points", look=LOOKS[1])),
        notes=(f"{name}; a GPU costs {price_per_gpu_h:,.10g} an hour",),
    )


def _tangent(asked: CurvePoint, points: Sequence[CurvePoint]) -> tuple[Point, ...]:
    """Return the ends of the tangent within the frame of the curve; none if level or not known."""
    x, y, slope = asked.budget_gpus, asked.mean_jct_h, asked.saves_h
    if not slope or not points:
        return ()
    most, least = points[0].mean_jct_h, points[-1].mean_jct_h
    left = max(points[0].budget_gpus, x - (most - y) / slope)
    right = min(points[-1].budget_gpus, x + (y - least) / slope)
    return tuple((at, y - slope * (at - x)) for at in (left, right))
