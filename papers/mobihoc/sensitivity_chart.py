"""The picture of the sensitivity study: how far each policy is from the bound, by model."""

from collections.abc import Mapping

from ...analysis.charts import PALETTE, Panel, by_name, category_panel
from ...analysis.drawing.colours import INK
from ...analysis.intervals import student
from ..compared import BEST, Compared
from .models import HEAVY, LIGHT, PaperModel

SHOWN = ("SJF-BCO", "LS", "FF", BEST)
"""Random, several times farther off, would press the others together; it is in the table."""


def draw(found: Mapping[PaperModel, Compared]) -> dict[str, tuple[Panel, ...]]:
    """Return a chart for short and one for long transfers; their scales differ."""
    kinds = {"short-transfers": LIGHT, "long-transfers": HEAVY}
    return {name: (_panel(found, kind),) for name, kind in kinds.items()}


def _panel(found: Mapping[PaperModel, Compared], kind: str) -> Panel:
    there = {model.name: one for model, one in found.items() if model.transfer == kind}
    values = {name: [student(one.over_bound(name)) for one in there.values()] for name in SHOWN}
    about = "Makespan over the certified bound by contention and overhead model"
    series = by_name(values, "points", (*PALETTE[: len(SHOWN) - 1], INK))
    return category_panel(about, "model", there, f"makespan / bound, transfer {kind}", series)
