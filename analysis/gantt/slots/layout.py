"""The picture of a schedule in slots, put together from back to front."""

from collections.abc import Iterable, Iterator

from .. import colours
from ..frame import LABEL_SIZE, WIDTH
from ..header import MARGIN, fault_line
from ..makespan.axis import round_ticks
from ..shapes import Boxes, Line, Picture, Shape, Text
from ..words import fit, number, percent, text_width
from .bars import draw_arrivals, draw_bars
from .facts import BarFacts, SlotFacts
from .yard import Yard, label, make_yard, row_names

Look = tuple[str, str | None, str]
"""Fill and edge of a key, and what it means."""

LEAST_PITCH = 12
"""Least distance in pixels between the names of two machines."""


def lay_out_slots(facts: SlotFacts) -> Picture:
    """Lay out the whole chart."""
    yard = make_yard(facts, row_names(facts))
    notes = list(_notes(facts, yard))
    height = round(yard.bottom + 46 + 16 * len(notes))
    return Picture(
        width=WIDTH,
        height=height,
        head=yard.top - 66,
        about=headline(facts),
        shapes=(
            Boxes(at=((0, 0, WIDTH, height),), fill=colours.PAPER, role="paper"),
            *draw_header(headline(facts), fault_line(facts.faults)),
            *draw_legend(_looks(yard), f"height: {fit(facts.resource, 11, 200)} in use", yard),
            *draw_grid(yard, 1, f"slots of {facts.slot_s} s" if facts.slot_s != "1" else "slots"),
            *draw_arrivals(facts, yard),
            *draw_bars(facts, yard),
            *draw_labels(facts, yard),
            *notes,
        ),
    )


def headline(facts: SlotFacts) -> str:
    """Say in one line what was scheduled, how, and how well."""
    parts = [fit(facts.instance, 16, 480), fit(facts.method, 16, 260)]
    parts.append(f"{facts.ways.objective} {number(facts.objective)}")
    if facts.bound is not None:
        parts.append(f"bound {number(facts.bound)}")
    if facts.gap is not None:
        parts.append(f"gap {percent(facts.gap)}")
    return " · ".join(filter(None, parts))


def draw_header(title: str, faults: str) -> Iterator[Shape]:
    """Draw the headline and, in a second row, the faults."""
    room, ink, wrong = WIDTH - 2 * MARGIN, colours.INK, colours.WRONG
    title, faults = fit(title, 16, room), fit(faults, 11, room)
    yield Text(at=(MARGIN, 26), text=title, size=16, colour=ink, bold=True, role="headline")
    if faults:
        yield Text(at=(MARGIN, 46), text=faults, size=11, colour=wrong, bold=True, role="faults")


def _looks(yard: Yard) -> list[Look]:
    looks: list[Look] = [
        (colours.quiet_colour(0), None, "on one machine"),
        (colours.ring_colour(0), colours.edge_colour(0), "spread over machines"),
    ]
    if any(strip.excess for strip in yard.strips.values()):
        looks.append((colours.WRONG, None, "more than the machine has"))
    return looks


def draw_legend(looks: Iterable[Look], more: str, yard: Yard) -> Iterator[Shape]:
    """Say what the looks of bars mean."""
    x, y = float(MARGIN), yard.top - 50.0
    for fill, edge, text in looks:
        yield Boxes(at=((x, y - 9, 26, 11),), fill=fill, edge=edge, edge_width=0.8)
        yield Text(at=(x + 31, y), text=text, size=11, colour=colours.SOFT_INK)
        x += 31 + text_width(text, 11) + 12
    yield Text(at=(x, y), text=more, size=11, colour=colours.SOFT_INK)


def draw_grid(yard: Yard, slots: float, unit: str) -> Iterator[Shape]:
    """Draw the strips of the machines, and the axis of time in units of so many slots."""
    width, soft = yard.right - yard.left, colours.SOFT_INK
    at = tuple((yard.left, strip.top, width, strip.height) for strip in yard.strips.values())
    yield Boxes(at=at, fill=colours.BAND, role="band")
    for tick in round_ticks(yard.horizon / slots, 12, whole=slots <= 1):
        x = yard.x(tick * slots)
        start, end = (x, yard.top - 4), (x, yard.bottom + 4)
        yield Line(start=start, end=end, colour=colours.FAINT, role="grid")
        place, text = (x, yard.bottom + 16), number(tick)
        yield Text(at=place, text=text, size=10, colour=soft, anchor="middle", role="tick")
    middle = ((yard.left + yard.right) / 2, yard.bottom + 34)
    yield Text(at=middle, text=f"time in {unit}", size=11, colour=colours.INK, anchor="middle")


def draw_labels(facts: BarFacts, yard: Yard) -> Iterator[Shape]:
    """Name the machines, leaving out those whose name would touch the one above."""
    last = float("-inf")
    for machine, strip in yard.strips.items():
        y = strip.top + strip.height / 2 + 4
        if y - last >= LEAST_PITCH:
            at, last, soft = (yard.left - 8, y), y, colours.SOFT_INK
            text = fit(label(facts, machine), LABEL_SIZE, yard.left - 16)
            yield Text(at=at, text=text, size=LABEL_SIZE, colour=soft, anchor="end", role="server")


def _notes(facts: SlotFacts, yard: Yard) -> Iterator[Shape]:
    """Say below the axis what the chart leaves out."""
    texts = []
    if len(yard.strips) < len(facts.machines):
        drawn, there = len(yard.strips), len(facts.machines)
        texts.append(f"Drawn are the {drawn:,} machines that are used most, of {there:,}.")
    if any(not hold.units for job in facts.jobs for hold in job.holds):
        texts.append(f"Not drawn: workers and parameter servers that take no {facts.resource}.")
    for i, text in enumerate(texts):
        at, fitting = (MARGIN, yard.bottom + 54 + 16 * i), fit(text, 11, WIDTH - 2 * MARGIN)
        yield Text(at=at, text=fitting, size=11, colour=colours.SOFT_INK, role="note")
