"""Every row by itself: one message to all that lack it if that is cheapest, else one to each."""

from numpy.random import Generator

from ...instances import Limits, Outcome, ShuffleInstance
from .plan import Part, answer


def run(instance: ShuffleInstance, limits: Limits, rng: Generator) -> Outcome:
    """Return the plan; nothing is random."""
    del limits, rng
    lacking: dict[int, list[Part]] = {}
    for worker, rows in enumerate(instance.missing):
        for row in sorted(rows):
            lacking.setdefault(row, []).append((worker, row))
    return answer(instance, "row-by-row", [lacking[row] for row in sorted(lacking)])
