"""Every row by itself: one message to all that lack it if that is cheapest, else one to each."""

from ...instances import Outcome, ShuffleInstance
from ..request import NoOptions, Request
from .plan import Part, answer


def run(instance: ShuffleInstance, request: Request[NoOptions]) -> Outcome:
    """Return the plan; nothing is random."""
    lacking: dict[int, list[Part]] = {}
    for worker, rows in enumerate(instance.missing):
        for row in sorted(rows):
            lacking.setdefault(row, []).append((worker, row))
    return answer(instance, "row-by-row", [lacking[row] for row in sorted(lacking)])
