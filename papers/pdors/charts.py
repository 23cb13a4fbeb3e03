"""The pictures of the PD-ORS experiments: utility by number of jobs, and by gain factor."""

from collections.abc import Mapping

from ...analysis.charts import PALETTE, Panel, by_name, category_panel
from ...analysis.drawing.colours import INK, SOFT_INK
from ...analysis.intervals import student
from ..compared import Compared

OCHRE = "#8c6d1f"
"""A seventh colour beside the palette and the inks."""


def draw(
    crowds: Mapping[int, Compared], gains: Mapping[str, Compared]
) -> dict[str, tuple[Panel, ...]]:
    """Return the chart by number of jobs and the one by gain."""
    names = next(iter(crowds.values())).rows
    shares = {name: [student(one.over_bound(name)) for one in crowds.values()] for name in names}
    ratio = "utility / certified bound"
    by_jobs = by_name(shares, "line", (*PALETTE, SOFT_INK, OCHRE, INK))
    about = "Utility over the certified bound by method"
    utilities = {name: map(one.mean, one.rows) for name, one in gains.items()}
    factors, by_gain = next(iter(gains.values())).rows, by_name(utilities, "line")
    told, across = "Utility of PD-ORS by gain factor", "gain factor before rounding"
    return {
        "utility": (category_panel(about, "jobs", map(str, crowds), ratio, by_jobs),),
        "gain": (category_panel(told, across, factors, "utility", by_gain),),
    }
