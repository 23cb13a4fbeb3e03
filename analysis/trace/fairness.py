"""Finish-time fairness: a job's completion time over its time on an equal part of the cluster.

Sources: Mahajan et al., *Themis* (NSDI 2020), and the threshold of Zheng et al., *Shockwave* (NSDI
2023).
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate

UNFAIR = 1.05
"""Ratios above this count as unfair."""

Life = tuple[float, float, float, int]
"""Arrival, end and duration of a job, in any unit of time, and its GPUs."""


def fair_ratios(lives: Sequence[Life], gpus: int) -> list[float]:
    """Return the ratio rho of each job. `gpus` are all GPUs of the cluster.

    With n jobs present, averaged over its life, a job on w of G GPUs would take max(1, n w / G)
    times its duration on an equal part.
    """
    arrived = _since([life[0] for life in lives])
    ended = _since([life[1] for life in lives])

    def ratio(life: Life) -> float:
        arrival, end, duration, width = life
        there = arrived(end) - arrived(arrival) - ended(end) + ended(arrival)
        present = there / (end - arrival)
        return (end - arrival) / (duration * max(1.0, present * width / gpus))

    return [ratio(life) for life in lives]


def _since(moments: Sequence[float]) -> Callable[[float], float]:
    """Return a function of a time: the sum of the times since all earlier moments."""
    ordered = sorted(moments)
    sums = [0, *accumulate(ordered)]

    def total(time: float) -> float:
        count = bisect_right(ordered, time)
        return count * time - sums[count]

    return total
