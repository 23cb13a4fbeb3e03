"""The picture of a `trace` schedule: every run of every job or, of very many, sums over time."""

from ...drawing import colours
from ...drawing.shapes import Picture
from ...timeline.trace import TraceTimeline
from ..sheet import Look, draw_labels, headline, sheet
from ..slots.bars import draw_bars
from ..slots.layout import draw_grid, draw_legend
from ..slots.strips import StripArea, labels, make_area
from ..time import time_unit
from .bars import ARRIVALS, draw_trace_arrivals, draw_waits, tooltip
from .sums import lay_out_sums

MOST_STAYS = 6000
"""With more bars than this none of them would be seen."""
MOST_SERVERS = 120
"""On more servers than this bars would be too thin."""


def lay_out_trace(timeline: TraceTimeline) -> Picture:
    """Lay out the whole chart."""
    stays = sum(len(job.holds) for job in timeline.jobs)
    if stays > MOST_STAYS or len(timeline.machines) > MOST_SERVERS:
        return lay_out_sums(timeline)
    area = make_area(timeline, [ARRIVALS])
    ticks, unit = time_unit(timeline.horizon, timeline.tick)
    shapes = (
        *draw_legend(_looks(timeline, area), "height: GPUs in use", area),
        *draw_grid(area, ticks, unit),
        *draw_trace_arrivals(timeline, area),
        *draw_bars(timeline.jobs, area, lambda job: tooltip(job, timeline), draw_waits),
        *draw_labels(labels(timeline, area), area.left),
    )
    return sheet(timeline, headline(timeline), shapes, head=area.top - 66, bottom=area.bottom)


def _looks(timeline: TraceTimeline, area: StripArea) -> list[Look]:
    """Say what occurs: only that is in the legend."""
    stays = [stay for job in timeline.jobs for stay in job.holds]
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
            any(strip.excess for strip in area.strips.values()),
            (colours.WRONG, None, "more than the server has"),
        ),
    ]
    return [look for there, look in looks if there]
