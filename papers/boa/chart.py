"""The trade-off curve of a mix with every policy as points, and the paper's ratios above it."""

from collections.abc import Mapping, Sequence
from statistics import fmean

import numpy as np

from ...analysis.drawing.colours import SOFT_INK
from ...analysis.figures.canvas import Figure, Point, draw, finished, guide, new_figure
from ...analysis.figures.style import POINTS, SOLID, looks_for
from ...instances import FleetInstance
from ...policies.rental.dual import curve, streams_of
from .equal_spend import BASE, FIRST, METHODS, USUAL, RentedRows

PAPER = {"1.6": "small implementation", "2": "large simulation"}
"""How many times BOA's mean completion time its paper says that others had, and where."""

DASHES = ((3.6, 2.4), (1.1, 1.2))

FINE = 60
"""Budgets along the curve."""

SHOWN = 5.0
"""Policies that take more times as long as BOA are left to the table."""

LEAST, MOST = 1.05, 3.4
"""Its ends, as multiples of the load."""


def draw_mix(mix: str, budgets: Mapping[str, RentedRows]) -> Figure:
    """Draw a mix; `budgets` has what was made of each."""
    paths = budgets[USUAL].paths
    least = _curve(paths)
    about = f"{mix}: mean completion time against GPUs paid for, by policy"
    across = "GPUs paid for / GPUs busy if every job has one"
    figure, axes = new_figure(about, across=across, up="mean completion time, h", log="y")
    guide(axes, least, "least for the money (program)", **SOLID)
    for (times, where), dash in zip(PAPER.items(), DASHES, strict=True):
        more = [(x, float(times) * y) for x, y in least]
        name = f"{times} times that (paper: {where})"
        guide(axes, more, name, color=SOFT_INK, linestyle=(0, dash))
    names = [name for name in METHODS if name != FIRST]  # It would lie on the one like Pollux.
    for name, look in looks_for(names).items():
        if points := _points(name, budgets):
            draw(axes, points, name, look | POINTS)
    notes = (
        f"{mix}; means over {len(paths)} paths of {len(paths[0].jobs)} jobs",
        f"not shown: more than {SHOWN:g} times BOA's",
    )
    return finished(figure, notes)


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
