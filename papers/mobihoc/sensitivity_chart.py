"""The picture of the sensitivity study: how far each policy is from the bound, by model."""

from collections.abc import Mapping

from ...analysis.gantt.colours import INK
from ...analysis.intervals import student
from ...analysis.plots import PALETTE, Chart, Panel
from ..compared import BEST, Compared
from ..series import by_name
from .models import HEAVY, LIGHT, PaperModel

SHOWN = ("SJF-BCO", "LS", "FF", BEST)
"""Random, several times farther off, would press the others together; it is in the table."""


def draw(found: Mapping[PaperModel, Compared]) -> dict[str, Chart]:
    """Return a chart for short and one for long transfers; their scales differ."""
    about = "Makespan over the certified bound by contention and overhead model"
    panels = {"short-transfers": _panel(found, LIGHT), "long-transfers": _panel(found, HEAVY)}
    return {name: Chart(about=about, panels=(panel,)) for name, panel in panels.items()}


def _panel(found: Mapping[PaperModel, Compared], kind: str) -> Panel:
    there = {model.name: one for model, one in found.items() if model.transfer == kind}
    values = {name: [student(one.over_bound(name)) for one in there.values()] for name in SHOWN}
    return Panel(
        title=f"makespan / bound, transfer {kind}",
        across="model",
        categories=tuple(there),
        series=by_name(values, "points", (*PALETTE[: len(SHOWN) - 1], INK)),
    )
