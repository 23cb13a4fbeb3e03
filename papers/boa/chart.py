"""The trade-off curve of a mix with every policy as points, and the paper's ratios above it."""

from collections.abc import Mapping, Sequence
from statistics import fmean

import numpy as np

from ...analysis.charts import Axis, Look, Panel, Point, Series, series_of
from ...analysis.drawing.colours import INK, SOFT_INK
from ...instances import FleetInstance
from ...policies.rental.dual import curve
from ...policies.rental.streams import streams_of
from .rented import BASE, FIRST, METHODS, USUAL, RentedRows

PAPER = {"1.6": "small implementation", "2": "large simulation"}
"""How many times BOA's mean completion time its paper says that others had, and where."""

FINE = 60
"""Budgets along the curve."""

SHOWN = 5.0
"""Policies that take more times as long as BOA are left to the table."""

LEAST, MOST = 1.05, 3.4
"""Its ends, as multiples of the load."""


def draw(mix: str, budgets: Mapping[str, RentedRows]) -> tuple[Panel]:
    """Return the chart of a mix; `budgets` has what was made of each."""
    paths = budgets[USUAL].paths
    least = _curve(paths)
    dashes = ((4, 3), (1.6, 1.8))
    guides = [
        Series(
            name=f"{times} times that (paper: {where})",
            points=tuple((x, float(times) * y) for x, y in least),
            way="line",
            look=Look(colour=SOFT_INK, dash=dash),
            marked=False,
        )
        for (times, where), dash in zip(PAPER.items(), dashes, strict=True)
    ]
    known = Series(
        name="least for the money (program)",
        points=tuple(least),
        way="line",
        look=Look(colour=INK),
        marked=False,
    )
    names = (name for name in METHODS if name != FIRST)  # It would lie on the one like Pollux.
    points = series_of({name: _points(name, budgets) for name in names}, "points")
    return (
        Panel(
            about=f"{mix}: mean completion time against GPUs paid for, by policy",
            x=Axis(title="GPUs paid for / GPUs busy if every job has one"),
            y=Axis(title="mean completion time, h", log=True),
            series=(known, *guides, *(one for one in points if one.points)),
            notes=(
                f"{mix}; means over {len(paths)} paths of {len(paths[0].jobs)} jobs",
                f"not shown: more than {SHOWN:g} times BOA's",
            ),
        ),
    )


def load_of(path: FleetInstance) -> float:
    """Return the GPUs that are busy if every job has one."""
    return float(sum(map(sum, path.loads)))


def _curve(paths: Sequence[FleetInstance]) -> list[Point]:
    """Return the program's value by multiples of the load, on average over paths."""
    times = np.geomspace(LEAST, MOST, FINE)
    jct = [curve(streams_of(path), times * load_of(path)).mean_jct for path in paths]
    return list(zip(times.tolist(), np.mean(jct, axis=0).tolist(), strict=True))


def _points(name: str, budgets: Mapping[str, RentedRows]) -> list[Point]:
    """Return what a policy spent and what it came to, by budget."""
    found = []
    for one in budgets.values():
        if one.complete(name):
            rows = zip(one.rows[name], one.paths, strict=True)
            spent = fmean(row["mean_gpus"] / load_of(path) for row, path in rows)
            mean = one.mean(name).mean
            found += [(spent, mean)] if mean <= SHOWN * one.mean(BASE).mean else []
    return sorted(found)
