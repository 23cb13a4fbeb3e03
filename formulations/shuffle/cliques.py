"""Who can share a sum with whom: the side information as a graph, and its largest cliques.

A node is a kind of rows and a worker that lacks them. Rows cached by the same workers are of one
kind if a single worker lacks them, and it is the same; any other row is a kind of its own. Two
nodes of different workers are neighbours if each worker has the other's row, or lacks the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ...instances import RefusedError, ShuffleInstance

MOST_CLIQUES = 50_000
"""Programs with more are not worth waiting for."""

MOST_NODES = 1000
"""Of larger graphs not even the cliques are counted."""

Node = tuple[int, int]
"""A kind of rows, and a worker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cliques:
    """The graph's nodes, and its cliques of at least two that are in no other."""

    nodes: tuple[Node, ...]
    rows: tuple[tuple[int, ...], ...]
    """The rows of each kind."""
    kinds: dict[int, int]
    """The kind of each row that is lacked."""
    members: tuple[tuple[int, ...], ...]
    """The nodes of each clique."""


def cliques_of(instance: ShuffleInstance) -> Cliques:
    """Return the cliques of an instance.

    Raises:
        RefusedError: If there are too many.
    """
    cached, lacking = _owners(instance)
    groups: dict[tuple[frozenset[int], frozenset[int], int], list[int]] = {}
    for row in sorted(lacking):
        own = -1 if len(lacking[row]) == 1 else row
        groups.setdefault((cached[row], lacking[row], own), []).append(row)
    nodes = [(i, k) for i, (_, lack, _) in enumerate(groups) for k in sorted(lack)]
    if len(nodes) > MOST_NODES:
        raise _too_many(instance)
    has = [caches for caches, _, _ in groups]
    near = [0] * len(nodes)
    for a, (i, k) in enumerate(nodes):
        for b, (j, other) in enumerate(nodes[:a]):
            if k != other and (i == j or (other in has[i] and k in has[j])):
                near[a] |= 1 << b
                near[b] |= 1 << a
    found = []
    for clique in _maximal(near, 0, (1 << len(nodes)) - 1, 0):
        if clique & clique - 1:
            found.append(tuple(_bits(clique)))
        if len(found) > MOST_CLIQUES:
            raise _too_many(instance)
    return Cliques(
        nodes=tuple(nodes),
        rows=tuple(map(tuple, groups.values())),
        kinds={row: i for i, rows in enumerate(groups.values()) for row in rows},
        members=tuple(sorted(found)),
    )


def _too_many(instance: ShuffleInstance) -> RefusedError:
    return RefusedError(f"{instance.name}: there are too many sums to list; take greedy-cover")


def _owners(
    instance: ShuffleInstance,
) -> tuple[dict[int, frozenset[int]], dict[int, frozenset[int]]]:
    """Return the workers that have and those that lack each row that is lacked."""
    lacked = frozenset[int]().union(*instance.missing)
    has = {row: set[int]() for row in lacked}
    lacks = {row: set[int]() for row in lacked}
    for k, (one, missing) in enumerate(zip(instance.workers, instance.missing, strict=True)):
        for row in lacked.intersection(one.has):
            has[row].add(k)
        for row in missing:
            lacks[row].add(k)
    return (
        {row: frozenset(own) for row, own in has.items()},
        {row: frozenset(own) for row, own in lacks.items()},
    )


def _maximal(near: list[int], clique: int, open_: int, closed: int) -> Iterator[int]:
    """Yield the cliques that are in no other, by Bron and Kerbosch with a pivot; sets are bits."""
    if not open_ and not closed:
        yield clique
        return
    pivot = max(_bits(open_ | closed), key=lambda node: (near[node] & open_).bit_count())
    for node in _bits(open_ & ~near[pivot]):
        yield from _maximal(near, clique | 1 << node, open_ & near[node], closed & near[node])
        open_ ^= 1 << node
        closed |= 1 << node


def _bits(mask: int) -> Iterator[int]:
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1
