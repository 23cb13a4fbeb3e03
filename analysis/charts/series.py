"""A series on paper: its band, its line and its marks."""

from collections.abc import Iterator
from itertools import groupby, pairwise

from ..drawing.colours import PAPER
from ..drawing.shapes import Curve, Place, Shape, Stamps
from .axis import View
from .looks import LOOKS, Look
from .panel import Series

APART = 44.0
"""Least distance in pixels of two marks on one line."""


def draw_band(series: Series, view: View) -> Iterator[Shape]:
    """Draw how sure a series is."""
    if series.band:
        upper = [view.place((x, high)) for x, _, high in series.band]
        lower = [view.place((x, low)) for x, low, _ in reversed(series.band)]
        outline, colour = (*upper, *lower), series.look.colour
        yield Stamps(at=((0, 0),), outline=outline, fill=colour, opacity=0.16, role="band")


def draw_series(series: Series, view: View) -> Iterator[Shape]:
    """Draw the line of a series, if it has one, and its marks."""
    places = [view.place(point) for point in series.points]
    if series.way != "points":
        through = _smooth(_stairs(places) if series.way == "steps" else places)
        if len(through) > 1:
            width, look = 0.8 if series.thin else 1.5, series.look
            role = "curve" if series.marked else "guide"
            yield Curve(through=through, colour=look.colour, width=width, dash=look.dash, role=role)
    if series.marked and places:
        some = _spread(places, series.look) if series.way == "steps" else _apart(places)
        yield mark(some, series.look)


def mark(at: tuple[Place, ...], look: Look) -> Stamps:
    """Draw the mark of a look at some places."""
    fill, edge = (PAPER, look.colour) if look.hollow else (look.colour, PAPER)
    width = 1.2 if look.hollow else 0.5
    return Stamps(at=at, outline=look.outline, fill=fill, edge=edge, edge_width=width, role="mark")


def _stairs(places: list[Place]) -> list[Place]:
    """Hold each height until the next place."""
    corners = [(b[0], a[1]) for a, b in pairwise(places)]
    return [place for pair in zip(places, corners, strict=False) for place in pair] + places[-1:]


def _smooth(places: list[Place]) -> tuple[Place, ...]:
    """Leave out every place in the same pixel as the one before it."""
    runs = groupby(places, key=lambda place: (round(place[0]), round(place[1])))
    return tuple(next(together) for _, together in runs)


def _apart(places: list[Place]) -> tuple[Place, ...]:
    """Leave out every place in the same two by two pixels as any before it."""
    first = {(round(x / 2), round(y / 2)): (x, y) for x, y in reversed(places)}
    return tuple(first.values())[::-1]


def _spread(places: list[Place], look: Look) -> tuple[Place, ...]:
    """Choose places far enough from each other, others for each look where lines coincide."""
    phase = LOOKS.index(look) / len(LOOKS) if look in LOOKS else 0.0
    after = places[0][0] + phase * APART
    chosen = []
    for x, y in places:
        if x >= after:
            chosen.append((x, y))
            after = x + APART
    return tuple(chosen or places[-1:])
