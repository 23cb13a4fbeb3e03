"""What a speed-up is like: in words, at some number of GPUs, and what the theorem may use of it."""

from bisect import bisect_right
from itertools import pairwise

from ...instances import Amdahl, PowerLaw, SpeedTable, Speedup
from .premises import bend


def speed_text(speedup: Speedup) -> str:
    """Say which model it is, and its number."""
    if isinstance(speedup, PowerLaw):
        return f"k^{speedup.exponent:f}"
    if isinstance(speedup, Amdahl):
        return f"Amdahl {speedup.parallel:f}"
    return f"table to {speedup.points[-1].gpus:f}"


def speed_at(speedup: Speedup, gpus: float) -> float:
    """Return the speed-up on a number of GPUs of at least 1."""
    if isinstance(speedup, PowerLaw):
        return float(gpus ** float(speedup.exponent))
    if isinstance(speedup, Amdahl):
        parallel = float(speedup.parallel)
        return 1 / (1 - parallel + parallel / gpus)
    points = speedup.points
    at = bisect_right([float(point.gpus) for point in points], gpus) - 1
    if at + 1 == len(points):
        return float(points[at].speed)
    one, two = points[at], points[at + 1]
    slope = float((two.speed - one.speed) / (two.gpus - one.gpus))
    return float(one.speed) + slope * (gpus - float(one.gpus))


def shape_text(speedup: Speedup) -> str:
    """Say how much of the theorem's hypotheses holds: concave, or only s(k) / k never rising."""
    if not isinstance(speedup, SpeedTable) or bend(speedup) is None:
        return "concave"
    points = [(point.gpus, point.speed) for point in speedup.points]
    if all(t >= s for (_, s), (_, t) in pairwise(points)):
        if all(t * j <= s * k for (j, s), (k, t) in pairwise(points)):
            return f"bent at {bend(speedup)}"
        return "s(k)/k rises"
    return "s(k) falls"
