"""The picture of a `fleet` log: GPUs over time, and below them a row for each job."""

from collections.abc import Iterator

from .. import colours
from ..frame import WIDTH
from ..header import MARGIN, fault_line
from ..panels import draw_time
from ..shapes import Boxes, Picture, Shape, Text
from ..slots.layout import draw_header
from ..trace.words import time_unit
from ..words import fit, text_width
from .facts import FleetFacts
from .rows import draw_rows, make_rows
from .sums import COMING, HEIGHT, IDLE, LOW, draw_counts, draw_gpus
from .words import headline

TOP, SPACE = 98.0, 30.0
MOST_RUNS, MOST_ROWS = 6000, 200
"""With more none of them would be seen: how many jobs there are is drawn in their place."""
MOST_NAMED = 6
"""Types in the legend; further types are counted."""


def lay_out_fleet(facts: FleetFacts) -> Picture:
    """Lay out the whole chart."""
    top = TOP + (20 if facts.faults else 0)
    below = top + HEIGHT + SPACE
    rows, runs = make_rows(facts, below), sum(len(job.runs) for job in facts.jobs)
    many = runs > MOST_RUNS or max(rows.of) >= MOST_ROWS
    left, bottom = (rows.left, below + LOW) if many else (rows.left, rows.bottom)
    height = round(bottom + 46)
    ticks, unit = time_unit(facts.horizon, facts.tick)
    return Picture(
        width=WIDTH,
        height=height,
        head=top - 66,
        about=headline(facts),
        shapes=(
            Boxes(at=((0, 0, WIDTH, height),), fill=colours.PAPER, role="paper"),
            *draw_header(headline(facts), fault_line(facts.faults)),
            *_legend(facts, top - 34),
            *draw_gpus(facts, left, top),
            *(draw_counts(facts, left, below) if many else draw_rows(facts, rows)),
            *draw_time(left, top, bottom, facts.horizon / ticks, unit),
        ),
    )


def _legend(facts: FleetFacts, y: float) -> Iterator[Shape]:
    """Say which colours are which types; of leased GPUs, what occurs."""
    named = [fit(name, 11, 120) for name in facts.types[:MOST_NAMED]]
    keys = [(colours.ring_colour(i), name) for i, name in enumerate(named)]
    if len(facts.types) > MOST_NAMED:
        keys.append((colours.PAPER, f"and {len(facts.types) - MOST_NAMED:,} more types"))
    keys.append((IDLE, "leased, in no use"))
    if any(lease.works > lease.start for lease in facts.leases):
        keys.append((COMING, "not of use yet"))
    x = float(MARGIN)
    for fill, words in keys:
        yield Boxes(at=((x, y - 9, 18, 11),), fill=fill)
        yield Text(at=(x + 23, y), text=words, size=11, colour=colours.SOFT_INK)
        x += 23 + text_width(words, 11) + 12
