"""Holm's correction of many tests at once (Holm 1979)."""

from collections.abc import Sequence


def holm(chances: Sequence[float]) -> list[float]:
    """Return adjusted p: rejecting those of at most a keeps any false rejection rarer than a."""
    adjusted = [0.0] * len(chances)
    worst = 0.0
    for place, i in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        worst = max(worst, min(1.0, (len(chances) - place) * chances[i]))
        adjusted[i] = worst
    return adjusted
