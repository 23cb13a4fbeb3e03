"""Sums over time, for schedules of so many runs that none of them would be seen."""

from collections.abc import Iterable, Iterator
from itertools import accumulate

from .. import colours
from ..axis import round_ticks
from ..frame import LABEL_SIZE, WIDTH
from ..header import MARGIN
from ..shapes import Boxes, Line, Picture, Shape, Text
from ..slots.layout import draw_header, fault_line
from ..words import number, plural, text_width
from .facts import TraceFacts
from .words import headline, time_unit

BINS = 560
LEFT, RIGHT, TOP = 76.0, WIDTH - 24.0, 98.0
PANELS = (("GPUs in use", 260.0), ("jobs that wait", 150.0))
SPACE = 26.0
WIDTHS = ((1, "1 GPU"), (4, "2 to 4 GPUs"), (8, "5 to 8 GPUs"), (10**9, "more GPUs"))
"""The groups of job sizes in the analysis of the Philly trace."""
HARDLY = 0.02
"""Part of the GPUs below which the time after the last arrival is not drawn."""
RESTARTS = colours.mixed(colours.SHADE, colours.PAPER, 0.35)

Step = tuple[int, float]
"""A moment, and by how much something grows there."""


def lay_out_sums(facts: TraceFacts) -> Picture:
    """Lay out how many GPUs are in use, by what, and how many jobs wait."""
    top = TOP + (20 if facts.faults else 0)
    tops = [top, top + PANELS[0][1] + SPACE]
    bottom = tops[1] + PANELS[1][1]
    height = round(bottom + 62)
    gpus = sum(units for _, units in facts.machines) / facts.unit
    in_use = _in_use(facts)
    shown = _shown(facts, [step for steps in in_use for step in steps], gpus)
    layers = [_means(steps, shown) for steps in in_use]
    waiting = _means(_waiting(facts), shown)
    return Picture(
        width=WIDTH,
        height=height,
        head=top - 66,
        about=headline(facts),
        shapes=(
            Boxes(at=((0, 0, WIDTH, height),), fill=colours.PAPER, role="paper"),
            *draw_header(headline(facts), fault_line(facts)),
            *_legend(facts, top - 30),
            *_panel(0, tops[0], layers, gpus),
            *_panel(1, tops[1], [waiting], max([*waiting, 1.0])),
            *_axis(facts, shown, top, bottom),
        ),
    )


