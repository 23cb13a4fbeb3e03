"""Plans that send workers their missing rows, plainly or in sums.

Every row by itself: one multicast to all workers that miss it if that is cheapest, else one unicast
to each.

Coded shuffling as published: one queue for each set of workers and each member. A row that worker k
misses and that exactly the workers of a set have cached is in k's queue of the set with k added.
The heads of all queues of a set are sent as one sum: each member has the rows of all other members.
A shorter queue is padded with zeros, so a set costs as much as its longest queue.

Sums for as many workers as possible, first for workers with rows relevant to few workers. Workers
share a sum if each misses one row of it and has the other rows. The row that fewest workers have or
miss limits their number. Sums therefore begin with such rows, and joined rows are relevant to no
more workers than necessary. Sums for all workers of their first row come first. Rows are sent
plainly if a sum for few workers does not pay. Sets of rows and of workers are the bits of integers.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from ..instances import (
    Limits,
    Message,
    Outcome,
    ShuffleInstance,
    ShufflePlan,
    TerminationReason,
    digest,
)
from .request import NoOptions, Request, Scheduler, outcome_of

Part = tuple[int, int]
"""A worker, by number, and the row that it learns."""


def answer(instance: ShuffleInstance, method: str, sums: Iterable[Sequence[Part]]) -> Outcome:
    """Return the plan that sends the sums. No worker learns two rows from one."""
    plan = ShufflePlan(
        instance=instance.name,
        digest=digest(instance),
        method=method,
        messages=tuple(message for parts in sums for message in messages_of(instance, parts)),
    )
    return outcome_of(plan, value=load_of(instance, plan))


def messages_of(instance: ShuffleInstance, parts: Sequence[Part]) -> list[Message]:
    """Return the cheapest messages: the sum to all that learn from it, or each row alone."""
    names, parts = [one.name for one in instance.workers], sorted(parts)
    if instance.multicast < 1 < len(names):  # Further receivers make a message cheaper.
        return [Message(rows=_rows(parts), to=tuple(names))]
    if len(parts) <= instance.multicast:
        return [Message(rows=(row,), to=(names[worker],)) for worker, row in parts]
    return [Message(rows=_rows(parts), to=tuple(names[worker] for worker, _ in parts))]


def _rows(parts: Sequence[Part]) -> tuple[int, ...]:
    return tuple(sorted({row for _, row in parts}))


def load_of(instance: ShuffleInstance, plan: ShufflePlan) -> Fraction:
    """Return the cost of the messages."""
    several = sum(len(message.to) > 1 for message in plan.messages)
    return len(plan.messages) - several + several * Fraction(instance.multicast)


def owners(held: Sequence[Iterable[int]]) -> defaultdict[int, int]:
    """Return the workers that hold each row."""
    owners: defaultdict[int, int] = defaultdict(int)
    for k, own in enumerate(held):
        for row in own:
            owners[row] |= 1 << k
    return owners


def run_row_by_row(instance: ShuffleInstance, request: Request[NoOptions]) -> Outcome:
    """Return the plan (deterministic)."""
    lacking: dict[int, list[Part]] = {}
    for worker, rows in enumerate(instance.missing):
        for row in sorted(rows):
            lacking.setdefault(row, []).append((worker, row))
    return answer(instance, "row-by-row", [lacking[row] for row in sorted(lacking)])


ROW_BY_ROW = Scheduler(run=run_row_by_row)


def run_subsets(instance: ShuffleInstance, request: Request[NoOptions]) -> Outcome:
    """Return the plan (deterministic)."""
    return answer(instance, "subsets", _sums(instance))


SUBSETS = Scheduler(run=run_subsets)


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


def run_greedy_cover(instance: ShuffleInstance, request: Request[NoOptions]) -> Outcome:
    """Return the plan, with rows sent plainly once the time is up (deterministic)."""
    cover = _LackCover(instance, request.limits)
    outcome = answer(instance, "greedy-cover", cover.sums())
    return replace(outcome, termination=TerminationReason.TIME_LIMIT) if cover.late else outcome


GREEDY_COVER = Scheduler(run=run_greedy_cover)


class _LackCover:
    """The rows that workers still miss. Sums remove rows one by one."""

    def __init__(self, instance: ShuffleInstance, limits: Limits) -> None:
        n = len(instance.workers)
        self._limits, self.late = limits, False
        self._has = [_bits(one.has) for one in instance.workers]
        self._cached = owners([one.has for one in instance.workers])
        self._lacking = owners(instance.missing)
        self._level = {
            row: (self._cached[row] | lacking).bit_count() for row, lacking in self._lacking.items()
        }
        """To how many workers each row matters."""
        self._left = [len(rows) for rows in instance.missing]
        self._rows = [_by_level(rows, self._level, n) for rows in instance.missing]
        """The rows that each worker still lacks, by level."""
        self._least = max(1, int(instance.multicast) + 1)
        """Sums for fewer workers cost more than their rows."""

    def sums(self) -> Iterator[list[Part]]:
        """Yield the row that each worker learns from each sum, until every row is known."""
        for level in range(len(self._has) + 1):
            for size in range(level, self._least - 1, -1):
                if not any(own[level] for own in self._rows):
                    break
                yield from self._begun_at(level, size)
        for k, own in enumerate(self._rows):
            for rows in own:
                yield from ([(k, row)] for row in _numbers(rows))

    def _begun_at(self, level: int, size: int) -> Iterator[list[Part]]:
        """Yield sums for `size` workers or more that begin with a row of the level."""
        untried = [own[level] for own in self._rows]
        while True:
            seeds = [rows & own[level] for rows, own in zip(untried, self._rows, strict=True)]
            self.late |= self._limits.over()
            if not any(seeds) or self.late:
                return
            k = max((k for k, rows in enumerate(seeds) if rows), key=self._left.__getitem__)
            row = seeds[k].bit_length() - 1
            untried[k] ^= 1 << row
            parts = self._sum(row, size)
            if len(parts) >= size:
                self._take(parts)
                yield parts

    def _sum(self, row: int, size: int) -> list[Part]:
        """Return the rows learned from a sum. The worker that misses most chooses first."""
        parts: list[Part] = []
        able = (1 << len(self._has)) - 1  # Workers that have all rows of the sum.
        common = -1  # Rows that all its learners have.
        order = sorted(_numbers(self._cached[row]), key=lambda k: -self._left[k])
        joins: int | None = row
        while True:
            if joins is not None:
                for k in _numbers(self._lacking[joins] & able):
                    parts.append((k, joins))
                    common &= self._has[k]
                able &= self._cached[joins]
            order = [k for k in order if able & (1 << k) and self._left[k]]
            if not order:
                return parts
            k, *order = order
            joins = self._fitting(k, common, order, size - len(parts))

    def _fitting(self, k: int, common: int, later: Sequence[int], size: int) -> int | None:
        """Return a row for a worker that leaves the sum open to `size` workers, itself included."""
        rest = sum(1 << one for one in later)
        for own in self._rows[k]:
            rows = own & common
            if rows:
                for one in later:
                    rows = rows & self._has[one] or rows
                row = rows.bit_length() - 1
                if (rest & (self._cached[row] | self._lacking[row])).bit_count() + 1 >= size:
                    return row
        return None

    def _take(self, parts: Iterable[Part]) -> None:
        for k, row in parts:
            self._rows[k][self._level[row]] ^= 1 << row
            self._lacking[row] ^= 1 << k
            self._left[k] -= 1


def _by_level(rows: Iterable[int], level: Mapping[int, int], most: int) -> list[int]:
    sorted_out: list[list[int]] = [[] for _ in range(most + 1)]
    for row in rows:
        sorted_out[level[row]].append(row)
    return [_bits(own) for own in sorted_out]


def _bits(numbers: Iterable[int]) -> int:
    bits = bytearray()
    for number in numbers:
        if number >> 3 >= len(bits):
            bits.extend(bytes((number >> 3) + 1 - len(bits)))
        bits[number >> 3] |= 1 << (number & 7)
    return int.from_bytes(bits, "little")


def _numbers(bits: int) -> Iterator[int]:
    while bits:
        number = bits.bit_length() - 1
        yield number
        bits ^= 1 << number
