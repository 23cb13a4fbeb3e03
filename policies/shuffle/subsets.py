"""Coded shuffling as published: one queue for each set of workers and each member.

A row that worker k lacks and that exactly the workers of a set have cached stands in k's queue of
the set with k added. The heads of all queues of a set are sent as one sum: each member has the rows
of all others. A shorter queue is padded with zeros, so that a set costs as much as its longest.
"""

from collections.abc import Iterator

from ...instances import Outcome, ShuffleInstance
from ..request import NoOptions, Request
from .plan import Part, answer, owners


def run(instance: ShuffleInstance, request: Request[NoOptions]) -> Outcome:
    """Return the plan; nothing is random."""
    return answer(instance, "subsets", _sums(instance))


def _sums(instance: ShuffleInstance) -> Iterator[list[Part]]:
    cached = owners([one.has for one in instance.workers])
    plain: dict[int, list[Part]] = {}
    queues: dict[int, dict[int, list[Part]]] = {}
    for k, rows in enumerate(instance.missing):
        for row in sorted(rows):
            if cached[row]:
                queues.setdefault(cached[row] | 1 << k, {}).setdefault(k, []).append((k, row))
            else:
                plain.setdefault(row, []).append((k, row))
    yield from plain.values()
    for own in queues.values():
        for turn in range(max(map(len, own.values()))):
            yield [queue[turn] for queue in own.values() if turn < len(queue)]
