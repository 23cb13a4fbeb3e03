"""The widths of a table worth having: corners of the lower convex hull of hours by GPU-hours."""

import numpy as np
from numpy.typing import NDArray

from ...instances.speedup import MOST_GPUS

Floats = NDArray[np.float64]


def corners_of(gpus: Floats, speeds: Floats, *, whole: bool) -> tuple[Floats, Floats]:
    """Return hull widths of tables, a row for each, and the slopes from each to the next.

    An hour of work takes h = 1 / s hours and z = k / s GPU-hours. Where s is linear in k, h is
    linear in z; so corners are points of the table or, for whole widths, next to these. A row
    starts where z is least, and goes on as long as more GPU-hours save time: slopes -dh/dz fall.
    """
    widths = _beside(gpus) if whole else gpus
    known = np.isfinite(widths)
    h = 1 / level(gpus, speeds, widths)
    z = np.where(known, widths * h, np.inf)
    h = np.where(known, h, np.inf)
    rows = np.arange(len(z))
    now = np.lexsort((h, z), axis=1)[:, 0] if len(z) else rows
    corners, slopes = [widths[rows, now]], []
    while True:
        more = z - z[rows, now][:, None]
        less = h[rows, now][:, None] - h
        worth = known & (more > 0) & (less > 0)
        slope = np.where(worth, less, 0) / np.where(worth, more, 1)
        best = slope.max(axis=1, initial=0)
        if not best.any():
            break
        # Of points in one line the last counts.
        last = np.where(worth & (slope == best[:, None]), z, -np.inf).argmax(axis=1)
        now = np.where(best > 0, last, now)
        corners.append(widths[rows, now])
        slopes.append(best)
    slopes.append(np.zeros(len(z)))
    falling = np.minimum.accumulate(np.stack(slopes, axis=1), axis=1)
    return np.stack(corners, axis=1), falling


def _beside(gpus: Floats) -> Floats:
    """Return the whole numbers next to the points of tables."""
    return np.concatenate([np.floor(gpus), np.ceil(gpus)], axis=1)


SHORT, LOT = 64, 1000
"""Tables of no more points are read so many at once, which is quicker."""


def level(gpus: Floats, speeds: Floats, widths: Floats) -> Floats:
    """Return the speeds of tables at widths, a row for each."""
    found = np.empty(widths.shape)
    if gpus.shape[1] > SHORT:
        for row, known in enumerate(np.isfinite(gpus)):
            found[row] = np.interp(widths[row], gpus[row, known], speeds[row, known])
        return found
    for start in range(0, len(gpus), LOT):
        lot = slice(start, start + LOT)
        at = widths[lot].reshape(len(gpus[lot]), -1)
        found[lot] = _level(gpus[lot], speeds[lot], at).reshape(widths[lot].shape)
    return found


def _level(gpus: Floats, speeds: Floats, widths: Floats) -> Floats:
    """Return the speeds of all tables at once, by the same sums as `np.interp`."""
    widths, before = np.clip(widths, 1, MOST_GPUS), np.zeros(widths.shape, dtype=np.uint8)
    for point in gpus.T[1:]:
        before += point[:, None] <= widths
    with np.errstate(invalid="ignore"):
        # Level behind the last point; nobody comes beyond.
        slopes = np.diff(speeds, axis=1, append=0) / np.diff(gpus, axis=1, append=np.inf)
    at = before + np.arange(0, gpus.size, gpus.shape[1])[:, None]
    along = widths - gpus.ravel()[at]
    return np.asarray(slopes.ravel()[at] * along + speeds.ravel()[at])
