"""Mean completion times by contention model: lines that cross are conclusions that change."""

from collections.abc import Sequence
from itertools import cycle

from ..charts import PALETTE, Panel, by_name, category_panel
from .cases import AxisRow, contender, values_of, varied

ABOUT = "Mean JCT in seconds by contention model; lines that cross are conclusions that change"
MOST_PANELS = 4
"""More panels side by side are too small to read; the tables have them all."""


def crossings(cases: Sequence[AxisRow]) -> tuple[Panel, ...]:
    """Return a panel for each cluster and load; none with a single contention model."""
    axes = [axis for axis in varied(cases) if axis in ("cluster", "load")]
    places: dict[tuple[str, ...], list[AxisRow]] = {}
    for case in cases:
        places.setdefault(tuple(case.at[axis] for axis in axes), []).append(case)
    if len(values_of(cases, "contention")) < 2:
        return ()
    panels = [_panel(", ".join(place), some) for place, some in places.items()]
    return tuple(panels[:MOST_PANELS])


def _panel(title: str, cases: list[AxisRow]) -> Panel:
    means = {(contender(case, cases), case.at["contention"]): case.mean for case in cases}
    models = values_of(cases, "contention")
    names = dict.fromkeys(name for name, _ in means)
    values = {name: [means[name, model] for model in models] for name in names}
    series, up = by_name(values, "line", cycle(PALETTE)), f"mean JCT, s{title and f': {title}'}"
    return category_panel(ABOUT, "contention model", models, up, series)
