"""Tiny random instances with nasty numbers, by problem family, and their optima by brute force.

Thirds in decimals, 1e-9 beside 1e9, ties and near ties, jobs as large as the cluster, regions.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import fleet_small
import rental_small
import reserved_small
import trace_optimum
import transfers_small
from formulations.online.tiny import tiny as tiny_online

from formulations.online import brute
from ringyard.instances import (
    InputError,
    OnlineInstance,
    ReservedInstance,
    TraceInstance,
    TransfersInstance,
    Width,
    validate,
)
from ringyard.testing.family import Asked

THIRD = Decimal("0.333333333333")
UNITS = (Decimal(1), Decimal(1), THIRD, Decimal("1e-9"), Decimal("1e9"))
NEAR = (Decimal(1), Decimal(1), 1 - Decimal("1e-9"), 1 + Decimal("1e-9"), 3 * THIRD)
"""Factors that make ties, and those that miss them by little."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """How instances of a family are drawn, and what is best where that can be said."""

    draw: Callable[[str], Any]
    """Takes a seed."""
    optimum: Callable[[Any], Fraction] | None
    """By trying everything, as the judge prices it; None: there is no such code."""
    beyond: Callable[[Any, Asked], list[str]] = lambda *_: []
    """What else cannot be right."""


def trace(seed: str) -> TraceInstance:
    """Draw jobs in ticks of any length; where spreading hurts most, they fit into a server."""
    rng = Random(seed)
    made = trace_optimum.tiny(rng.randrange(10**6))
    largest, tick = max(server.gpus for server in made.servers), rng.choice(UNITS)
    regions = rng.choice((None, None, ("a", "b")))
    jobs = []
    for job in made.jobs:
        heavy = [Decimal("1e9")] if job.gpus <= largest else []
        speeds = rng.choice((job.speeds, tuple(_nasty_width(rng, one) for one in job.speeds)))
        packed = None if job.packed_speed is None else rng.choice((job.packed_speed, THIRD))
        jobs.append(
            replace(
                job,
                arrival_s=job.arrival_s * tick,
                duration_s=job.duration_s * tick,
                communication=rng.choice(
                    [job.communication, THIRD, Decimal("1e-9"), Decimal(0), *heavy]
                ),
                packed_speed=packed,
                speeds=speeds,
                allowed_regions=regions and rng.choice((None, ("a",), ("a", "b"))),
            )
        )
    where = [None if regions is None else rng.choice(regions) for _ in made.servers]
    servers = tuple(replace(s, region=r) for s, r in zip(made.servers, where, strict=True))
    resume = None if made.resume_s is None else made.resume_s * tick
    costs = {"restart_s": made.restart_s * tick, "resume_s": resume, "tick_s": tick}
    return replace(made, name="drawn", jobs=tuple(jobs), servers=servers, **costs)


def _nasty_width(rng: Random, width: Width) -> Width:
    return replace(width, speed=rng.choice((THIRD, Decimal("0.05"), NEAR[3], Decimal(1))))


def trace_best(instance: TraceInstance) -> Fraction:
    """Return the least mean; the code by brute force counts ticks of a second."""
    tick = instance.tick_s
    jobs = (
        replace(job, arrival_s=job.arrival_s / tick, duration_s=job.duration_s / tick)
        for job in instance.jobs
    )
    resume = None if instance.resume_s is None else instance.resume_s / tick
    plain = replace(
        instance,
        jobs=tuple(jobs),
        tick_s=Decimal(1),
        restart_s=instance.restart_s / tick,
        resume_s=resume,
    )
    return trace_optimum.optimum(plain) * Fraction(tick)


def online(seed: str) -> OnlineInstance:
    """Draw jobs whose demands, utilities and slots are in units of any size, near ties."""
    rng = Random(seed)
    made = tiny_online(rng.randrange(10**6))
    units = {name: rng.choice(UNITS) for name in ("cpu", "gpu")}
    worth, pace, slot = rng.choice(UNITS), rng.choice(UNITS), rng.choice(NEAR)

    def scaled(amounts: Any, near: bool = False) -> Any:
        return tuple((r, n * units[r] * (rng.choice(NEAR) if near else 1)) for r, n in amounts)

    regions = rng.choice((None, None, ("a", "b")))
    machines = tuple(
        replace(
            one,
            capacity=scaled(one.capacity, near=True),
            region=None if regions is None else rng.choice(regions),
        )
        for one in made.machines
    )
    jobs = tuple(
        replace(
            job,
            sample_s=job.sample_s * pace,
            gradient_gb=job.gradient_gb * pace,
            workers_per_server=job.workers_per_server * rng.choice(NEAR),
            worker=scaled(job.worker),
            server=scaled(job.server),
            utility=_worth(job.utility, worth * rng.choice(NEAR)),
            allowed_regions=regions and rng.choice((None, ("a",), ("a", "b"))),
        )
        for job in made.jobs
    )
    return replace(
        made, name="drawn", machines=machines, jobs=jobs, slot_s=made.slot_s * pace * slot
    )


def _worth(utility: Any, factor: Decimal) -> Any:
    if hasattr(utility, "levels"):
        levels = (replace(level, value=level.value * factor) for level in utility.levels)
        return replace(utility, levels=tuple(levels))
    more = {"loss_per_slot": utility.loss_per_slot * factor} if hasattr(utility, "least") else {}
    return replace(utility, value=utility.value * factor, **more)


def reserved(seed: str) -> ReservedInstance:
    """Draw rings whose workers, links and gains are in units of any size, near ties."""
    rng = Random(seed)
    made = reserved_small.tiny(rng.randrange(10**6), rings=rng.choice((2, 3)), slots=2)
    gpu, band = rng.choice(UNITS), rng.choice(UNITS)
    machines = tuple(
        replace(
            one,
            capacity=tuple((r, n * gpu * rng.choice(NEAR)) for r, n in one.capacity),
            uplink_gb_s=one.uplink_gb_s and one.uplink_gb_s * band * rng.choice(NEAR),
        )
        for one in made.machines
    )
    jobs = tuple(
        replace(
            job,
            worker=tuple((r, n * gpu) for r, n in job.worker),
            budget=job.budget and tuple((r, n * gpu * rng.choice(NEAR)) for r, n in job.budget),
            reserved_gb_s=job.reserved_gb_s * band,
            gain=replace(job.gain, value=job.gain.value * rng.choice(UNITS)),
        )
        for job in made.jobs
    )
    racks = tuple(
        replace(one, uplink_gb_s=one.uplink_gb_s and one.uplink_gb_s * band) for one in made.racks
    )
    return replace(made, name="drawn", machines=machines, jobs=jobs, racks=racks)


def transfers(seed: str) -> TransfersInstance:
    """Draw updates and links in units of any size, with times to fit, near ties."""
    rng = Random(seed)
    made = transfers_small.by_lot(rng.randrange(10**6), rng.choice((1, 2, 2, 3)), aggregators=1)
    size, pace, norm = (rng.choice(UNITS) for _ in range(3))

    def near(number: Decimal | None, unit: Decimal) -> Any:
        return None if number is None else number * unit * rng.choice(NEAR)

    links = tuple(replace(one, gb_s=near(one.gb_s, size / pace)) for one in made.links)
    updates = tuple(
        replace(
            one,
            size_gb=near(one.size_gb, size),
            ready_s=near(one.ready_s, pace),
            due_s=near(one.due_s, pace),
            norm=near(one.norm, norm),
        )
        for one in made.updates
    )
    divergence = near(made.divergence, norm)
    return replace(
        made,
        name="drawn",
        links=links,
        updates=updates,
        divergence=divergence,
        drop_s=near(made.drop_s, pace),
    )


DRAWN: dict[str, Drawn] = {
    "trace": Drawn(draw=trace, optimum=trace_best),
    "online": Drawn(draw=online, optimum=lambda instance: brute.optimum(instance)[0]),
    "reserved": Drawn(
        draw=reserved, optimum=lambda instance: Fraction(reserved_small.optimum(instance))
    ),
    "transfers": Drawn(draw=transfers, optimum=transfers_small.optimum),
    "fleet": Drawn(
        draw=lambda seed: fleet_small.draw(Random(seed)), optimum=None, beyond=fleet_small.beyond
    ),
    "rental": Drawn(
        draw=lambda seed: rental_small.stalling(Random(seed)),
        optimum=None,
        beyond=rental_small.beaten,
    ),
}
"""By the name of the family."""


def drawn(kind: str, seed: int, index: int) -> Any:
    """Return instance `index` of a seed: the first of its draws that is an instance."""
    attempt = 0
    while True:
        instance = DRAWN[kind].draw(f"{seed}/{index}/{attempt}")
        try:
            validate(instance)
        except InputError:
            attempt += 1
        else:
            return instance
