"""Mean completion times by contention model: lines that cross are conclusions that change."""

from collections.abc import Sequence

from ..chart import PALETTE
from ..plots import Chart, Panel, Series
from .cases import AxisRow, contender, values_of, varied

MOST_PANELS = 4
"""More panels side by side are too small to read; the tables have them all."""


def crossings(cases: Sequence[AxisRow]) -> Chart | None:
    """Return a panel for each cluster and load; None with a single contention model."""
    axes = [axis for axis in varied(cases) if axis in ("cluster", "load")]
    places: dict[tuple[str, ...], list[AxisRow]] = {}
    for case in cases:
        places.setdefault(tuple(case.at[axis] for axis in axes), []).append(case)
    if len(values_of(cases, "contention")) < 2:
        return None
    panels = [_panel(", ".join(place), some) for place, some in places.items()]
    about = "Mean JCT in seconds by contention model; lines that cross are conclusions that change"
    return Chart(about=about, panels=tuple(panels[:MOST_PANELS]))


def _panel(title: str, cases: list[AxisRow]) -> Panel:
    means = {(contender(case, cases), case.at["contention"]): case.mean for case in cases}
    models = values_of(cases, "contention")
    return Panel(
        title=f"mean JCT, s{title and f': {title}'}",
        across="contention model",
        categories=tuple(models),
        series=tuple(
            Series(
                name=name,
                values=tuple(means[name, model] for model in models),
                look="line",
                colour=PALETTE[i % len(PALETTE)],
            )
            for i, name in enumerate(dict.fromkeys(name for name, _ in means))
        ),
    )