def _shown(facts: TraceFacts, in_use: list[Step], gpus: float) -> int:
    """Return until when to draw: not the time after all arrivals in which hardly anything runs."""
    last = max(job.arrival for job in facts.jobs)
    bins = enumerate(_means(in_use, facts.horizon), 1)
    busy = [k for k, mean in bins if mean >= HARDLY * gpus or k * facts.horizon <= last * BINS]
    return -(-facts.horizon * max(busy, default=BINS) // BINS)


def _in_use(facts: TraceFacts) -> list[list[Step]]:
    """Return the GPUs at work by size of job, and last those of jobs that restart."""
    layers: list[list[Step]] = [[] for _ in range(len(WIDTHS) + 1)]
    for job in facts.jobs:
        group = next(i for i, (most, _) in enumerate(WIDTHS) if job.gpus <= most)
        for stay in job.holds:
            gpus = stay.units / facts.unit
            layers[-1] += [(stay.start, gpus), (stay.works, -gpus)]
            layers[group] += [(stay.works, gpus), (stay.end, -gpus)]
    return layers


def _waiting(facts: TraceFacts) -> list[Step]:
    steps: list[Step] = []
    for job in facts.jobs:
        steps.append((job.arrival, 1))
        for run in job.runs:
            steps += [(run.start, -1), (run.stop, 1)]
        steps.append((facts.horizon if job.end is None else job.end, -1))
    return steps


def _means(steps: Iterable[Step], horizon: int) -> list[float]:
    """Return the mean of a step function over each of the bins."""
    sums = [0.0] * (BINS + 1)
    slopes = [0.0] * (BINS + 1)
    for moment, change in steps:
        place = moment / horizon * BINS
        k = min(BINS, int(place))
        sums[k] += change * (k + 1 - place)
        if k < BINS:
            slopes[k + 1] += change
    return [part + before for part, before in zip(sums, accumulate(slopes), strict=True)][:BINS]


def _panel(place: int, top: float, layers: list[list[float]], most: float) -> Iterator[Shape]:
    """Draw layers on top of each other, with an axis of their own."""
    name, height = PANELS[place]
    bottom, pitch = top + height, (RIGHT - LEFT) / BINS
    yield Boxes(at=((LEFT, top, RIGHT - LEFT, height),), fill=colours.BAND, role="band")
    below = [0.0] * BINS
    for layer, fill in zip(layers, _fills(len(layers)), strict=True):
        at = tuple(
            (LEFT + i * pitch, bottom - (base + value) / most * height, pitch + 0.05, h)
            for i, (base, value) in enumerate(zip(below, layer, strict=True))
            if (h := value / most * height) > 0.02
        )
        if at:
            yield Boxes(at=at, fill=fill, role="layer")
        below = [base + value for base, value in zip(below, layer, strict=True)]
    for tick in round_ticks(most, 5, whole=True):
        y = bottom - tick / most * height
        yield Line(start=(LEFT, y), end=(RIGHT, y), colour=colours.FAINT, width=0.6, role="grid")
        at_text, text = (LEFT - 8, y + 4), number(tick)
        yield Text(at=at_text, text=text, size=10, colour=colours.SOFT_INK, anchor="end")
    yield Text(at=(LEFT, top - 8), text=name, size=LABEL_SIZE, colour=colours.INK, role="row")


def _fills(count: int) -> list[str]:
    if count == 1:
        return [colours.SOFT_INK]
    return [*colours.HUES[: len(WIDTHS)], RESTARTS]


def _legend(facts: TraceFacts, y: float) -> Iterator[Shape]:
    x = float(MARGIN)
    keys = [*zip(_fills(2), [words for _, words in WIDTHS], strict=False), (RESTARTS, "restarts")]
    for fill, words in keys:
        yield Boxes(at=((x, y - 9, 26, 11),), fill=fill)
        yield Text(at=(x + 31, y), text=words, size=11, colour=colours.SOFT_INK)
        x += 31 + text_width(words, 11) + 12
    jobs, servers = len(facts.jobs), len(facts.machines)
    text = f"{plural(jobs, 'job')} on {plural(servers, 'server')}"
    yield Text(at=(x, y), text=text, size=11, colour=colours.SOFT_INK)


def _axis(facts: TraceFacts, shown: int, top: float, bottom: float) -> Iterator[Shape]:
    ticks, unit = time_unit(facts)
    for tick in round_ticks(shown / ticks, 12, whole=False):
        x = LEFT + (RIGHT - LEFT) * tick * ticks / shown
        yield Line(
            start=(x, top), end=(x, bottom + 4), colour=colours.FAINT, width=0.6, role="grid"
        )
        at, text = (x, bottom + 16), number(tick)
        yield Text(at=at, text=text, size=10, colour=colours.SOFT_INK, anchor="middle", role="tick")
    middle = ((LEFT + RIGHT) / 2, bottom + 34)
    if shown < facts.horizon:
        rest = f"Later less than {100 * HARDLY:.0f} % of the GPUs are in use"
        text = f"{rest}, until {number(facts.horizon / ticks)} {unit}."
        note_at, soft = (MARGIN, bottom + 54), colours.SOFT_INK
        yield Text(at=note_at, text=text, size=11, colour=soft, role="note")
    yield Text(at=middle, text=f"time in {unit}", size=11, colour=colours.INK, anchor="middle")
