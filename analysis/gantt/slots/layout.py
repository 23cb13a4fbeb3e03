"""The picture of a schedule in slots, put together from back to front."""

from collections.abc import Iterator

from ...timeline.slots import SlotTimeline
from .. import colours
from ..shapes import Boxes, Picture, Shape
from ..sheet import Look, draw_keys, draw_labels, draw_words, headline, sheet
from ..time import draw_ticks, round_ticks
from ..words import fit
from .bars import draw_arrivals, draw_bars, tooltip
from .yard import Yard, labels, make_yard, row_names


def lay_out_slots(facts: SlotTimeline) -> Picture:
    """Lay out the whole chart."""
    yard = make_yard(facts, row_names(facts))
    shapes = (
        *draw_legend(_looks(yard), f"height: {fit(facts.resource, 11, 200)} in use", yard),
        *draw_grid(yard, 1, facts.time),
        *draw_arrivals(facts, yard),
        *draw_bars(facts.jobs, yard, lambda job: tooltip(job, facts)),
        *draw_labels(labels(facts, yard), yard.left),
    )
    notes = list(_notes(facts, yard))
    head, bottom = yard.top - 66, yard.bottom
    return sheet(facts, headline(facts), shapes, head=head, bottom=bottom, notes=notes)


def _looks(yard: Yard) -> list[Look]:
    looks: list[Look] = [
        (colours.quiet_colour(0), None, "on one machine"),
        (colours.ring_colour(0), colours.edge_colour(0), "spread over machines"),
    ]
    if any(strip.excess for strip in yard.strips.values()):
        looks.append((colours.WRONG, None, "more than the machine has"))
    return looks


def draw_legend(looks: list[Look], more: str, yard: Yard) -> Iterator[Shape]:
    """Say what the looks of bars mean."""
    y = yard.top - 50.0
    x = yield from draw_keys(looks, y)
    yield from draw_words(x, y, more)


def draw_grid(yard: Yard, slots: float, unit: str) -> Iterator[Shape]:
    """Draw the strips of the machines, and the axis of time in units of so many slots."""
    width = yard.right - yard.left
    at = tuple((yard.left, strip.top, width, strip.height) for strip in yard.strips.values())
    yield Boxes(at=at, fill=colours.BAND, role="band")
    yield from draw_ticks(
        round_ticks(yard.horizon / slots, 12, whole=slots <= 1),
        lambda tick: yard.x(tick * slots),
        (yard.top - 4, yard.bottom),
        unit,
        middle=(yard.left + yard.right) / 2,
    )


def _notes(facts: SlotTimeline, yard: Yard) -> Iterator[str]:
    """Say what the chart leaves out."""
    drawn, there = len(yard.strips), len(facts.machines)
    if drawn < there:
        yield f"Drawn are the {drawn:,} machines that are used most, of {there:,}."
    if any(not hold.units for job in facts.jobs for hold in job.holds):
        yield f"Not drawn: workers and parameter servers that take no {facts.resource}."
