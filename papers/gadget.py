"""`ringyard reproduce gadget`: GADGET's rounding as printed, with limits that draws may exceed.

The theorem promises a third of a slot's relaxation over one size, hence 1 / (3 Gamma + 1) of the
optimum of all slots, and bounds by how much limits are exceeded. Draws are counted against both.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from statistics import fmean
from typing import Any

from numpy.random import default_rng

from ..analysis.intervals import mean_share
from ..analysis.tables import Cell
from ..campaigns.reproductions import Answers, Results, Settings
from ..formulations.reserved.slot_master import RingSlotData
from ..instances import Limits, ReservedInstance
from ..instances.generate import generate
from ..policies.reserved import RingPlans
from ..search.reserved.bounds import combinatorial_bounds
from ..search.reserved.gadget import asks_of
from ..search.reserved.slot_lp import SoftSample, SoftSlot, soft_slot
from ..simulation.reserved import reserved_model
from .study import named, table_of

NARROW: dict[str, Any] = {
    "machine_gpus": (1, 2),
    "most_worker_gpus": 1,
    "least_link_gbit": Decimal(1),
    "most_link_gbit": Decimal(8),
    "least_rack_gbit": Decimal(5),
    "most_rack_gbit": Decimal(20),
}
"""Options of the family `gadget`: small machines, slow links."""

EARLY: dict[str, Any] = {"slots": 12, "arrival_part": Decimal("0.1")}
"""A hundred rings that are all there at once, for a few slots."""

DRAWS = 20
"""Draws in a slot. The paper stops at the first that keeps its theorem."""


SIZES = ("03x3x4", "04x3x5", "05x4x6", "08x4x8", "12x6x10")
GROUPS: dict[str, dict[str, Any] | None] = {
    **dict.fromkeys(f"gadget-small-{size}" for size in SIZES),
    "gadget, 12 slots": {},
    "small machines, slow links": NARROW,
}
"""Options of generated instances by group, None for an instance of the catalogue."""


def _instances(group: str, seeds: int) -> list[ReservedInstance]:
    options = GROUPS[group]
    if options is None:
        return [named(group)]
    return [generate("gadget", seed=seed, **EARLY, **options) for seed in range(seeds)]


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftRun:
    """All slots of an instance, each filled by the first draw that keeps the theorem."""

    slots: Sequence[SoftSlot]
    gamma: int
    """The largest number of sizes of a ring."""
    part: float
    """The gain of all slots, over a bound on the gain of schedules within all limits."""

    @property
    def kept(self) -> bool:
        """True if every slot had such a draw, and the gain matches the theorem."""
        enough = self.part * (3 * self.gamma + 1) >= 1
        return enough and all(slot.first is not None for slot in self.slots)


def report(settings: Settings, _: Answers | None = None) -> Results:
    """Fill slots by draws, and compute gains and overloads."""
    found = {
        group: [filled(one, seed) for seed, one in enumerate(_instances(group, settings.seeds))]
        for group in settings.some(GROUPS)
    }
    heads = {"rings": None, "slots": 0, "least gain": 3, "mean gain": 3, "fullest link": 2}
    heads |= {"its factor": 1, "fullest machine": 2, "factor": 1}
    heads |= {"within limits, %": 0, "what fits": 3, "all slots": 3, "1 / (3 Gamma + 1)": 3}
    notes = (
        f"{DRAWS} draws in a slot. Gains: a draw's gain over the relaxation of the slot, an "
        "upper bound on every feasible choice. Fullest: the largest load of a link or machine "
        "resource (1 is full), and next to it the largest factor that the theorem allows. What "
        "fits: the mean gain of the part of a draw that fits over the relaxation, over "
        f"{settings.seeds} seeds with 95 % intervals (Student's t on the logarithm of odds). All "
        "slots: the gain of the first draws that keep the theorem, over a bound on schedules "
        "within all limits.",
    )
    table = table_of(
        "GADGET's rounding with soft limits",
        heads,
        (_line(name, some) for name, some in found.items()),
        *notes,
    )
    every = list(chain.from_iterable(found.values()))
    return Results(tables={"overloads": table}, statements=(_statement(every),))


def filled(instance: ReservedInstance, seed: int) -> SoftRun:
    """Fill slot after slot, the next by the results of earlier draws."""
    plans, model = RingPlans(instance, Limits(), "gadget"), reserved_model(instance)
    rng, slots, gamma = default_rng(seed), list[SoftSlot](), 1
    for slot in plans.slots():
        if asks := asks_of(plans, slot):
            found = soft_slot(RingSlotData(model=model, asks=asks), DRAWS, rng)
            gamma = max(gamma, *(len(ask.gains) for ask in asks))
            slots.append(found)
            plans.add(slot, {} if found.first is None else found.draws[found.first].held)
    pairs = zip(instance.jobs, plans.worker_slots, strict=True)
    gain = sum(float(job.worth(count)) for job, count in pairs)
    bound = float(combinatorial_bounds(instance)[0].value)
    return SoftRun(slots=slots, gamma=gamma, part=gain / bound)


def _line(name: str, found: Sequence[SoftRun]) -> tuple[Cell, ...]:
    slots = [slot for one in found for slot in one.slots]
    draws, gains = _draws(slots), [d.gain / slot.loose for slot in slots for d in slot.draws]
    within = fmean(max(draw.machine, draw.link) <= 1 for draw in draws)
    return (
        name,
        float(len(slots)),
        min(gains),
        fmean(gains),
        max(draw.link for draw in draws),
        max(slot.link for slot in slots),
        max(draw.machine for draw in draws),
        max(slot.machine for slot in slots),
        100 * within,
        mean_share([_fitting(one) for one in found]) if len(found) > 1 else None,
        min(one.part for one in found),
        1 / (3 * max(one.gamma for one in found) + 1),
    )


def _fitting(found: SoftRun) -> float:
    """Return the mean gain of what fits of a draw, over the relaxation of its slot."""
    return fmean(draw.fitting / slot.loose for slot in found.slots for draw in slot.draws)


def _draws(slots: Sequence[SoftSlot]) -> list[SoftSample]:
    return [draw for slot in slots for draw in slot.draws]


def _statement(found: Sequence[SoftRun]) -> str:
    """Return whether the theorem is kept, and the largest loads that it allows."""
    draws = _draws([slot for one in found for slot in one.slots])
    kept = "in all slots" if all(one.kept for one in found) else "not in all slots"
    factors = sum(draw.kept for draw in draws)
    link, machine = max(draw.link for draw in draws), max(draw.machine for draw in draws)
    return (
        f"GADGET's theorem with soft limits: kept {kept}. {factors} of {len(draws)} draws "
        f"keep all factors, with links up to {link:.2f} times and machines up to "
        f"{machine:.2f} times full"
    )
