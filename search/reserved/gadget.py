"""GADGET: in every slot, the shares that add most to the gains so far.

Source: GADGET (online resource optimization for ring-all-reduce learning), Algorithm 1.

Rings that have arrived ask for workers up to N_i and to what their budgets leave, and the slot is
filled so that the sum of the gains grows most; what comes later is not looked at.

Guarantee. If the gains are concave, nondecreasing and 0 at 0, and every slot is filled to at least
a part alpha of the most that can be added in it, the sum is at least ``alpha / (1 + alpha)`` of the
offline optimum: half of it with an exact solver (``slot=exact``). The ground set is all ways to
fill a slot, for every slot; choosing one for each is a partition matroid; the sum of the gains is
monotone and submodular on it, as concave functions of what adds up; and slots may be filled in any
order. Budgets do not disturb this: with gains that stay constant from the last worker-slot of a
budget on, nothing is gained by more, so they can be left out of the matroid.

The paper's solver of a slot (`slot_rounding.py`) has alpha = 1 / (3 Gamma), Gamma the largest
number of ring sizes of a ring, hence ``1 / (3 Gamma + 1)``; but with capacities exceeded by the
factors of its theorem, and with high probability. Here capacities are hard and such draws are
repaired, so ``slot=lp`` has no proved ratio.
"""

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from numpy.random import Generator

from ...formulations.reserved.slot_master import RingSlotData, SlotRing, ask_of
from ...instances import Limits, Outcome, ReservedInstance, TerminationReason
from ...instances.reading.vocabulary import Count
from ...policies.request import Request
from ...policies.reserved import RingPlans
from ...simulation.reserved import most_at_once, reserved_model
from .slot_exact import NODES, Filled, exact_slot
from .slot_lp import repair, round_slot

NAME = "gadget"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a slot is filled."""

    slot: Annotated[
        Literal["lp", "exact", "greedy"],
        "the relaxation rounded, the program solved, or rings in the order of their gain",
    ] = "lp"
    tries: Annotated[Count, "random choices in a slot, the best of which counts"] = 20


MOST_FILLED = 5_000
"""Slots that are filled by programs; in later ones rings are taken in the order of their gain."""

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
        if request.limits.over():
            return plans.outcome(TerminationReason.TIME_LIMIT)
    if asked.slot == "exact" and unproved:
        note = f"{unproved} of the slots not proved to be filled best, within {NODES:,} nodes each"
    elif options != asked:
        note = f"programs filled {MOST_FILLED:,} of {filled:,} slots, the order of gains the others"
    else:
        return plans.outcome(TerminationReason.DONE)
    return replace(plans.outcome(TerminationReason.WORK_LIMIT), note=note)


def asks_of(plans: RingPlans, slot: int) -> tuple[SlotRing, ...]:
    """Return the rings that gain from a worker in this slot, with what each further one adds."""
    asks = []
    for job in plans.active(slot):
        sums = [plans.gain(job, count) for count in range(plans.wish(job) + 1)]
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
