"""The relaxed program of a job in a slot in exact fractions: corners, what fits, certificates."""

from fractions import Fraction
from itertools import combinations

import numpy as np

from ringyard.formulations.online.slot_program import SlotData

Point = tuple[Fraction, Fraction]


def lines(data: SlotData, machine: int) -> list[tuple[Fraction, Fraction, Fraction]]:
    """Return (a, b, c) for all a w + b s <= c of a machine, the limits of the slot included."""
    most = Fraction(data.most_workers)
    ratio = 1 / Fraction(data.workers_per_server)
    one, zero = Fraction(1), Fraction(0)
    rows = [
        (Fraction(alpha), Fraction(beta), Fraction(room))
        for alpha, beta, room in zip(data.worker, data.server, data.capacity[machine], strict=True)
    ]
    limits = [(one, zero, most), (zero, one, most * ratio)]
    return [*rows, *limits, (-one, zero, zero), (zero, -one, zero)]


def corners(data: SlotData, machine: int) -> set[Point]:
    """Return the corners of a machine's polygon: where two lines meet and all hold."""
    rows = lines(data, machine)
    found = set()
    for (a, b, c), (d, e, f) in combinations(rows, 2):
        det = a * e - b * d
        if det:
            w, s = (c * e - b * f) / det, (a * f - c * d) / det
            if all(x * w + y * s <= z for x, y, z in rows):
                found.add((w, s))
    return found


def support(points: set[Point], a: Fraction, b: Fraction) -> Fraction:
    return max(a * w + b * s for w, s in points)


def most(data: SlotData, polygons: list[set[Point]]) -> Fraction:
    """Return the largest demand that fits: some edge of the sum of all polygons limits it.

    Its normal is that of an edge of one polygon.
    """
    ratio = 1 / Fraction(data.workers_per_server)
    needs = zip(data.worker.tolist(), data.server.tolist(), strict=True)
    normals = [(Fraction(a), Fraction(b)) for a, b in [*needs, (1, 0), (0, 1)] if a or b]
    return min(
        Fraction(data.most_workers),
        *(sum(support(p, a, b) for p in polygons) / (a + b * ratio) for a, b in normals),
    )


def bound(
    data: SlotData, polygons: list[set[Point]], demand: float, prices: tuple[float, float]
) -> Fraction:
    """Return what prices prove: no plan for this demand costs less."""
    worker, server = (Fraction(price) for price in prices)
    ratio = 1 / Fraction(data.workers_per_server)
    costs = zip(data.worker_cost.tolist(), data.server_cost.tolist(), strict=True)
    earned = sum(
        support(points, worker - Fraction(c), server - Fraction(d))
        for points, (c, d) in zip(polygons, costs, strict=True)
    )
    return Fraction(demand) * (worker + server * ratio) - earned


def breach(data: SlotData, demand: float, workers: np.ndarray, servers: np.ndarray) -> Fraction:
    """Return the largest amount by which a point breaks a row, as a part of that row's size."""
    w, s = ([Fraction(x) for x in xs.tolist()] for xs in (workers, servers))
    asked = Fraction(demand)
    found = [asked - sum(w), asked / Fraction(data.workers_per_server) - sum(s)]
    for machine, (x, y) in enumerate(zip(w, s, strict=True)):
        for a, b, c in lines(data, machine):
            found.append((a * x + b * y - c) / max(c, Fraction(1)))
    return max(found)


def cost(data: SlotData, workers: np.ndarray, servers: np.ndarray) -> Fraction:
    pairs = [*zip(data.worker_cost.tolist(), workers.tolist(), strict=True)]
    pairs += zip(data.server_cost.tolist(), servers.tolist(), strict=True)
    return sum((Fraction(c) * Fraction(x) for c, x in pairs), Fraction(0))
