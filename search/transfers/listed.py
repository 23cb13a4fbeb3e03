"""What can be sent next, and all ways to part updates into sends."""

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations

from ...instances import Send, TransfersInstance
from ...instances.transfers.schedule import Target


def next_sends(
    instance: TransfersInstance, left: frozenset[int]
) -> Iterator[tuple[Send, frozenset[int]]]:
    """Yield every send of some of the updates that are left; the order of members counts."""
    most = len(left) if instance.aggregators else 1
    for size in range(1, most + 1):
        for members in permutations(sorted(left), size):
            for send in sends_of(instance, members):
                yield send, frozenset(members)


def partitions(instance: TransfersInstance, left: Sequence[int]) -> Iterator[list[tuple[int, ...]]]:
    """Yield every way to drop some updates and part the others into groups."""
    if not left:
        yield []
        return
    first, rest = left[0], left[1:]
    yield from partitions(instance, rest)
    most = len(rest) if instance.aggregators else 0
    for size in range(most + 1):
        for others in combinations(rest, size):
            after = [i for i in rest if i not in others]
            for groups in partitions(instance, after):
                yield [(first, *others), *groups]


def sends_of(instance: TransfersInstance, members: Sequence[int]) -> list[Send]:
    """Return every way to send some updates as one."""
    names = tuple(instance.updates[i].name for i in members)
    vias: list[str | None] = [*instance.aggregators]
    if len(members) == 1:
        vias.insert(0, None)
    targets: tuple[Target, ...] = ("server",) if instance.replica is None else ("server", "both")
    return [Send(updates=names, via=via, to=to) for via in vias for to in targets]
