"""GADGET: in every slot, the shares that add most to the gains so far.

Source: GADGET (online resource optimization for ring-all-reduce learning), Algorithm 1.

Rings that have arrived request workers up to N_i and to their remaining budgets. The slot is filled
so that the sum of the gains grows most. Later slots are not considered.

Guarantee. If the gains are concave, nondecreasing and 0 at 0, and every slot is filled to at least
a fraction alpha of its optimum, the sum is at least ``alpha / (1 + alpha)`` of the offline optimum:
half of it with an exact solver (``slot=exact``). The ground set has all choices of placements in a
slot, for every slot. Choosing one for each is a partition matroid. The sum of the gains is monotone
and submodular on it, as concave functions of sums. Slots may be filled in any order. Budgets do not
affect this: with gains that stay constant from the last worker-slot of a budget on, more
worker-slots gain nothing, so budgets can be left out of the matroid.

The paper's solver of a slot (`slot_lp.py`) has alpha = 1 / (3 Gamma), Gamma the largest number of
ring sizes of a ring, hence ``1 / (3 Gamma + 1)``. It exceeds capacities by the factors of its
theorem, and holds with high probability. Here capacities are hard and such samples are repaired, so
``slot=lp`` has no proved ratio.

The exact solver proves the most that can be added in a slot in exact arithmetic, since a solver's
answer for GADGET's program rests on tolerances. It searches over the numbers of workers of all
rings. In a node each ring has a range of them. Prices of the relaxation bound the gain of a node. A
node that cannot beat the best answer is pruned. Otherwise the range of one ring is cut into its
number in the relaxation, and those below and above. If all numbers are fixed and would add more,
all placements are tried, on amounts that are whole numbers. Gains are summed in fractions. If the
search does not end, the program is solved for a better answer, without a proof.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd, inf, lcm
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from numpy.random import Generator

from ...formulations.matrix import matrix_of, set_point
from ...formulations.program import Caps
from ...formulations.reserved import gadget_slot
from ...formulations.reserved.slot_master import PlacementColumn, RingSlotData, SlotRing, ask_of
from ...formulations.solver_interface.solve import solve
from ...instances import Limits, Outcome, ReservedInstance, TerminationReason
from ...instances.reading.vocabulary import Count
from ...policies.request import Request
from ...policies.reserved import Placement, RingPlans, SlotCapacity
from ...simulation.reserved import Floats, fits, most_at_once, reserved_model
from .slot_lp import Relaxed, relaxed_by, repair, round_slot

NODES = 5_000
"""Relaxations that are solved to prove that a slot is filled best."""

TRIES = 100
"""Places of a ring that are tried in the time of a relaxation, or less."""

MUST = 2.0
"""The reward, in a relaxation whose gains are at most 1, for a ring that has its workers."""

Ranges = tuple[range, ...]
"""The numbers of workers that each ring may have."""


class Filled(NamedTuple):
    """The best placements found, by ring, and whether they are proved to add most."""

    held: dict[int, Placement]
    proved: bool


def exact_slot(data: RingSlotData, limits: Limits, nodes: int = NODES) -> Filled:
    """Return placements that add most, unproved if time is up, or after `nodes` nodes."""
    search = _SlotSearch(data, limits, nodes)
    search.offer(repair(data, {}))
    proved = search.run()
    if not proved and not limits.over():
        search.offer(repair(data, _solved(data, limits)))
    return Filled(search.held, proved)


def _solved(data: RingSlotData, limits: Limits) -> dict[int, Placement]:
    """Return the placements of the program's best point, rings numbered by request."""
    model = gadget_slot.build(data)
    program = matrix_of(model)
    found = solve(program, caps=Caps(time_s=limits.left_s(), threads=limits.threads))
    if found.point is None:
        return {}
    set_point(model, program, found.point)
    counts = gadget_slot.read(model)
    return {place: counts[ask.job] for place, ask in enumerate(data.asks) if ask.job in counts}


