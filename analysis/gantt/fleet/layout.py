"""The picture of a `fleet` log: GPUs over time, and below them a row for each job."""

from collections.abc import Iterator

from ...drawing import colours
from ...drawing.shapes import Picture, Shape
from ...drawing.words import fit, percent
from ...timeline.fleet import FleetTimeline
from ..sheet import below_header, draw_keys, headline, sheet
from ..stacks import draw_time
from ..time import time_unit
from .rows import draw_rows, make_rows
from .sums import COMING, HEIGHT, IDLE, LOW, draw_counts, draw_gpus

TOP, SPACE = 98.0, 30.0
MOST_RUNS, MOST_ROWS = 6000, 200
"""With more none of them would be seen: how many jobs there are is drawn in their place."""
MOST_NAMED = 6
"""Types in the legend; further types are counted."""


def lay_out_fleet(timeline: FleetTimeline) -> Picture:
    """Lay out the whole chart."""
    top = below_header(timeline, TOP)
    below = top + HEIGHT + SPACE
    rows, runs = make_rows(timeline, below), sum(len(job.runs) for job in timeline.jobs)
    many = runs > MOST_RUNS or max(rows.of) >= MOST_ROWS
    left, bottom = (rows.left, below + LOW) if many else (rows.left, rows.bottom)
    ticks, unit = time_unit(timeline.horizon, timeline.tick)
    shapes = (
        *_legend(timeline, top - 34),
        *draw_gpus(timeline, left, top),
        *(draw_counts(timeline, left, below) if many else draw_rows(timeline, rows)),
        *draw_time(left, top, bottom, timeline.horizon / ticks, unit),
    )
    title = headline(timeline, f"{percent(timeline.spend_part)} of the budget", rooms=(400, 200))
    return sheet(timeline, title, shapes, head=top - 66, bottom=bottom)


def _legend(timeline: FleetTimeline, y: float) -> Iterator[Shape]:
    """Say which colours are which types; of leased GPUs, what occurs."""
    named = [fit(name, 11, 120) for name in timeline.types[:MOST_NAMED]]
    keys = [(colours.ring_colour(i), name) for i, name in enumerate(named)]
    if len(timeline.types) > MOST_NAMED:
        keys.append((colours.PAPER, f"and {len(timeline.types) - MOST_NAMED:,} more types"))
    keys.append((IDLE, "leased, in no use"))
    if any(lease.works > lease.start for lease in timeline.leases):
        keys.append((COMING, "not of use yet"))
    yield from draw_keys(((fill, None, words) for fill, words in keys), y, 18)
