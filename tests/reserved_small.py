"""Small instances of the family `reserved`, and their optima by trying everything."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import product
from random import Random
from typing import Any

import ringyard
from ringyard.formulations.reserved.slot_master import RingSlotData, ask_of
from ringyard.instances import (
    Gain,
    LinkedMachine,
    Rack,
    ReservedInstance,
    ReservedRing,
    ReservedSchedule,
    RingPlan,
    RingSlot,
    validate,
)
from ringyard.policies.reserved import Placement
from ringyard.simulation.reserved import reserved_model

GPU = "gpu"
FLAT = Gain(shape="capped", value=Decimal(100), scale=Decimal(100))
"""One for each worker-slot, up to a hundred."""


def machine(name: str, gpus: Any, uplink: Any = None, rack: str | None = None) -> LinkedMachine:
    return LinkedMachine(
        name=name,
        capacity=((GPU, Decimal(str(gpus))),),
        uplink_gb_s=None if uplink is None else Decimal(str(uplink)),
        rack=rack,
    )


def rack(name: str, uplink: Any = None) -> Rack:
    return Rack(name=name, uplink_gb_s=None if uplink is None else Decimal(str(uplink)))


def ring(name: str, most: int, band: Any = 0, **changes: Any) -> ReservedRing:
    usual: dict[str, Any] = {"worker": ((GPU, Decimal(1)),), "gain": FLAT}
    return ReservedRing(
        name=name, most_workers=most, reserved_gb_s=Decimal(str(band)), **(usual | changes)
    )


def make_instance(
    machines: list[LinkedMachine],
    jobs: list[ReservedRing],
    slots: int = 1,
    racks: tuple[Rack, ...] = (),
) -> ReservedInstance:
    instance = ReservedInstance(
        name="small",
        racks=racks,
        machines=tuple(machines),
        jobs=tuple(jobs),
        horizon_slots=slots,
    )
    validate(instance)
    return instance


def tiny(seed: int, rings: int = 3, slots: int = 3) -> ReservedInstance:
    """Draw rings on three machines in two racks, with links that matter."""
    rng = Random(seed)
    racks = (rack("r0", rng.choice([None, 1, 2])), rack("r1", rng.choice([1, 3])))
    machines = [
        machine(f"m{i}", rng.randint(1, 2), rng.choice([None, 1, 2, 3]), f"r{i // 2}")
        for i in range(3)
    ]
    largest = int(max(one.capacity[0][1] for one in machines))
    jobs = [
        ring(
            f"j{i}",
            rng.randint(1, 4),
            rng.choice([0, 1, 1, 2]),
            arrival_slot=rng.choice([0, 0, rng.randrange(slots)]),
            worker=((GPU, Decimal(rng.choice([1, 1, largest]))),),
            budget=rng.choice([None, ((GPU, Decimal(rng.randint(2, 9))),)]),
            progress_per_worker_slot=Decimal(rng.randint(1, 5)),
            gain=Gain(
                shape=rng.choice(["root", "log", "saturating", "capped"]),
                value=Decimal(rng.randint(1, 20)),
                scale=Decimal(rng.choice(["0.5", "1", "4", "9"])),
            ),
        )
        for i in range(rings)
    ]
    return make_instance(machines, jobs, slots, racks)


def schedule(instance: ReservedInstance, *held: tuple[str, int, dict[str, int]]) -> Any:
    """Return the schedule of these triples of ring, slot and workers."""
    plans: dict[str, list[RingSlot]] = {}
    for job, slot, workers in held:
        entry = RingSlot(slot=slot, workers=tuple(sorted(workers.items())))
        plans.setdefault(job, []).append(entry)
    return ReservedSchedule(
        instance=instance.name,
        plans=tuple(RingPlan(job=job, plan=tuple(plan)) for job, plan in plans.items()),
    )


def placements(instance: ReservedInstance, most: int) -> Iterator[Placement]:
    """Yield every way to put up to `most` workers on machines, none included."""
    for counts in product(range(most + 1), repeat=len(instance.machines)):
        if sum(counts) <= most:
            yield {s: count for s, count in enumerate(counts) if count}


def rules_broken(instance: ReservedInstance, held: dict[int, Placement]) -> set[str]:
    """Return the rules that the judge sees broken if the last slot is filled so."""
    machines, last = instance.machines, instance.horizon_slots - 1
    named = [
        (instance.jobs[i].name, last, {machines[s].name: n for s, n in placement.items()})
        for i, placement in held.items()
        if placement
    ]
    return {found.rule for found in ringyard.check(instance, schedule(instance, *named)).violations}


@cache
def totals(instance: ReservedInstance) -> tuple[tuple[int, ...], ...]:
    """Return every vector of workers that the rings can have in a slot, as the judge allows."""
    free = replace(instance, jobs=tuple(replace(job, budget=None) for job in instance.jobs))
    alone = [
        [p for p in placements(free, job.most_workers) if not rules_broken(free, {i: p})]
        for i, job in enumerate(free.jobs)
    ]
    found = set[tuple[int, ...]]()
    for way in product(*alone):
        total = tuple(sum(p.values()) for p in way)
        if total not in found and not rules_broken(free, dict(enumerate(way))):
            found.add(total)
    return tuple(sorted(found))


def optimum(instance: ReservedInstance) -> Any:
    """Return the most that all rings together can gain, by trying everything."""
    jobs, reached = instance.jobs, {(0,) * len(instance.jobs)}
    for slot in range(instance.horizon_slots):
        late = [i for i, job in enumerate(jobs) if job.arrival_slot > slot]
        ways = [way for way in totals(instance) if not any(way[i] for i in late)]
        reached = {tuple(a + b for a, b in zip(z, w, strict=True)) for z in reached for w in ways}
    caps = [job.most_worker_slots for job in jobs]
    return max(
        sum(job.worth(n) for job, n in zip(jobs, z, strict=True))
        for z in reached
        if all(cap is None or n <= cap for n, cap in zip(z, caps, strict=True))
    )


def slot_data(instance: ReservedInstance) -> RingSlotData:
    """Return the first slot in which every ring may work, with nothing done before."""
    asks = []
    for i, job in enumerate(instance.jobs):
        cap = job.most_worker_slots
        most = job.most_workers if cap is None else min(cap, job.most_workers)
        if most:
            asks.append(ask_of(i, [Fraction(job.worth(count)) for count in range(most + 1)]))
    return RingSlotData(model=reserved_model(instance), asks=tuple(asks))


def slot_optimum(instance: ReservedInstance) -> Fraction:
    """Return the most that all rings together can gain in one slot, by trying everything."""
    asks = slot_data(instance).asks
    return max(
        sum((ask.sums[min(way[ask.job], len(ask.sums) - 1)] for ask in asks), Fraction(0))
        for way in totals(instance)
    )


def exact_gain(data: RingSlotData, held: dict[int, Placement]) -> Fraction:
    """Return what the rings gain with these placements, in fractions."""
    counts = {job: sum(placement.values()) for job, placement in held.items()}
    return sum((ask.sums[counts.get(ask.job, 0)] for ask in data.asks), Fraction(0))