class _SlotSearch:
    """The best placements so far, and the open nodes."""

    held: dict[int, Placement]

    def __init__(self, data: RingSlotData, limits: Limits, nodes: int) -> None:
        self._data, self._limits, self._left = data, limits, nodes * TRIES
        self._sums = [ask.sums for ask in data.asks]
        self._step = _step(self._sums)
        self._best, self._known = Fraction(-1), dict[Any, PlacementColumn]()

    def offer(self, held: dict[int, Placement]) -> None:
        """Keep placements that fit, if they add more."""
        counts = (sum(held.get(ask.job, {}).values()) for ask in self._data.asks)
        value = self._value(counts)
        if value > self._best:
            self._best, self.held, self._aim = value, held, value + self._step

    def run(self) -> bool:
        """Search the whole tree, and return True if it was completed."""
        stack: list[Ranges] = [tuple(range(len(sums)) for sums in self._sums)]
        while stack:
            ranges = stack.pop()
            if self._value(one[-1] for one in ranges) <= self._best:
                continue
            if not self._spend(TRIES):
                return False
            parts = self._parts(ranges)
            stack += parts
            if parts == [ranges] and not self._placed([one[0] for one in stack.pop()]):
                return False
        return True

    def _value(self, counts: Iterable[int]) -> Fraction:
        pairs = zip(self._sums, counts, strict=True)
        return sum((sums[count] for sums, count in pairs), Fraction(0))

    def _spend(self, tries: int) -> bool:
        self._left -= tries
        return self._left >= 0 and not self._limits.over()

    def _parts(self, ranges: Ranges) -> list[Ranges]:
        """Return the parts of a node, the best one last, or an empty list if it cannot add more.

        A node without a choice is the only part of itself.
        """
        least = self._value(one[0] for one in ranges)
        scale = float(self._value(one[-1] for one in ranges) - least) or 1.0
        gains = _gains(self._sums, ranges, scale)
        found = relaxed_by(self._data, gains, self._limits, self._known.values())
        must = MUST * sum(one[0] > 0 for one in ranges)
        if found.most == -inf:
            return []
        if least + Fraction(scale) * (Fraction(found.most) - Fraction(must)) < self._aim:
            return []
        self._known |= {(c.ask, frozenset(c.placement.items())): c for c in found.columns}
        weights = _weights(gains.shape, found)
        self.offer(repair(self._data, _heaviest(found)))
        if all(len(one) == 1 for one in ranges):
            return [ranges]
        place, count = _cut(ranges, weights)
        one = ranges[place]
        cuts = (range(one.start, count), range(count + 1, one.stop), range(count, count + 1))
        return [(*ranges[:place], cut, *ranges[place + 1 :]) for cut in cuts if cut]

    def _placed(self, counts: list[int]) -> bool:
        """Try all placements of the given workers, and return True if there was time for it."""
        asks, model = self._data.asks, self._data.model
        rings = [(ask.job, count) for ask, count in zip(asks, counts, strict=True) if count]
        room = {job: int(fits(model.capacity, model.worker[job]).sum()) for job, _ in rings}
        rings.sort(key=lambda ring: ring[1] / room[ring[0]], reverse=True)
        for held in _packings(SlotCapacity(model), rings):
            if held is not None:
                self.offer(held)
                return True
            if not self._spend(1):
                return False
        return True


def _step(sums: Sequence[Sequence[Fraction]]) -> Fraction:
    """Return a number that divides all sums."""
    numbers = [number for one in sums for number in one]
    below = lcm(*(number.denominator for number in numbers))
    return Fraction(gcd(*(int(number * below) for number in numbers)), below)


def _gains(sums: Sequence[Sequence[Fraction]], ranges: Ranges, scale: float) -> Floats:
    """Return gains of counts beyond the least of their ranges, as parts of a scale.

    A ring that must have some workers has `MUST` for it.
    """
    gains = np.full((len(sums), max(map(len, sums))), -inf)
    for row, own, one in zip(gains, sums, ranges, strict=True):
        extra = MUST if one[0] else 0.0
        for count in one:
            row[count] = extra + float(own[count] - own[one[0]]) / scale
    return gains


def _weights(shape: tuple[int, ...], found: Relaxed) -> Floats:
    """Return the weight of every count of every ring."""
    weights = np.zeros(shape)
    for column, weight in zip(found.columns, found.weights.tolist(), strict=True):
        weights[column.ask, column.size] += weight
    weights[:, 0] = 1 - weights.sum(axis=1)
    return weights


