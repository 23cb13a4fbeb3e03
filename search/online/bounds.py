"""Certified upper bounds on the sum of utilities, by counting in exact arithmetic."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor

from ...instances import NO_LIMITS, Bound, BoundKind, Limits, OnlineInstance, TrainingJob
from ...simulation.online import OnlineModel, most_workers, online_model


@dataclass(frozen=True, slots=True)
class OptimisticValue:
    """The most that a job can be worth, alone in an empty cluster."""

    job: TrainingJob
    slots: int | None
    """Least number of slots it works in, or None if even all slots are too few."""
    worth: Fraction
    """Its utility then."""


def combinatorial_bounds(instance: OnlineInstance, limits: Limits = NO_LIMITS) -> list[Bound]:
    """Return the bounds by each job alone and, as time allows, by each resource, best first."""
    ideals = optimistic_values(instance)
    alone = sum((ideal.worth for ideal in ideals), Fraction(0))
    shut = sum(ideal.slots is None for ideal in ideals)
    text = "every job alone at its fastest"
    if shut:
        text += f", where {shut} of {len(ideals)} jobs still cannot complete"
    resources = (resource for resource in instance.resources if not limits.over())
    others = [_knapsack(instance, ideals, resource) for resource in resources]
    found = [
        Bound.by(BoundKind.COMBINATORIAL, "each alone", alone, text, {"rule": "each alone"}),
        *(b for b in others if b.value < alone),
    ]
    return sorted(found, key=lambda bound: bound.value)


@lru_cache(maxsize=4)
def optimistic_values(instance: OnlineInstance) -> tuple[OptimisticValue, ...]:
    """Return the optimistic value of each job."""
    model = online_model(instance)
    return tuple(_optimistic_value(instance, model, i) for i in range(len(instance.jobs)))


def _optimistic_value(instance: OnlineInstance, model: OnlineModel, i: int) -> OptimisticValue:
    job = instance.jobs[i]
    inside, outside = most_workers(model, i)
    fastest = max(
        inside * job.rate(True, instance.slot_s), outside * job.rate(False, instance.slot_s)
    )
    slots = ceil(job.work / fastest) if fastest else None
    if slots is None or job.arrival_slot + slots > instance.horizon_slots:
        return OptimisticValue(job, None, Fraction(0))
    return OptimisticValue(job, slots, Fraction(job.utility.at(slots - 1)))


def _knapsack(
    instance: OnlineInstance, ideals: tuple[OptimisticValue, ...], resource: str
) -> Bound:
    """The fraction of each job that fits, those worth most for the resource first.

    A job holds a worker for at least its samples over the rate inside a machine, and with each
    worker its part of a parameter server.
    """
    held = sum(
        (Fraction(dict(m.capacity).get(resource, 0)) for m in instance.machines), Fraction(0)
    )
    room, value = held * instance.horizon_slots, Fraction(0)
    needs = []
    for ideal in ideals:
        job = ideal.job
        each = Fraction(dict(job.worker).get(resource, 0))
        each += Fraction(dict(job.server).get(resource, 0)) / Fraction(job.workers_per_server)
        area = each * job.work / job.rate(True, instance.slot_s)
        if area:
            needs.append((ideal.worth, area))
        else:
            value += ideal.worth
    price = Fraction(0)
    for worth, area in sorted(needs, key=lambda need: need[0] / need[1], reverse=True):
        part = min(Fraction(1), room / area)
        if room and area >= room:
            price = worth / area  # Jobs worth more use the whole capacity.
        value, room = value + part * worth, room - part * area
    text = f"all slots together offer {floor(held * instance.horizon_slots)} of {resource}"
    # 12 decimals, like utilities: exact fractions of thousands of jobs grow long.
    value = Fraction(ceil(value * 10**12), 10**12)
    step = {"rule": "knapsack", "resource": resource, "price": str(price)}
    return Bound.by(BoundKind.COMBINATORIAL, f"knapsack of {resource}", value, text, step)
