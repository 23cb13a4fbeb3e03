"""Hues that tell jobs apart: greedy colouring of the graph of jobs whose bars touch.

Jobs are coloured in smallest-last order (Matula and Beck 1983). If each job has one bar, the graph
is planar, a job has at most five coloured neighbours in this order, and seven hues always suffice.
Rings with bars on many servers can have more neighbours.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush

import numpy as np

from ..drawing.colours import HUES
from ..drawing.shapes import Box

CLOSE = 1.5
"""Most pixels between bars that touch."""

Neighbours = dict[int, Counter[int]]
"""By job, its neighbours and how much border they share."""


def choose_hues(bars: Iterable[tuple[int, Box]], near: float = CLOSE) -> dict[int, int]:
    """Return a hue for each job. It is the job's number modulo the hues, unless a neighbour has it.

    If the neighbours have all hues, the job takes the hue with which it shares the least border.
    """
    beside = touching(list(bars), near)
    hues: dict[int, int] = {}
    for job in _smallest_last(beside):
        border = Counter[int]()
        for other, shared in beside[job].items():
            if other in hues:
                border[hues[other]] += shared
        first = job % len(HUES)
        hues[job] = min(range(len(HUES)), key=lambda hue: (border[hue], (hue - first) % len(HUES)))
    return hues


def touching(bars: Sequence[tuple[int, Box]], near: float = CLOSE) -> Neighbours:
    """Return the jobs with at most `near` pixels between their bars.

    A border with such a gap has 0.1 times the weight of a border that touches.
    """
    beside: Neighbours = defaultdict(Counter)
    ordered = sorted(bars, key=lambda bar: bar[1][0])
    jobs = np.array([job for job, _ in ordered], dtype=int)
    left, top, width, height = np.array([box for _, box in ordered]).reshape(-1, 4).T
    right, bottom = left + width, top + height
    last = np.searchsorted(left, right + near)
    for i, job in enumerate(jobs):
        later = slice(i + 1, last[i])
        wide = np.minimum(right[later], right[i]) - left[later]
        high = np.minimum(bottom[later], bottom[i]) - np.maximum(top[later], top[i])
        space, border = -np.minimum(wide, high), np.maximum(wide, high)
        border = np.where(space <= CLOSE, 10 * border, border)
        found = np.flatnonzero((space <= near) & (border > 0))
        beside[int(job)]  # A job without neighbours has a hue, too.
        for other, shared in zip(jobs[later][found], border[found], strict=True):
            if other != job:
                beside[int(job)][int(other)] += 1 + int(shared)
                beside[int(other)][int(job)] += 1 + int(shared)
    return beside


def _smallest_last(beside: Neighbours) -> list[int]:
    """Return the jobs, each of them with few neighbours among the earlier ones."""
    degree = {job: len(others) for job, others in beside.items()}
    heap = [(count, -job) for job, count in degree.items()]
    heapify(heap)
    order = []
    while heap:
        count, job = heappop(heap)
        if degree.get(-job) != count:
            continue
        order.append(-job)
        del degree[-job]
        for other in beside[-job]:
            if other in degree:
                degree[other] -= 1
                heappush(heap, (degree[other], -other))
    return order[::-1]
