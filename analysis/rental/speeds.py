"""What a speed-up is like: in words, at some number of GPUs, and what the theorem may use of it."""

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
