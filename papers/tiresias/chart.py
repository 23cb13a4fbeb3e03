"""The pictures of the experiments of Tiresias: completion times over those under Tiresias-L."""

from collections.abc import Mapping

from ...analysis.plots import Chart, Panel, Series
from ..compared import Compared
from ..series import beside_paper
from .methods import BASE
from .mixes import TESTBED, TRACE
from .numbers import TESTBED_RATIOS
from .numbers import TRACE as PAPER_TRACE

PAPER: dict[str, Mapping[str, tuple[float, ...]]] = {TESTBED: TESTBED_RATIOS, TRACE: PAPER_TRACE}


def draw(found: Mapping[str, Compared]) -> dict[str, Chart]:
    """Return a chart for the testbed and one for the trace."""
    about = "Mean completion time over that under Tiresias-L, here and in the paper"
    return {mix: Chart(about=about, panels=(_panel(mix, one),)) for mix, one in found.items()}


def _panel(mix: str, one: Compared) -> Panel:
    names = [name for name in one.rows if name != BASE]
    paper = {name: ratios[0] for name, ratios in PAPER[mix].items()}
    here = [one.ratio(name, BASE) for name in names]
    return Panel(
        title=f"mean completion time / that of {BASE}, {mix}",
        across="policy",
        categories=tuple(name.removeprefix("Tiresias-") for name in names),
        series=(
            Series(name=BASE, values=(1.0,) * len(names), look="dashed"),
            *beside_paper(("here", here), ("paper", map(paper.get, names)), "points"),
        ),
    )
