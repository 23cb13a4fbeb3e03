"""Small `shuffle` instances, and their least load by trying all that can be sent."""

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from itertools import combinations

from hypothesis import strategies as st

from ringyard.instances import CachingWorker, ShuffleInstance

Side = tuple[Iterable[int], Iterable[int]]
"""The rows that a worker has, and those that it wants."""

CYCLE = (([1], [0]), ([2], [1]), ([0], [2]))
PENTAGON = tuple(([(k - 1) % 5, (k + 1) % 5], [k]) for k in range(5))
PADDED = (([1, 2], [0]), ([0], [1]), ([0], [2]))


def exchange(*sides: Side, multicast: str = "1", rows: int | None = None) -> ShuffleInstance:
    """Return an instance with workers a, b, c, .."""
    named = [(sorted(has), sorted(wants)) for has, wants in sides]
    most = max((row for side in named for own in side for row in own), default=0)
    workers = tuple(
        CachingWorker(name="abcdefgh"[k], has=tuple(has), wants=tuple(wants))
        for k, (has, wants) in enumerate(named)
    )
    return ShuffleInstance(
        name="x",
        rows=most + 1 if rows is None else rows,
        workers=workers,
        multicast=Decimal(multicast),
    )


@st.composite
def exchanges(draw: st.DrawFn, rows: int = 4, workers: int = 4) -> ShuffleInstance:
    """Return instances of so many rows and up to so many workers."""
    some = st.sets(st.integers(0, rows - 1))
    sides = draw(st.lists(st.tuples(some, some), min_size=1, max_size=workers))
    multicast = draw(st.sampled_from(["0.5", "1", "1.5", "2.5"]))
    return exchange(*sides, multicast=multicast, rows=rows)


def closure(vectors: Iterable[int]) -> set[int]:
    """Return all sums of vectors, which are rows as bits."""
    found = {0}
    for vector in vectors:
        found |= {vector ^ other for other in found}
    return found


def unicasts(sums: tuple[int, ...], has: Iterable[int], lacks: Iterable[int]) -> int:
    """Return how many rows a worker needs beside sums, trying all sets of rows."""
    lacked = sorted(lacks)
    for size in range(len(lacked) + 1):
        for told in combinations(lacked, size):
            all_sums = closure([*sums, *(1 << row for row in (*told, *has))])
            if all(1 << row in all_sums for row in lacked):
                return size
    raise AssertionError("a worker that is told all that it lacks knows it")


def least_load(instance: ShuffleInstance) -> Fraction:
    """Return the least load: of all sets of sums to all, with what each worker needs beside."""
    price, best = Fraction(instance.multicast), Fraction(10**6)
    most = instance.rows if len(instance.workers) > 1 else 0
    for size in range(most + 1):
        for sums in combinations(range(1, 1 << instance.rows), size):
            beside = sum(
                unicasts(sums, one.has, missing)
                for one, missing in zip(instance.workers, instance.missing, strict=True)
            )
            best = min(best, price * size + beside)
    return best
