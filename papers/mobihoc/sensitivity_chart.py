"""The picture of the sensitivity study: how far each policy is from the bound, by model."""

from ...analysis.gantt.colours import INK
from ...analysis.plots import PALETTE, Chart, Panel, Series
from .conclusions import BEST, Seen
from .models import HEAVY, LIGHT

SHOWN = ("SJF-BCO", "LS", "FF", BEST)
"""Random, several times farther off, would press the others together; it is in the table."""


def draw(seen: list[Seen]) -> dict[str, Chart]:
    """Return a chart for short and one for long transfers; their scales differ."""
    about = "Makespan over the certified bound by contention and overhead model"
    panels = {"short-transfers": _panel(seen, LIGHT), "long-transfers": _panel(seen, HEAVY)}
    return {name: Chart(about=about, panels=(panel,)) for name, panel in panels.items()}


def _panel(seen: list[Seen], kind: str) -> Panel:
    there = [one for one in seen if one.model.transfer == kind]
    colours = (*PALETTE[: len(SHOWN) - 1], INK)
    return Panel(
        title=f"makespan / bound, transfer {kind}",
        across="model",
        categories=tuple(one.model.name for one in there),
        series=tuple(
            Series(
                name=name,
                values=tuple(one.over_bound(name) for one in there),
                look="points",
                colour=colour,
            )
            for name, colour in zip(SHOWN, colours, strict=True)
        ),
    )
