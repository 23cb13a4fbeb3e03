"""Theorems checked against many runs on random instances: verdicts, ratios, and their picture.

Nothing is written down on the way: it takes minutes, and gives the same on every machine.

Measured ratios beside proven factors: a panel for each theorem, darker where runs are many.
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import ceil, floor, log2
from multiprocessing import get_context
from signal import SIG_IGN, SIGINT, signal

from ..analysis.charts import Scale, View
from ..analysis.drawing.colours import FAINT, INK, SOFT_INK, WRONG
from ..analysis.drawing.shapes import Boxes, Line, Picture, Shape, TextLine
from ..analysis.guarantees import FactorVerdict, all_guarantees
from ..analysis.intervals import mean_above
from ..analysis.tables import Cell, Table, columns_of
from ..campaigns.results import Results
from ..campaigns.runs import Run
from ..campaigns.verifying.random_runs import VerifiedRuns, claimed_policies, random_runs
from ..run import ContradictionError
from .study import Answers, Known, Settings

ROUNDINGS = ["lenstra-shmoys-tardos", "alpha-points", "midpoints"]
"""Methods that round a relaxation."""

BLUE = "#0b5a9e"
COLUMNS, ROWS = 40, 24
"""Cells of a panel."""

ACROSS, WIDTH, HEIGHT = 3, 250.0, 240.0
LEFT, RIGHT, TOP, BOTTOM = 44.0, 12.0, 46.0, 40.0

LEAST, MOST_FACTOR = 0.93, 64.0
"""Where scales begin, and the largest factor shown: far from its runs, it says little."""

DEPTHS = (0.2, 0.36, 0.52, 0.68, 0.84, 1.0)
"""Opacities of cells with 1 run, 10, 100 and so on."""


def picture(found: VerifiedRuns) -> Picture:
    """Return the picture of a campaign."""
    shown = [
        g for g in all_guarantees() if g.name in found.tallies and found.tallies[g.name].points
    ]
    rows = ceil(len(shown) / ACROSS)
    shapes = list[Shape]()
    for i, guarantee in enumerate(shown):
        points = found.tallies[guarantee.name].points
        factors, ratios = zip(*points, strict=True)
        most = 1.08 * min(max(factors), MOST_FACTOR)
        left, top = i % ACROSS * WIDTH, i // ACROSS * HEIGHT
        view = View(
            x=Scale(log=True, low=LEAST, high=most),
            y=Scale(log=True, low=LEAST, high=1.08 * max(ratios)),
            left=left + LEFT,
            right=left + WIDTH - RIGHT,
            top=top + TOP,
            bottom=top + HEIGHT - BOTTOM,
        )
        shapes += _axes(view)
        shapes += _cells(view, points)
        shapes += _words(view, guarantee.name, guarantee.statement)
    about = f"measured ratio against factor over {found.runs} runs, a panel for each theorem"
    return Picture.on_paper((ACROSS * WIDTH, rows * HEIGHT + 14), about, shapes)


def _axes(view: View) -> Iterator[Shape]:
    """Draw both scales and the line on which ratio and factor are equal."""
    for tick in _ticks(view.y.high):
        y = view.up(tick)
        yield Line(start=(view.left, y), end=(view.right, y), colour=FAINT, role="grid")
        at = (view.left - 5, y + 3.5)
        yield TextLine(at=at, text=f"{tick:g}", size=10, colour=SOFT_INK, anchor="end")
    for tick in _ticks(view.x.high):
        x = view.across(tick)
        yield Line(start=(x, view.bottom), end=(x, view.top), colour=FAINT, role="grid")
        at = (x, view.bottom + 14)
        yield TextLine(at=at, text=f"{tick:g}", size=10, colour=SOFT_INK, anchor="middle")
    end = min(view.x.high, view.y.high)
    start, stop = (view.left, view.bottom), view.place((end, end))
    yield Line(start=start, end=stop, colour=INK, width=1.6, role="factor")


def _ticks(most: float) -> list[float]:
    """Return powers of two, or steps of a tenth or two on a short scale."""
    if most >= 3:
        return [2.0**k for k in range(floor(log2(most)) + 1)]
    step = 1 if most < 1.7 else 2 if most < 2.3 else 5
    return [k / 10 for k in range(10, floor(10 * most) + 1, step)]


def _cells(view: View, points: Counter[tuple[float, float]]) -> Iterator[Shape]:
    """Draw the cells, those with a ratio above its factor in red."""
    counts: Counter[tuple[int, int, bool]] = Counter()
    for (factor, ratio), count in points.items():
        if factor < view.x.high:
            column, row = int(COLUMNS * view.x.part(factor)), int(ROWS * view.y.part(ratio))
            counts[column, row, ratio > factor + 0.001] += count
    left, low = view.left, view.bottom
    x_step, y_step = (view.right - left) / COLUMNS, (low - view.top) / ROWS
    for above in (False, True):
        for depth, opacity in enumerate(DEPTHS):
            boxes = tuple(
                (left + i * x_step, low - (k + 1) * y_step, x_step, y_step)
                for (i, k, over), count in sorted(counts.items())
                if over is above and min(len(DEPTHS) - 1, len(str(count)) - 1) == depth
            )
            if boxes:
                yield Boxes(
                    at=boxes, fill=WRONG if above else BLUE, opacity=1 if above else opacity
                )


def _words(view: View, name: str, statement: str) -> Iterator[Shape]:
    above, middle = view.top - TOP, (view.left + view.right) / 2
    yield TextLine(at=(view.left, above + 20), text=name, size=12, colour=INK, bold=True)
    short = statement.partition(";")[0].partition(" if ")[0].replace("phi", "φ")
    yield TextLine(at=(view.left, above + 35), text=short, size=10, colour=SOFT_INK)
    at = (middle, view.bottom + 29)
    yield TextLine(at=at, text="factor", size=11, colour=INK, anchor="middle")
    yield TextLine(at=(view.left - 30, above + 35), text="ratio", size=11, colour=INK)


CHUNK = 100
"""Instances that a process takes at a time; fewer are not worth a process."""

SLOWER = 6
"""Methods that solve a program get one instance in this many."""


def runs(_: Settings, __: Known | None = None) -> Iterator[Run]:
    """Yield nothing: a verdict takes runs of several methods, and stronger ones if need be."""
    return iter(())


def report(settings: Settings, _: Answers | None = None) -> Results:
    """Run what theorems speak of on the given number of instances; sum up verdicts and ratios."""
    few = -(-settings.seeds // SLOWER)
    found = findings(claimed_policies(), settings.seeds)
    rounded = findings(ROUNDINGS, few)
    return Results(
        tables={
            "theorems": _theorems(found),
            "schedulers": _schedulers(found),
            "roundings": _theorems(rounded),
        },
        charts={"ratios": picture(found)},
        statements=(*_said("schedulers", found), *_said("roundings", rounded)),
    )


def findings(methods: Sequence[str], count: int, seed: int = 0) -> VerifiedRuns:
    """Return what the given number of instances say, whatever the number of processes."""
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
    caption = "What runs say of each theorem"
    return Table(caption=caption, columns=columns_of(heads), rows=tuple(rows), notes=notes)


def _schedulers(found: VerifiedRuns) -> Table:
    rows = [
        (name, float(len(ratios)), mean_above(ratios, 1.0), max(ratios))
        for name, ratios in found.ratios.items()
    ]
    rows.sort(key=lambda row: row[2].mean)
    heads = {"scheduler": None, "runs": 0, "mean ratio": 3, "largest": 3}
    how = "Student's t on the logarithm of the distance from 1"
    notes = (f"Makespan over proved bound, with 95 % intervals ({how}).",)
    caption = "How far schedulers are from the bound"
    return Table(caption=caption, columns=columns_of(heads), rows=tuple(rows), notes=notes)


def _said(who: str, found: VerifiedRuns) -> Iterator[str]:
    """Say how much was decided; that something proved does not hold is an error."""
    for row in found.broken:
        raise ContradictionError(
            f"{row.instance}: {row.method} refutes {row.guarantee.name}, which is proved: a "
            f"value of {float(row.value or 0):g} where {float(row.best or 0):g} is possible"
        )
    yield (
        f"{who}: {found.runs} runs end with a schedule; in {found.settled} some theorem "
        "speaks, and all that do are confirmed or refuted"
    )
    proved = [g.name for g in all_guarantees() if g.proved and g.name in found.tallies]
    undecided = sum(found.tallies[name].verdicts[FactorVerdict.INCONCLUSIVE] for name in proved)
    where = f"all but {undecided} runs" if undecided else "every run"
    yield f"{who}: what is proved is confirmed in {where} of which it speaks"
