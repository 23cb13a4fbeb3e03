"""The picture of a `trace` schedule: every run of every job or, of very many, sums over time."""

from ...timeline.trace import TraceTimeline
from .. import colours
from ..shapes import Picture
from ..sheet import Look, draw_labels, headline, sheet
from ..slots.bars import draw_bars
from ..slots.layout import draw_grid, draw_legend
from ..slots.yard import Yard, labels, make_yard
from ..time import time_unit
from .bars import ARRIVALS, draw_trace_arrivals, draw_waits, tooltip
from .sums import lay_out_sums

MOST_STAYS = 6000
"""With more bars than this none of them would be seen."""
MOST_SERVERS = 120
"""On more servers than this bars would be too thin."""


def lay_out_trace(facts: TraceTimeline) -> Picture:
    """Lay out the whole chart."""
    stays = sum(len(job.holds) for job in facts.jobs)
    if stays > MOST_STAYS or len(facts.machines) > MOST_SERVERS:
        return lay_out_sums(facts)
    yard = make_yard(facts, [ARRIVALS])
    ticks, unit = time_unit(facts.horizon, facts.tick)
    shapes = (
        *draw_legend(_looks(facts, yard), "height: GPUs in use", yard),
        *draw_grid(yard, ticks, unit),
        *draw_trace_arrivals(facts, yard),
        *draw_bars(facts.jobs, yard, lambda job: tooltip(job, facts), draw_waits),
        *draw_labels(labels(facts, yard), yard.left),
    )
    return sheet(facts, headline(facts), shapes, head=yard.top - 66, bottom=yard.bottom)


def _looks(facts: TraceTimeline, yard: Yard) -> list[Look]:
    """Say what occurs: only that is in the legend."""
    stays = [stay for job in facts.jobs for stay in job.holds]
    looks: list[tuple[bool, Look]] = [
        (True, (colours.quiet_colour(0), None, "on one server")),
        (
            any(stay.spread for stay in stays),
            (colours.ring_colour(0), colours.edge_colour(0), "spread over servers"),
        ),
        (
            any(stay.works > stay.start for stay in stays),
            (
                colours.mixed(colours.quiet_colour(0), colours.SHADE, 0.35),
                None,
                "hatched: restarts",
            ),
        ),
        (
            any(stay.cut for stay in stays),
            (colours.edge_colour(0), None, "is stopped"),
        ),
        (
            any(strip.excess for strip in yard.strips.values()),
            (colours.WRONG, None, "more than the server has"),
        ),
    ]
    return [look for there, look in looks if there]
