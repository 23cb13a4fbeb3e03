"""The pictures of the PD-ORS experiments: utility by number of jobs, and by gain factor."""

from collections.abc import Mapping

from ...analysis.gantt.colours import INK, SOFT_INK
from ...analysis.intervals import student
from ...analysis.plots import PALETTE, Chart, Panel
from ..compared import Compared
from ..series import by_name

OCHRE = "#8c6d1f"
"""A seventh colour beside the palette and the inks."""


def draw(crowds: Mapping[int, Compared], gains: Mapping[str, Compared]) -> dict[str, Chart]:
    """Return the chart by number of jobs and the one by gain."""
    names = next(iter(crowds.values())).rows
    shares = {name: [student(one.over_bound(name)) for one in crowds.values()] for name in names}
    by_jobs = Panel(
        title="utility / certified bound",
        across="jobs",
        categories=tuple(map(str, crowds)),
        series=by_name(shares, "line", (*PALETTE, SOFT_INK, OCHRE, INK)),
    )
    utilities = {told: map(one.mean, one.rows) for told, one in gains.items()}
    by_gain = Panel(
        title="utility",
        across="gain factor before rounding",
        categories=tuple(next(iter(gains.values())).rows),
        series=by_name(utilities, "line"),
    )
    return {
        "utility": Chart(about="Utility over the certified bound by method", panels=(by_jobs,)),
        "gain": Chart(about="Utility of PD-ORS by gain factor", panels=(by_gain,)),
    }
