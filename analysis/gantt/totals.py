"""Totals over time for clusters with too many machines to draw each of them.

From top to bottom: what is in use, how many jobs wait, and a density, where a row stands for
several machines.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...instances.errors import plural, visible
from ..drawing import colours
from ..drawing.shapes import Box, Boxes, Group, Picture, Shape, TextLine, fit
from ..timeline import Timeline
from .page import LABEL_SIZE, below_header, draw_keys, draw_labels, draw_words, headline, sheet
from .time import RIGHT, Area, Stack, Step, draw_stack, draw_time, means

MOST_ROWS, MOST_BARS = 120, 6000
"""Charts with more machines or bars draw totals instead."""
LEFT, TOP, SPACE = 130.0, 120.0, 26.0
HEIGHT, LOW, DENSITY = 200.0, 90.0, 160.0
"""Heights of what is in use, of the waiting jobs, and of the density."""
ROWS, CELLS = 40, 280
"""Most rows of the density, and cells in a row."""
FULL = colours.HUES[4]
"""Colour of a cell in which all is in use. No group of jobs has it."""
LEVELS = 10
"""Levels of use and of darkness in the density."""

SIZES = ((1, "1 GPU"), (4, "2 to 4 GPUs"), (8, "5 to 8 GPUs"), (10**9, "more GPUs"))
"""The groups of job sizes in the analysis of the Philly trace."""


def size_group(gpus: int) -> int:
    """Return the group of a job's size."""
    return next(i for i, (most, _) in enumerate(SIZES) if gpus <= most)


class Use(NamedTuple):
    """An amount of a machine in use by a group of jobs, and the share of bandwidth they lose."""

    machine: int
    group: int
    start: float
    end: float
    amount: float
    lost: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Contents of the chart: machines with their capacity, groups of jobs, uses, waiting jobs.

    A group without a name does not occur. `shown` is the last moment, and `ticks` is the number of
    ticks in one `unit` of time.
    """

    timeline: Timeline
    resource: str
    word: str
    machines: Sequence[tuple[str, float]]
    groups: Sequence[str]
    uses: Sequence[Use]
    waiting: Sequence[Step]
    shown: float
    ticks: float = 1
    unit: str

    @property
    def area(self) -> Area:
        """The area of all three parts."""
        top = below_header(self.timeline, TOP)
        bottom = top + HEIGHT + LOW + DENSITY + 2 * SPACE
        return Area(left=LEFT, top=top, bottom=bottom, horizon=self.shown)


def lay_out_totals(
    totals: Totals, more: Iterable[Shape | Group] = (), notes: Sequence[str] = ()
) -> Picture:
    """Lay out the whole chart, with `more` drawn on it."""
    area, timeline = totals.area, totals.timeline
    capacity = sum(size for _, size in totals.machines)
    fills = [*colours.HUES[: len(SIZES)], colours.mixed(colours.SHADE, colours.PAPER, 0.35)]
    layers = [means(_steps(totals.uses, i), totals.shown) for i in range(len(totals.groups))]
    waiting = means(totals.waiting, totals.shown)
    name = f"{totals.resource} in use"
    used_at = Stack(name=name, left=LEFT, top=area.top, height=HEIGHT, most=capacity)
    below = area.top + HEIGHT + SPACE
    most = max([*waiting, 1.0])
    waits_at = Stack(name="waiting jobs", left=LEFT, top=below, height=LOW, most=most)
    shapes = (
        *_legend(totals, fills, area.top - 66),
        *draw_stack(used_at, layers, fills[: len(layers)]),
        *draw_stack(waits_at, [waiting], [colours.SOFT_INK]),
        *_draw_density(totals, below + LOW + SPACE),
        *draw_time(LEFT, area.top, area.bottom, totals.shown / totals.ticks, totals.unit),
        *more,
    )
    bottom = area.bottom + (0 if notes else 16)
    return sheet(
        timeline, headline(timeline), shapes, head=area.top - 88, bottom=bottom, notes=notes
    )


def _steps(uses: Iterable[Use], group: int) -> Iterator[Step]:
    for use in uses:
        if use.group == group:
            yield use.start, use.amount
            yield use.end, -use.amount


def _legend(totals: Totals, fills: Sequence[str], y: float) -> Iterator[Shape]:
    named = zip(fills, totals.groups, strict=False)
    keys = ((fill, None, fit(visible(words), 11, 120)) for fill, words in named if words)
    x = yield from draw_keys(keys, y)
    jobs, machines = len(totals.timeline.instance.jobs), len(totals.machines)
    yield from draw_words(x, y, f"{plural(jobs, 'job')} on {plural(machines, totals.word)}")


def _draw_density(totals: Totals, top: float) -> Iterator[Shape]:
    """Draw rows of machines: the stronger, the more is in use, the darker, the slower rings are."""
    each = -(-len(totals.machines) // ROWS)
    rows = -(-len(totals.machines) // each)
    pitch, width = DENSITY / rows, (RIGHT - LEFT) / CELLS
    used: list[list[Step]] = [[] for _ in range(rows)]
    lost: list[list[Step]] = [[] for _ in range(rows)]
    for use in totals.uses:
        for steps, amount in ((used, use.amount), (lost, use.amount * use.lost)):
            if amount:
                steps[use.machine // each] += [(use.start, amount), (use.end, -amount)]
    cells: dict[str, list[Box]] = {}
    for row in range(rows):
        y, size = top + row * pitch, sum(s for _, s in totals.machines[row * each :][:each])
        shares = zip(*(means(some[row], totals.shown, CELLS) for some in (used, lost)), strict=True)
        fills = [_cell(share, missing, size) for share, missing in shares]
        first = 0
        for i in range(1, CELLS + 1):
            if i == CELLS or fills[i] != fills[first]:
                box = (LEFT + first * width, y, (i - first) * width + 0.05, pitch)
                cells.setdefault(fills[first], []).append(box)
                first = i
    for fill, boxes in sorted(cells.items()):
        yield Boxes(at=tuple(boxes), fill=fill, role="density")
    names = [visible(name) for name, _ in totals.machines[::each]]
    yield from draw_labels(((top + (i + 0.5) * pitch, name) for i, name in enumerate(names)), LEFT)
    text = f"{totals.resource} in use, {plural(each, totals.word)} per row"
    worst = max((use.lost for use in totals.uses), default=0.0)
    keys = [(f"{50 * i} %", _cell(i, 0, 2)) for i in range(3)]
    if worst:
        text += ", darker where the exchange is slowed down"
        keys += [(f"x{k}", _cell(1, 1 - 1 / k, 1)) for k in (2, 5)]
    at = (LEFT, top - 8)
    yield TextLine(at=at, text=text, size=LABEL_SIZE, colour=colours.INK, role="row")
    for i, (words, fill) in enumerate(keys, -len(keys)):
        x, ink = RIGHT + 40.0 * i, colours.ink_on(fill)
        yield Boxes(at=((x, top - 17, 40.0, 13.0),), fill=fill)
        at = (x + 20, top - 7)
        yield TextLine(at=at, text=words, size=10, colour=ink, anchor="middle", role="key")


def _cell(used: float, lost: float, size: float) -> str:
    """Return the colour of a cell from the amounts in use and lost, out of a size."""
    share = min(1.0, used / size) if size else 0.0
    dark = min(1.0, lost / used) if used > 1e-9 else 0.0
    strong = colours.mixed(colours.BAND, FULL, round(LEVELS * share) / LEVELS)
    step = round(LEVELS * dark) * colours.STEPS // LEVELS
    return colours.mixed(strong, colours.SHADE, colours.shade_opacity(step))
