"""Sums over time, for schedules of so many runs that none of them would be seen."""

from collections.abc import Iterator

from .. import colours
from ..frame import WIDTH
from ..header import MARGIN, fault_line
from ..panels import BINS, Panel, Step, draw_panel, draw_time, means
from ..shapes import Boxes, Picture, Shape, Text
from ..slots.layout import draw_header
from ..words import number, plural, text_width
from .facts import TraceFacts
from .words import headline, time_unit

LEFT, TOP = 76.0, 98.0
PANELS = (("GPUs in use", 260.0), ("jobs that wait", 150.0))
SPACE = 26.0
WIDTHS = ((1, "1 GPU"), (4, "2 to 4 GPUs"), (8, "5 to 8 GPUs"), (10**9, "more GPUs"))
"""The groups of job sizes in the analysis of the Philly trace."""
HARDLY = 0.02
"""Part of the GPUs below which the time after the last arrival is not drawn."""
RESTARTS = colours.mixed(colours.SHADE, colours.PAPER, 0.35)


def lay_out_sums(facts: TraceFacts) -> Picture:
    """Lay out how many GPUs are in use, by what, and how many jobs wait."""
    top = TOP + (20 if facts.faults else 0)
    tops = [top, top + PANELS[0][1] + SPACE]
    bottom = tops[1] + PANELS[1][1]
    height = round(bottom + 62)
    gpus = sum(units for _, units in facts.machines) / facts.unit
    in_use = _in_use(facts)
    shown = _shown(facts, [step for steps in in_use for step in steps], gpus)
    layers = [means(steps, shown) for steps in in_use]
    waiting = means(_waiting(facts), shown)
    return Picture(
        width=WIDTH,
        height=height,
        head=top - 66,
        about=headline(facts),
        shapes=(
            Boxes(at=((0, 0, WIDTH, height),), fill=colours.PAPER, role="paper"),
            *draw_header(headline(facts), fault_line(facts.faults)),
            *_legend(facts, top - 30),
            *_panel(0, tops[0], layers, gpus),
            *_panel(1, tops[1], [waiting], max([*waiting, 1.0])),
            *_axis(facts, shown, top, bottom),
        ),
    )


def _shown(facts: TraceFacts, in_use: list[Step], gpus: float) -> int:
    """Return until when to draw: not the time after all arrivals in which hardly anything runs."""
    last = max(job.arrival for job in facts.jobs)
    bins = enumerate(means(in_use, facts.horizon), 1)
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


def _panel(place: int, top: float, layers: list[list[float]], most: float) -> Iterator[Shape]:
    name, height = PANELS[place]
    panel = Panel(name=name, left=LEFT, top=top, height=height, most=most)
    yield from draw_panel(panel, layers, _fills(len(layers)))


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
    ticks, unit = time_unit(facts.horizon, facts.tick)
    yield from draw_time(LEFT, top, bottom, shown / ticks, unit)
    if shown < facts.horizon:
        rest = f"Later less than {100 * HARDLY:.0f} % of the GPUs are in use"
        text = f"{rest}, until {number(facts.horizon / ticks)} {unit}."
        note_at, soft = (MARGIN, bottom + 54), colours.SOFT_INK
        yield Text(at=note_at, text=text, size=11, colour=soft, role="note")