def _heaviest(found: Relaxed) -> dict[int, Placement]:
    """Return the placement of each ring that has most weight."""
    order = np.argsort(found.weights, kind="stable")
    return {found.columns[i].ask: found.columns[i].placement for i in order}


def _cut(ranges: Ranges, weights: Floats) -> tuple[int, int]:
    """Return the most ambiguous ring with a choice, and its number."""
    own = [weights[i, one.start : one.stop] for i, one in enumerate(ranges)]
    choice = [i for i, one in enumerate(ranges) if len(one) > 1]
    place = min(choice, key=lambda i: float(own[i].max()))
    return place, ranges[place][int(own[place].argmax())]


def _packings(
    capacity: SlotCapacity, rings: list[tuple[int, int]]
) -> Iterator[dict[int, Placement] | None]:
    """Yield all placements of rings with the given workers, and None for each that is tried."""
    if not rings:
        yield {}
        return
    job, count = rings[0]
    for placement in _placements(capacity.room(job).tolist(), count):
        yield None
        if capacity.take(job, placement):
            for held in _packings(capacity, rings[1:]):
                yield held if held is None else {job: placement, **held}
            capacity.give(job, placement)


def _placements(room: list[int], count: int) -> Iterator[Placement]:
    """Yield all placements of the given workers on machines with this room."""
    if not count:
        yield {}
    elif sum(room) >= count:
        last = len(room) - 1
        for number in range(min(room[last], count), -1, -1):
            for rest in _placements(room[:last], count - number):
                yield {**rest, last: number} if number else rest


NAME = "gadget"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Method of filling a slot."""

    slot: Annotated[
        Literal["lp", "exact", "greedy"],
        "the relaxation rounded, the program solved, or rings in the order of their gain",
    ] = "lp"
    tries: Annotated[
        Count, "random roundings of a slot's relaxation, keeping the best (slot=lp only)"
    ] = 20


MOST_FILLED = 5_000
"""Slots that are filled by programs. Later ones take rings in the order of their gain."""

MOST_SIZES = 1000
"""Numbers of workers of a ring that are distinguished."""


def refuses(instance: ReservedInstance, options: Options = Options()) -> str | None:
    """Return why slots cannot be filled, or None if they can."""
    largest = max(most_at_once(instance))
    if largest > MOST_SIZES:
        return f"a ring can have {largest:,} workers, more than the {MOST_SIZES:,} distinguished"
    return None


def run(instance: ReservedInstance, request: Request[Options]) -> Outcome:
    """Fill the slots one after the other."""
    options = request.options
    plans, model = RingPlans(instance, request.limits, NAME), reserved_model(instance)
    asked, filled, unproved = options, 0, 0
    for slot in plans.slots():
        asks = asks_of(plans, slot)
        if asks:
            if filled == MOST_FILLED:
                options = replace(options, slot="greedy")
            held, proved = _fill(
                RingSlotData(model=model, asks=asks), options, request.limits, request.rng
            )
            plans.add(slot, held)
            filled, unproved = filled + 1, unproved + (not proved)
    outcome = plans.outcome()
    if outcome.termination is TerminationReason.TIME_LIMIT:
        return outcome
    if asked.slot == "exact" and unproved:
        note = f"{unproved} of the slots not proved optimal within {NODES:,} nodes each"
    elif options != asked:
        note = (
            f"programs filled {MOST_FILLED:,} of {filled:,} slots, the gain order the other slots"
        )
    else:
        return outcome
    return replace(outcome, termination=TerminationReason.WORK_LIMIT, note=note)


def asks_of(plans: RingPlans, slot: int) -> tuple[SlotRing, ...]:
    """Return the rings that gain from a worker in this slot, with the gain of each further one."""
    asks = []
    for job in plans.active(slot):
        sums = [plans.gain(job, count) for count in range(plans.useful(job) + 1)]
        if sums[-1] > 0:
            asks.append(ask_of(job, sums))
    return tuple(asks)


def _fill(data: RingSlotData, options: Options, limits: Limits, rng: Generator) -> Filled:
    match options.slot:
        case "lp":
            return Filled(round_slot(data, options.tries, limits, rng), proved=False)
        case "exact":
            return exact_slot(data, limits)
        case "greedy":
            return Filled(repair(data, {}), proved=False)
