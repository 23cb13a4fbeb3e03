"""Values of relaxations by several engines, tables of their strength, and roundings."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from statistics import fmean, median
from typing import NamedTuple

from ...analysis.drawing.colours import INK, SOFT_INK
from ...analysis.drawing.paint import POINT
from ...analysis.figures.canvas import Axes, Figure, blank, draw, finished, label
from ...analysis.figures.style import HOLLOW, LOOKS, POINTS, SIZE
from ...analysis.intervals import Interval
from ...analysis.tables import Cell, Table, numbers, texts
from ...formulations.program import Caps, Matrix
from ...formulations.solver_interface.solve import solve
from ...instances import SolutionStatus
from ...instances.errors import plural
from ...run import ContradictionError
from ..study import table_of

ENGINES = {"simplex": "simplex", "interior point": "ipm", "first order": "pdlp"}
"""Algorithms of HiGHS, by its own names."""

ALIKE = 1e-4
"""Values of engines that differ by more contradict each other, relative to the larger."""

AT = 1e-6
"""A value that is below the best by no more than this part of it is the best."""


class Root(NamedTuple):
    """A relaxation of an instance: its size, its value, and seconds by engine, None at a limit."""

    instance: str
    best: float
    name: str
    program: Matrix | None
    """None if it is no linear program."""
    value: float | None
    seconds: Mapping[str, float | None]

    @property
    def strength(self) -> float | None:
        """The value over the best that is known."""
        return None if self.value is None else self.value / self.best


class Timed(NamedTuple):
    """The value that an engine gives, and the seconds of processor time."""

    value: float | None
    seconds: float


def solved(root: Root, time_limit: float, others: Mapping[str, Timed] | None = None) -> Root:
    """Solve a relaxation by each engine, and compare the values.

    Raises:
        ContradictionError: If values differ: one of the engines is wrong.
    """
    found = dict(others or {})
    if root.program is not None:
        ask = partial(_by_highs, root.program, time_limit)
        found = {name: timed(partial(ask, word)) for name, word in ENGINES.items()} | found
    values = [one.value for one in found.values() if one.value is not None]
    if values and max(values) - min(values) > ALIKE * max(map(abs, values)):
        shown = ", ".join(f"{value:.6g}" for value in values)
        raise ContradictionError(f"{root.instance}: {root.name} has the values {shown}")
    seconds = {key: None if one.value is None else one.seconds for key, one in found.items()}
    return root._replace(value=values[0] if values else None, seconds=seconds)


def timed(ask: Callable[[], float | None]) -> Timed:
    """Compute a value, and measure the time that it needs."""
    began = time.process_time()
    value = ask()
    return Timed(value, time.process_time() - began)


def _by_highs(program: Matrix, time_limit: float, word: str) -> float | None:
    found = solve(program, caps=Caps(time_s=time_limit, settings=(("solver", word),)))
    return found.value if found.status is SolutionStatus.OPTIMAL else None


def strength_rows(
    found: Iterable[Root], names: Iterable[str], engines: Iterable[str]
) -> list[tuple[Cell, ...]]:
    """Return a line for each relaxation: its strength, size and time."""
    known = [root for root in found if root.strength is not None]
    engines, rows = tuple(engines), list[tuple[Cell, ...]]()
    for name in names:
        own = [root for root in known if root.name == name]
        if own:
            strengths = [root.strength for root in own if root.strength is not None]
            sizes = [_size(root.program) for root in own if root.program is not None]
            shapes = [median(size) for size in zip(*sizes, strict=True)] or [None] * 3
            exact = sum(strength > 1 - AT for strength in strengths)
            times = (_seconds(own, engine) for engine in engines)
            rows.append((name, len(own), fmean(strengths), min(strengths), exact, *shapes, *times))
    return rows


def strength_table(
    caption: str,
    rows: Sequence[tuple[Cell, ...]],
    engines: Iterable[str],
    note: str,
    heads: Sequence[str] = ("relaxation",),
    digits: int = 3,
    over: str = "s on average",
) -> Table:
    """Return the table of such lines, which begin with texts under `heads`."""
    return table_of(
        caption,
        (
            *texts(*heads),
            *numbers("instances"),
            *numbers("mean", "least", digits=digits, over="value / best"),
            *numbers("at the best"),
            *numbers("columns", "rows", "nonzeros", over="median"),
            *texts(*engines, over=over),
        ),
        rows,
        note,
    )


def _size(program: Matrix) -> tuple[int, int, int]:
    rows, columns = program.a.shape
    return columns, rows, program.a.nnz


def _seconds(own: Iterable[Root], engine: str) -> str:
    times = [root.seconds[engine] for root in own if engine in root.seconds]
    known = [one for one in times if one is not None]
    missing = f" (not {len(times) - len(known)})" if len(known) < len(times) else ""
    return f"{fmean(known):.2g}{missing}" if known else "-"


WIDTH, LINE, BOTTOM = 820.0, 26.0, 60.0
"""Pixels of the whole, of a line, and below the lines."""
TICKS = (0.5, 0.7, 1, 1.5, 2, 3, 5, 10, 20)


class RoundedPair(NamedTuple):
    """A relaxation, its rounding, and both over the best known value."""

    relaxation: str
    method: str
    value: Interval
    rounded: Interval
    factor: float | None
    """The least proved factor, None without a theorem."""


def rounded_picture(groups: Mapping[str, Sequence[RoundedPair]]) -> Figure:
    """Draw a line for each pair, under a line for its group."""
    lines: list[str | RoundedPair] = []
    for name, pairs in groups.items():
        lines += [name, *pairs]
    about = "relaxation, its rounding and the proved factor, divided by the best known"
    figure, [[axes]] = blank(about, (WIDTH, LINE * len(lines) + BOTTOM))
    label(axes, across="over the best known", log="x")
    axes.axvline(1, color=INK, linewidth=1)
    drawn = {-i: one for i, one in enumerate(lines) if isinstance(one, RoundedPair)}
    for y, pair in drawn.items():
        _draw_pair(axes, pair, y)
    kinds = {"relaxation": LOOKS[0] | POINTS, "rounded": LOOKS[1] | POINTS, "proved factor": HOLLOW}
    values = {
        "relaxation": [(pair.value.mean, y) for y, pair in drawn.items()],
        "rounded": [(pair.rounded.mean, y) for y, pair in drawn.items()],
        "proved factor": [(p.factor, y) for y, p in drawn.items() if p.factor is not None],
    }
    for name, look in kinds.items():
        draw(axes, values[name], name, look)
    axes.set(xlim=(TICKS[0], TICKS[-1]), ylim=(0.6 - len(lines), 0.6))
    texts = [one if isinstance(one, str) else _text(one) for one in lines]
    axes.set_yticks([-i for i in range(len(lines))], texts)
    axes.tick_params(axis="y", labelcolor=INK)
    for text, one in zip(axes.get_yticklabels(), lines, strict=True):
        text.set_fontweight("bold" if isinstance(one, str) else "normal")
    finished(figure)
    axes.set_xticks(TICKS)
    return figure


def _text(pair: RoundedPair) -> str:
    return f"{pair.relaxation} → {pair.method}"


def _draw_pair(axes: Axes, pair: RoundedPair, y: float) -> None:
    """Draw a line from a relaxation to its rounding, the intervals, and the number of answers."""
    axes.plot([pair.value.mean, pair.rounded.mean], [y, y], color=SOFT_INK, linewidth=1)
    for look, one in zip(LOOKS, (pair.value, pair.rounded), strict=False):
        if one.bounded:
            axes.plot([one.low, one.high], [y, y], color=look["color"], linewidth=3.5, alpha=0.4)
    count = plural(pair.rounded.count, "answer")
    place = {"transform": axes.get_yaxis_transform(), "ha": "right", "va": "center"}
    axes.text(0.995, y, count, color=SOFT_INK, size=SIZE * POINT, **place)
