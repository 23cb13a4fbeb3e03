"""The picture of a `trace` schedule: every run of every job or, of very many, sums over time."""

from .. import colours
from ..frame import WIDTH
from ..header import fault_line
from ..shapes import Boxes, Picture
from ..slots.layout import Look, draw_grid, draw_header, draw_labels, draw_legend
from ..slots.yard import Yard, make_yard
from .bars import ARRIVALS, draw_trace_arrivals, draw_trace_bars
from .facts import TraceFacts
from .sums import lay_out_sums
from .words import headline, time_unit

MOST_STAYS = 6000
"""With more bars than this none of them would be seen."""
MOST_SERVERS = 120
"""On more servers than this bars would be too thin."""


def lay_out_trace(facts: TraceFacts) -> Picture:
    """Lay out the whole chart."""
    stays = sum(len(job.holds) for job in facts.jobs)
    if stays > MOST_STAYS or len(facts.machines) > MOST_SERVERS:
        return lay_out_sums(facts)
    yard = make_yard(facts, [ARRIVALS])
    ticks, unit = time_unit(facts.horizon, facts.tick)
    height = round(yard.bottom + 46)
    return Picture(
        width=WIDTH,
        height=height,
        head=yard.top - 66,
        about=headline(facts),
        shapes=(
            Boxes(at=((0, 0, WIDTH, height),), fill=colours.PAPER, role="paper"),
            *draw_header(headline(facts), fault_line(facts.faults)),
            *draw_legend(_looks(facts, yard), "height: GPUs in use", yard),
            *draw_grid(yard, ticks, unit),
            *draw_trace_arrivals(facts, yard),
            *draw_trace_bars(facts, yard),
            *draw_labels(facts, yard),
        ),
    )


def _looks(facts: TraceFacts, yard: Yard) -> list[Look]:
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
