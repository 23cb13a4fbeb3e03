"""The workers and servers that fit on one machine: a polygon, or its integer hull.

On a machine with capacities C_r, workers that need alpha_r and parameter servers that need beta_r
fit in numbers (w, s) >= 0 with alpha_r w + beta_r s <= C_r for all r. With every point the polygon
has all smaller ones. Its corners are listed counter-clockwise from (0, 0). The first edge goes out
along the axis of workers, if a worker fits, and the last one back along the axis of servers. The
hull is the smallest polygon with the same whole points.
"""

from typing import NamedTuple

import numpy as np

from ...simulation.jit import entry, kernel
from ...simulation.model import Floats, Ints

CLOSE = 1e-12
"""Corners nearer than this part of the polygon's size are one."""

WHOLE = 1e-9
"""A whole number fits if it exceeds the capacity by less than this."""


class Polygons(NamedTuple):
    """Polygon h has the corners ``x[first[h] : first[h] + size[h]]``, and `y` likewise.

    ``size[h]`` is 0 before it is made. ``used[0]`` corners are in use.
    """

    x: Floats
    y: Floats
    first: Ints
    size: Ints
    used: Ints


class MachineRoom(NamedTuple):
    """The capacity left on machines, the needs of a worker and a server, and their largest numbers.

    With `whole` the polygons are integer hulls.
    """

    capacity: Floats
    worker: Floats
    server: Floats
    most_workers: float
    most_servers: float
    whole: bool


def new_polygons(machines: int, corners: int) -> Polygons:
    """Return a store for the given number of polygons, and the most corners of one."""
    return Polygons(
        np.empty(machines * corners),
        np.empty(machines * corners),
        np.zeros(machines, np.int64),
        np.zeros(machines, np.int64),
        np.zeros(1, np.int64),
    )


def most_corners(room: MachineRoom) -> int:
    """Return how many corners a polygon may have at most."""
    if not room.whole:
        return room.server.size + 5
    needed = room.worker > 0
    limits = room.capacity[:, needed] / room.worker[needed]
    fit = np.min(limits, axis=1, initial=room.most_workers)
    return int(fit.max(initial=0.0)) + 4


@entry
def make_all(room: MachineRoom, polygons: Polygons) -> None:
    """Make the polygons of all machines."""
    for machine in range(room.capacity.shape[0]):
        make(room, polygons, machine)


@kernel
def make(room: MachineRoom, polygons: Polygons, machine: int) -> None:
    """Make the polygon of a machine, in room for as many corners as it has."""
    width = _most(room.capacity[machine], room.worker, room.most_workers)
    height = _most(room.capacity[machine], room.server, room.most_servers)
    if room.whole:
        width, height = np.floor(width + WHOLE), np.floor(height + WHOLE)
    first = last = polygons.used[0]
    polygons.x[first], polygons.y[first] = 0.0, 0.0
    if width > 0:
        last = _add(polygons, last, width, 0.0)
    if width > 0 and height > 0:
        if room.whole:
            last = _hull(room, polygons, machine, last)
        else:
            last = _lines(room, polygons, machine, last, height)
    if height > 0:
        last = _add(polygons, last, 0.0, height)
    polygons.first[machine] = first
    polygons.size[machine] = last + 1 - first
    polygons.used[0] = last + 1


@kernel
def _most(capacity: Floats, need: Floats, most: float) -> float:
    """Return how many of one kind fit when there are none of the other."""
    for r in range(need.size):
        if need[r] > 0:
            most = min(most, capacity[r] / need[r])
    return max(most, 0.0)


@kernel
def _add(polygons: Polygons, last: int, x: float, y: float) -> int:
    polygons.x[last + 1], polygons.y[last + 1] = x, y
    return last + 1


@kernel
def _lines(room: MachineRoom, polygons: Polygons, machine: int, last: int, height: float) -> int:
    """Add the corners between the axes, from the most workers down to 0, and return the last.

    A resource that servers need gives the line ``s <= lift - slope * w``. The walk follows the
    least of these lines and ``s <= height``, until one with a smaller slope crosses below.
    """
    width = x = polygons.x[last]
    lift, slope = height, 0.0
    for r in range(room.server.size):
        if room.server[r] > 0:
            up, steep = _line(room, machine, r)
            if up - steep * x < lift - slope * x:
                lift, slope = up, steep
    y = lift - slope * x
    if y > CLOSE * height:
        last = _add(polygons, last, x, y)
    while slope > 0:
        meet, next_lift, next_slope = (lift - height) / slope, height, 0.0
        for r in range(room.server.size):
            if room.server[r] > 0:
                up, steep = _line(room, machine, r)
                if steep < slope and (lift - up) / (slope - steep) > meet:
                    meet, next_lift, next_slope = (lift - up) / (slope - steep), up, steep
        if meet <= CLOSE * width:
            break
        lift, slope = next_lift, next_slope
        if x - meet > CLOSE * width:
            x, y = meet, max(y, lift - slope * meet)
            last = _add(polygons, last, x, y)
    return last


@kernel
def _line(room: MachineRoom, machine: int, r: int) -> tuple[float, float]:
    return room.capacity[machine, r] / room.server[r], room.worker[r] / room.server[r]


@kernel
def _hull(room: MachineRoom, polygons: Polygons, machine: int, last: int) -> int:
    """Add the corners of the hull between the axes, and return the last.

    For every number of workers, from the most to one, the most servers that fit with them are a
    point. A corner is removed if a later point is not to the left of its edge.
    """
    x, y, base = polygons.x, polygons.y, last
    for w in range(int(x[base]), -1, -1):
        s = room.most_servers
        for r in range(room.server.size):
            if room.server[r] > 0:
                up, steep = _line(room, machine, r)
                s = min(s, up - steep * w)
        s = np.floor(s + WHOLE)
        if w == x[base] and s <= 0:
            continue
        while last > base:
            turn = (x[last] - x[last - 1]) * (s - y[last]) - (y[last] - y[last - 1]) * (w - x[last])
            if turn > 0:
                break
            last -= 1
        last = _add(polygons, last, float(w), s)
    return last - 1
