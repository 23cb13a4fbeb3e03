"""Theorems checked against many runs on random instances: verdicts, ratios, and their picture.

No runs are stored: it takes minutes, and gives the same on every machine.

Measured ratios and proven factors: a panel for each theorem, darker where runs are many.
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain
from math import ceil
from multiprocessing import get_context
from signal import SIG_IGN, SIGINT, signal

import numpy as np

from ..analysis.drawing.colours import INK, SOFT_INK, WRONG
from ..analysis.drawing.paint import POINT
from ..analysis.drawing.shapes import fit
from ..analysis.figures.canvas import Axes, Figure, blank, finished, label
from ..analysis.figures.style import SIZE
from ..analysis.guarantees import FactorVerdict, all_guarantees
from ..analysis.intervals import mean_above
from ..analysis.tables import Cell, Table
from ..campaigns.reproductions import Answers, Results, Settings
from ..campaigns.verifying.theorems import VerifiedRuns, claimed_policies, random_runs
from ..run import ContradictionError
from .study import table_of

ROUNDINGS = ["lenstra-shmoys-tardos", "alpha-points", "midpoints"]
"""Methods that round a relaxation."""

BLUE = "#0b5a9e"
COLUMNS, ROWS = 40, 24
"""Rows and columns of a panel."""

ACROSS, WIDTH, HEIGHT = 3, 750.0, 236.0
"""Panels side by side, and pixels of the whole and of a row of them."""

LEAST, MOST_FACTOR = 0.93, 64.0
"""Start of scales, and the largest factor shown: far from its runs, it has little meaning."""


def picture(found: VerifiedRuns) -> Figure:
    """Draw a panel for each theorem: the line on which ratio and factor are equal, and the runs."""
    shown = [
        g for g in all_guarantees() if g.name in found.tallies and found.tallies[g.name].points
    ]
    about = f"measured ratio against factor over {found.runs} runs, a panel for each theorem"
    rows = ceil(len(shown) / ACROSS)
    figure, places = blank(about, (WIDTH, rows * HEIGHT), rows, ACROSS)
    for i, axes in enumerate(chain(*places)):
        if i >= len(shown):
            axes.remove()
            continue
        points = found.tallies[shown[i].name].points
        factors, ratios = zip(*points, strict=True)
        most = (1.08 * min(max(factors), MOST_FACTOR), 1.08 * max(ratios))
        label(axes, across="factor", up="ratio", log="xy")
        short = shown[i].statement.partition(";")[0].partition(" if ")[0].replace("phi", "φ")
        axes.set_title(shown[i].name, loc="left", fontsize=SIZE, fontweight="bold", pad=20)
        where, size = axes.transAxes, SIZE * POINT
        axes.text(0.14, 1.045, fit(short, SIZE, 170), transform=where, color=SOFT_INK, size=size)
        axes.set(xlim=(LEAST, most[0]), ylim=(LEAST, most[1]))
        axes.plot([LEAST, min(most)], [LEAST, min(most)], color=INK, linewidth=1.2)
        _draw_cells(axes, points, most)
    return finished(figure)


def _draw_cells(
    axes: Axes, points: Counter[tuple[float, float]], most: tuple[float, float]
) -> None:
    """Draw rectangles, darker for more runs, in red if a ratio exceeds its factor."""
    edges = [
        np.geomspace(LEAST, end, count + 1)
        for end, count in zip(most, (COLUMNS, ROWS), strict=True)
    ]
    cells = np.zeros((ROWS, COLUMNS, 4))
    for above, colour in ((False, BLUE), (True, WRONG)):
        chosen = [
            (factor, ratio, count)
            for (factor, ratio), count in points.items()
            if factor < most[0] and (ratio > factor + 0.001) is above
        ]
        factors, ratios, weights = np.array(chosen).reshape(-1, 3).T
        counts = np.histogram2d(factors, ratios, bins=edges, weights=weights)[0].T
        digits = np.floor(np.log10(np.maximum(counts, 1)))
        # With each digit that a number of runs has, a cell gets a sixth darker.
        depth = np.ones_like(counts) if above else np.minimum(1, 0.2 + 0.16 * digits)
        ink = np.array(list(bytes.fromhex(colour[1:]))) / 255
        shade = np.dstack([1 - depth[..., None] * (1 - ink), np.ones_like(counts)])
        cells[counts > 0] = shade[counts > 0]
    axes.pcolormesh(*edges, cells, zorder=1.5, rasterized=True)


CHUNK = 100
"""Instances for a process at a time. Fewer are not worth a process."""

SLOWER = 6
"""Methods that solve a program get one instance in this many."""


def report(settings: Settings, _: Answers | None = None) -> Results:
    """Run the methods of theorems on the given number of instances, and tabulate the results."""
    few = -(-settings.seeds // SLOWER)
    found = findings(claimed_policies(), settings.seeds)
    rounded = findings(ROUNDINGS, few)
    return Results(
        tables={
            "theorems": _theorems(found),
            "schedulers": _schedulers(found),
            "roundings": _theorems(rounded),
        },
        charts={"ratios": partial(picture, found)},
        statements=(*_statements("schedulers", found), *_statements("roundings", rounded)),
    )


def findings(methods: Sequence[str], count: int, seed: int = 0) -> VerifiedRuns:
    """Return the verified runs on this many instances, whatever the number of processes."""
    work = partial(_chunk, methods=methods, seed=seed)
    chunks = [range(first, min(first + CHUNK, count)) for first in range(0, count, CHUNK)]
    if len(chunks) == 1:
        return work(chunks[0])
    found = VerifiedRuns()
    fresh = get_context("spawn")  # A copy of a process with threads may stand still.
    deaf = (SIGINT, SIG_IGN)  # Ctrl-C is left to the process that collects.
    with ProcessPoolExecutor(os.cpu_count(), fresh, initializer=signal, initargs=deaf) as pool:
        for part in pool.map(work, chunks):
            found.join(part)
    return found


def _chunk(indices: range, methods: Sequence[str], seed: int) -> VerifiedRuns:
    found = VerifiedRuns()
    for part in random_runs(indices, methods, seed=seed):
        found.join(part)
    return found


def _theorems(found: VerifiedRuns) -> Table:
    heads = {"theorem": None, "holds": 0, "violated": 0, "open": 0, "mean ratio": 3}
    heads |= {"largest": 3, "median factor": 3, "largest ratio / factor": 2}
    rows: list[tuple[Cell, ...]] = []
    for guarantee in all_guarantees():
        tally = found.tallies.get(guarantee.name)
        if tally is None or tally.worst is None:
            continue
        worst, nearest = float(tally.worst.ratio or 0), float(tally.nearest) or None
        counts = (float(tally.verdicts[verdict]) for verdict in FactorVerdict)
        rows.append((guarantee.name, *counts, tally.mean, worst, tally.usual, nearest))
    notes = (
        "Ratios are to the proved bound. The last column leaves out factors of 1. "
        "Open: neither a bound nor a schedule decides.",
    )
    caption = "Results of runs for each theorem"
    return table_of(caption, heads, rows, *notes)


def _schedulers(found: VerifiedRuns) -> Table:
    rows = [
        (name, float(len(ratios)), mean_above(ratios, 1.0), max(ratios))
        for name, ratios in found.ratios.items()
    ]
    rows.sort(key=lambda row: row[2].mean)
    heads = {"scheduler": None, "runs": 0, "mean ratio": 3, "largest": 3}
    how = "Student's t on the logarithm of the distance from 1"
    notes = (f"Makespan / proved bound, with 95 % intervals ({how}).",)
    caption = "How far schedulers are from the bound"
    return table_of(caption, heads, rows, *notes)


def _statements(who: str, found: VerifiedRuns) -> Iterator[str]:
    """Yield the number of decided cases. A counterexample to a theorem is an error."""
    for row in found.broken:
        raise ContradictionError(
            f"{row.instance}: {row.method} refutes {row.guarantee.name}, which is proved: a "
            f"value of {float(row.value or 0):g} where {float(row.best or 0):g} is possible"
        )
    yield (
        f"{who}: {found.runs} runs end with a schedule, some theorem applies to "
        f"{found.settled}, and each of these runs is confirmed or refuted"
    )
    proved = [g.name for g in all_guarantees() if g.proved and g.name in found.tallies]
    undecided = sum(found.tallies[name].verdicts[FactorVerdict.INCONCLUSIVE] for name in proved)
    where = f"all but {undecided} runs" if undecided else "every run"
    yield f"{who}: the proved statement is confirmed in {where} to which it applies"
