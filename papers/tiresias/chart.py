"""The pictures of the experiments of Tiresias: completion times over those under Tiresias-L."""

from collections.abc import Mapping

from ...analysis.charts import Panel, category_panel, over
from ..compared import Compared
from ..series import beside_paper
from .methods import BASE
from .mixes import TESTBED, TRACE
from .numbers import TESTBED_RATIOS
from .numbers import TRACE as PAPER_TRACE

PAPER: dict[str, Mapping[str, tuple[float, ...]]] = {TESTBED: TESTBED_RATIOS, TRACE: PAPER_TRACE}

ABOUT = "Mean completion time over that under Tiresias-L, here and in the paper"


def draw(found: Mapping[str, Compared]) -> dict[str, tuple[Panel, ...]]:
    """Return a chart for the testbed and one for the trace."""
    return {mix: (_panel(mix, one),) for mix, one in found.items()}


def _panel(mix: str, one: Compared) -> Panel:
    names = [name for name in one.rows if name != BASE]
    paper = {name: ratios[0] for name, ratios in PAPER[mix].items()}
    here = [one.ratio(name, BASE) for name in names]
    bare, up = [name.removeprefix("Tiresias-") for name in names], "mean completion time / that of"
    pair = beside_paper(("here", here), ("paper", map(paper.get, names)), "points")
    series = (over(BASE, [1.0] * len(names), "dashed"), *pair)
    return category_panel(ABOUT, "policy", bare, f"{up} {BASE}, {mix}", series)
