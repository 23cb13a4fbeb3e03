"""The pictures of the experiments of Tiresias: completion times over those under Tiresias-L."""

from collections.abc import Mapping

from ...analysis.plots import PALETTE, Chart, Panel, Series
from .mixes import TESTBED, TRACE
from .numbers import TESTBED_RATIOS
from .numbers import TRACE as PAPER_TRACE
from .seen import BASE, MEAN, Seen

PAPER: dict[str, Mapping[str, tuple[float, ...]]] = {TESTBED: TESTBED_RATIOS, TRACE: PAPER_TRACE}


def draw(seen: Mapping[str, Seen]) -> dict[str, Chart]:
    """Return a chart for the testbed and one for the trace."""
    about = "Mean completion time over that under Tiresias-L, here and in the paper"
    return {mix: Chart(about=about, panels=(_panel(one),)) for mix, one in seen.items()}


def _panel(seen: Seen) -> Panel:
    names = [name for name in seen.rows if name != BASE]
    paper = {name: ratios[0] for name, ratios in PAPER[seen.mix].items()}
    return Panel(
        title=f"mean completion time / that of {BASE}, {seen.mix}",
        across="policy",
        categories=tuple(name.removeprefix("Tiresias-") for name in names),
        series=(
            Series(name=BASE, values=(1.0,) * len(names), look="dashed"),
            Series(
                name="here",
                values=tuple(seen.ratio(name, MEAN) for name in names),
                look="points",
                colour=PALETTE[0],
            ),
            Series(
                name="paper",
                values=tuple(paper.get(name) for name in names),
                look="marks",
                colour=PALETTE[1],
            ),
        ),
    )
