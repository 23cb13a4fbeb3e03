"""The expected time against the number of parts, as a figure."""

from collections.abc import Sequence
from math import isfinite

from ..charts import LOOKS, Axis, Panel, Series
from .tables import PartsPoint


def curve_panel(name: str, points: Sequence[PartsPoint]) -> Panel:
    """Return the curves of codes and of repeated parts, with the best of each."""
    ways = (
        ("MDS code", "mds_s", LOOKS[0]),
        ("repeated parts", "repeated_s", LOOKS[1]),
    )
    series = []
    for label, field, look in ways:
        known = [(one.parts, getattr(one, field)) for one in points]
        line = tuple((float(parts), time) for parts, time in known if isfinite(time))
        if not line:
            continue
        best = min(line, key=lambda point: point[1])
        series.append(Series(name="", points=line, way="line", look=look, marked=False))
        told = f"{label}, best: {best[1]:.4g} s with {best[0]:.0f}"
        series.append(Series(name=told, points=(best,), way="points", look=look))
    return Panel(
        about=f"{name}: expected time in seconds against the number of parts",
        x=Axis(title="parts of the matrix"),
        y=Axis(title="expected time, s", log=True),
        series=tuple(series),
        notes=(name,),
    )
