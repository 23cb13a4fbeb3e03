"""Ties: the thin vertical line that joins the bars of one ring across servers."""

from collections.abc import Iterator

from ...drawing.colours import edge_colour, ring_colour
from ...drawing.shapes import Boxes, Group, Line
from ...timeline.makespan import Stint
from .frame import Frame

MANY = 60
"""Ties of more rings than this are drawn thinner."""
STEP = 4
"""Pixels between the tracks in which ties stand side by side."""


def draw_ties(stints: tuple[Stint, ...], frame: Frame) -> Iterator[Group]:
    """Draw a tie near the end of each ring, beside and not over the ties of others."""
    tracks: dict[int, list[tuple[float, float]]] = {}
    many = sum(stint.is_ring for stint in stints) > MANY
    width, opacity = (0.8, 0.4) if many else (1.2, 0.7)
    for stint in stints:
        knots = _knots(stint, frame)
        if len(knots) < 2:
            continue
        top, bottom = knots[0][0], knots[-1][0]
        x = _free_track(frame.x(stint.start), frame.x(stint.end), top, bottom, tracks)
        tracks.setdefault(round(x / STEP), []).append((top, bottom))
        colour = edge_colour(stint.number)
        line = Line(start=(x, top), end=(x, bottom), colour=colour, width=width, opacity=opacity)
        dots = Boxes(
            at=tuple((x - r, y - r, 2 * r, 2 * r) for y, r in knots),
            fill=ring_colour(stint.number),
            edge=colour,
            edge_width=0.8,
        )
        yield Group(role="tie", job=stint.number, shapes=(line, dots))


def _knots(stint: Stint, frame: Frame) -> list[tuple[float, float]]:
    """Return the middle of each bar, and how large a dot may be there."""
    found = []
    for server, _ in stint.pieces:
        if server in frame.bands:
            boxes = frame.boxes(stint, server, stint.start, stint.end)
            _, top, _, height = max(boxes, key=lambda box: box[3])
            found.append((top + height / 2, min(2.5, max(0.8, 0.25 * height))))
    return found


def _free_track(
    left: float,
    right: float,
    top: float,
    bottom: float,
    tracks: dict[int, list[tuple[float, float]]],
) -> float:
    """Return the last place within a bar where no other tie stands, or else the last."""
    last, first = int((right - 3) // STEP), int((left + 3) // STEP)
    for track in range(last, first, -1):
        if all(low > bottom or high < top for low, high in tracks.get(track, ())):
            return float(track * STEP)
    return float(last * STEP) if last > first else (left + right) / 2
