"""The pictures of the PD-ORS experiments: utility by number of jobs, and by gain factor."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...analysis.gantt.colours import INK, SOFT_INK
from ...analysis.plots import PALETTE, Chart, Panel, Series

if TYPE_CHECKING:
    from .study import Seen

OCHRE = "#8c6d1f"
"""A seventh colour beside the palette and the inks."""


def draw(
    crowds: "Mapping[int, Sequence[Seen]]",
    gains: "Mapping[str, Sequence[Seen]]",
    factors: Sequence[str],
) -> dict[str, Chart]:
    """Return the chart by number of jobs and the one by gain."""
    names = [one.name for one in next(iter(crowds.values()))]
    colours = (*PALETTE, SOFT_INK, OCHRE, INK)
    by_jobs = Panel(
        title="utility / certified bound",
        across="jobs",
        categories=tuple(map(str, crowds)),
        series=tuple(
            Series(
                name=name,
                values=tuple(seen[i].share for seen in crowds.values()),
                look="line",
                colour=colours[i],
            )
            for i, name in enumerate(names)
        ),
    )
    told = {"none": "thrown away", "greedy": "repaired"}
    by_gain = Panel(
        title="utility",
        across="gain factor before rounding",
        categories=tuple(factors),
        series=tuple(
            Series(
                name=told[repair],
                values=tuple(one.utility for one in seen),
                look="line",
                colour=colours[i],
            )
            for i, (repair, seen) in enumerate(gains.items())
        ),
    )
    return {
        "utility": Chart(about="Utility over the certified bound by method", panels=(by_jobs,)),
        "gain": Chart(about="Utility of PD-ORS by gain factor", panels=(by_gain,)),
    }
