"""The least load of all sums modulo 2, by a complete search. For few rows.

Rows sent to a worker alone are treated as its own. All workers hear the other messages. Their span
must include, for every row r that a worker misses, r plus some rows that it has. The search
therefore adds each such sum for a row that is not spanned yet, up to a number of sums.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import ceil

from ...instances import (
    Bound,
    BoundKind,
    Incumbent,
    Limits,
    Message,
    Outcome,
    ShuffleInstance,
    ShufflePlan,
    SolutionStatus,
    TerminationReason,
    digest,
)
from ...policies.request import NO_OPTIONS, NoOptions, Request, termination_of
from ...policies.shuffle import run_greedy_cover

Basis = tuple[int, ...]
"""A basis in reduced echelon form, its highest vector first: one for each span."""


def reduced(basis: Basis, vector: int) -> int:
    """Return a vector reduced modulo the span, or 0 if it is in the span."""
    for own in basis:
        if vector & highest_bit(own):
            vector ^= own
    return vector


def highest_bit(vector: int) -> int:
    """Return the highest bit of a nonzero vector as a mask."""
    return 1 << (vector.bit_length() - 1)


def extended(basis: Basis, vector: int) -> Basis:
    """Return the basis with a vector added."""
    new = reduced(basis, vector)
    if not new:
        return basis
    head = highest_bit(new)
    others = ((own ^ new) if own & head else own for own in basis)
    return tuple(sorted((*others, new), reverse=True))


def spanned(vectors: Iterable[int]) -> Basis:
    """Return the basis of the span of vectors."""
    basis: Basis = ()
    for vector in vectors:
        basis = extended(basis, vector)
    return basis


def needs(basis: Basis, has: int, lacks: int) -> int:
    """Return the number of rows that a worker needs beyond the span, to know all its rows."""
    known = len(spanned(vector & ~has for vector in basis))
    strange = len(spanned(vector & ~has & ~lacks for vector in basis))
    return lacks.bit_count() + strange - known


def unknown(basis: Basis, has: int, lacks: int) -> list[int]:
    """Return the rows that a worker lacks and cannot work out, as bits."""
    seen = spanned(vector & ~has for vector in basis)
    return [bit for bit in bits(lacks) if reduced(seen, bit)]


def bits(mask: int) -> list[int]:
    """Return the bits of a mask, each as a mask."""
    found = []
    while mask:
        found.append(mask & -mask)
        mask &= mask - 1
    return found


def packed(rows: Iterable[int], places: Sequence[int]) -> int:
    """Return rows as bits at their places."""
    have = set(rows)
    return sum(1 << i for i, row in enumerate(places) if row in have)


MOST_ROWS = 12
"""With more rows lacked, there are too many sums."""

MOST_IN_TURN = 7
"""Of more workers, orders are not tried for every set of unicasts."""

CHECKED_ROWS = 5
"""With more, the checker of certificates does not go through all sums."""

NODES = 20_000
"""Most nodes of the search, which then returns its best result."""


def refuses(instance: ShuffleInstance, _: NoOptions = NO_OPTIONS) -> str | None:
    """Return why the search is hopeless, or None if it is not."""
    rows = len(frozenset().union(*instance.missing))
    if rows > MOST_ROWS:
        return f"{rows} rows are missing, more than {MOST_ROWS}"
    return None


def run(instance: ShuffleInstance, request: Request[NoOptions]) -> Outcome:
    """Return the best plan found, with a bound if the search was complete (deterministic)."""
    first = run_greedy_cover(instance, request)
    assert first.value is not None
    known, load = first.schedule, first.value
    if request.start_value is not None and request.start_value < load:
        known, load = replace(request.start, method="exact"), request.start_value
    request.limits.report(Incumbent(schedule=known, value=float(load)))
    search = _MessageSearch(instance, request.limits, load)
    search.run()
    plan = known if search.found is None else search.plan()
    return Outcome(
        schedule=plan,
        termination=search.stop,
        status=SolutionStatus.OPTIMAL if search.bound == search.best else SolutionStatus.FEASIBLE,
        value=search.best,
        bound=_bound(search),
        nodes=search.nodes,
    )


def bound_by_search(instance: ShuffleInstance, limits: Limits) -> Bound | None:
    """Return the proved bound, or None if there are too many rows."""
    if refuses(instance) is not None:
        return None
    search = _MessageSearch(instance, limits, Fraction(sum(map(len, instance.missing)) + 1))
    search.run()
    return _bound(search)


def _bound(search: "_MessageSearch") -> Bound | None:
    if search.bound is None:
        return None
    why = f"complete search of sums modulo 2, {search.nodes:,} nodes"
    step = {"rule": "all sums"} if search.few else None
    return Bound.by(BoundKind.SEARCHED, "all sums", search.bound, why, step)


@dataclass(frozen=True, slots=True)
class _Worker:
    has: int
    lacks: int


def _in_turn(workers: list[_Worker]) -> int:
    """Return the most new rows along an order of workers, over all orders if few."""
    if len(workers) > MOST_IN_TURN:
        return max(one.lacks.bit_count() for one in workers)
    most, known = [0] * (1 << len(workers)), [0] * (1 << len(workers))
    for some in range(1, len(most)):
        for k, one in enumerate(workers):
            if some & (1 << k):
                rest = some ^ (1 << k)
                most[some] = max(most[some], most[rest] + (one.lacks & ~known[rest]).bit_count())
                known[some] = known[rest] | one.has | one.lacks
    return most[-1]


class _OverError(Exception):
    """The search is over before its end."""


class _MessageSearch:
    """The search, with its best plan and bound."""

    def __init__(self, instance: ShuffleInstance, limits: Limits, best: Fraction) -> None:
        self._instance, self._limits = instance, limits
        self._rows = sorted(frozenset().union(*instance.missing))
        self._workers = [
            _Worker(packed(one.has, self._rows), packed(missing, self._rows))
            for one, missing in zip(instance.workers, instance.missing, strict=True)
        ]
        alone = len(instance.workers) == 1  # A multicast has several receivers.
        self._price = Fraction(1) if alone else Fraction(instance.multicast)
        self.few = len(self._rows) <= CHECKED_ROWS
        self.best = best
        self.found: tuple[list[tuple[int, int]], Basis] | None = None
        self.bound: Fraction | None = None
        self.nodes = 0
        self.stop = TerminationReason.DONE

    def run(self) -> None:
        """Search until the optimum is proved, or the limits are reached."""
        try:
            for alone in self._unicasts():
                self._improve(alone)
            self.bound = self.best
        except _OverError:
            self.stop = termination_of(self._limits, TerminationReason.WORK_LIMIT)

    def _unicasts(self) -> Iterator[list[tuple[int, int]]]:
        """Yield the sets of rows that workers are sent alone, small ones first."""
        pairs = [(k, bit) for k, one in enumerate(self._workers) for bit in bits(one.lacks)]
        for size in range(len(pairs) + 1):
            if size >= self.best or (size and self._price <= 1):
                return
            yield from map(list, combinations(pairs, size))

    def _improve(self, alone: list[tuple[int, int]]) -> None:
        """Search for few enough sums in addition to some unicasts."""
        given = dict[int, int]()
        for k, bit in alone:
            given[k] = given.get(k, 0) | bit
        workers = [
            _Worker(one.has | given.get(k, 0), one.lacks & ~given.get(k, 0))
            for k, one in enumerate(self._workers)
        ]
        self._count()
        sums = _in_turn(workers)
        for most in range(sums, ceil((self.best - len(alone)) / self._price)):
            basis = self._spanning(workers, (), most, set())
            if basis is not None:
                self.best = len(alone) + self._price * len(basis)
                self.found = alone, basis
                return

    def _spanning(
        self, workers: list[_Worker], basis: Basis, most: int, seen: set[Basis]
    ) -> Basis | None:
        """Return a span that contains the basis and that teaches all, of at most `most` sums."""
        self._count()
        if basis in seen:
            return None
        seen.add(basis)
        left = [
            (one.has.bit_count(), one, rows[0])
            for one in workers
            if (rows := unknown(basis, one.has, one.lacks))
        ]
        if not left:
            return basis
        if max(needs(basis, one.has, one.lacks) for _, one, _ in left) > most - len(basis):
            return None
        _, one, row = min(left, key=lambda entry: entry[0])
        for vector in sorted({reduced(basis, row | some) for some in _subsets(one.has)}):
            found = self._spanning(workers, extended(basis, vector), most, seen)
            if found is not None:
                return found
        return None

    def _count(self) -> None:
        self.nodes += 1
        if self.nodes > NODES or self._limits.over():
            raise _OverError

    def plan(self) -> ShufflePlan:
        """Return the plan that was found."""
        assert self.found is not None
        alone, basis = self.found
        names = [one.name for one in self._instance.workers]
        lacking = [name for name, one in zip(names, self._workers, strict=True) if one.lacks]
        to = tuple(lacking if len(lacking) > 1 else names)
        return ShufflePlan(
            instance=self._instance.name,
            digest=digest(self._instance),
            method="exact",
            messages=(
                *(Message(rows=self._named(bit), to=(names[k],)) for k, bit in alone),
                *(Message(rows=self._named(vector), to=to) for vector in basis),
            ),
        )

    def _named(self, vector: int) -> tuple[int, ...]:
        return tuple(self._rows[bit.bit_length() - 1] for bit in bits(vector))


def _subsets(mask: int) -> Iterator[int]:
    some = mask
    while True:
        yield some
        if not some:
            return
        some = (some - 1) & mask
