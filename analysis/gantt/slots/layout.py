"""The picture of a schedule in slots, put together from back to front."""

from collections.abc import Iterator

from ...drawing import colours
from ...drawing.shapes import Boxes, Picture, Shape, fit
from ...timeline.slots import SlotTimeline
from ..sheet import Look, draw_keys, draw_labels, draw_words, headline, sheet
from ..time import draw_ticks, round_ticks
from .bars import draw_arrivals, draw_bars, tooltip
from .strips import StripArea, labels, make_area, row_names


def lay_out_slots(timeline: SlotTimeline) -> Picture:
    """Lay out the whole chart."""
    area = make_area(timeline, row_names(timeline))
    shapes = (
        *draw_legend(_looks(area), f"height: {fit(timeline.resource, 11, 200)} in use", area),
        *draw_grid(area, 1, timeline.time),
        *draw_arrivals(timeline, area),
        *draw_bars(timeline.jobs, area, lambda job: tooltip(job, timeline)),
        *draw_labels(labels(timeline, area), area.left),
    )
    notes = list(_notes(timeline, area))
    head, bottom = area.top - 66, area.bottom
    return sheet(timeline, headline(timeline), shapes, head=head, bottom=bottom, notes=notes)


def _looks(area: StripArea) -> list[Look]:
    looks: list[Look] = [
        (colours.quiet_colour(0), None, "on one machine"),
        (colours.ring_colour(0), colours.edge_colour(0), "spread over machines"),
    ]
    if any(strip.excess for strip in area.strips.values()):
        looks.append((colours.WRONG, None, "more than the machine has"))
    return looks


def draw_legend(looks: list[Look], more: str, area: StripArea) -> Iterator[Shape]:
    """Say what the looks of bars mean."""
    y = area.top - 50.0
    x = yield from draw_keys(looks, y)
    yield from draw_words(x, y, more)


def draw_grid(area: StripArea, slots: float, unit: str) -> Iterator[Shape]:
    """Draw the strips of the machines, and the axis of time in units of so many slots."""
    width = area.right - area.left
    at = tuple((area.left, strip.top, width, strip.height) for strip in area.strips.values())
    yield Boxes(at=at, fill=colours.BAND, role="band")
    yield from draw_ticks(
        round_ticks(area.horizon / slots, 12, whole=slots <= 1),
        lambda tick: area.x(tick * slots),
        (area.top - 4, area.bottom),
        unit,
        middle=(area.left + area.right) / 2,
    )


def _notes(timeline: SlotTimeline, area: StripArea) -> Iterator[str]:
    """Say what the chart leaves out."""
    drawn, there = len(area.strips), len(timeline.machines)
    if drawn < there:
        yield f"Drawn are the {drawn:,} machines that are used most, of {there:,}."
    if any(not hold.units for job in timeline.jobs for hold in job.holds):
        yield f"Not drawn: workers and parameter servers that take no {timeline.resource}."
