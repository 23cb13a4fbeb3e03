"""Rules of `online`: no sum of utilities is above what jobs are worth alone, or pay for."""

from collections.abc import Iterator
from fractions import Fraction
from math import ceil

from .....instances.online.instance import Machine, OnlineInstance, TrainingJob
from .....instances.reading.vocabulary import Amounts
from .....instances.regions import may_run
from ..steps import ProofStep

NONE = Fraction(0)


def each_alone(instance: OnlineInstance, _: ProofStep) -> Fraction:
    """Return what all jobs are worth if each completes as early as it can alone."""
    return sum(map(_hope, [instance] * len(instance.jobs), instance.jobs), NONE)


def knapsack(instance: OnlineInstance, step: ProofStep) -> Fraction:
    """Return what there is of a resource, at a `price`, and what jobs hope for beyond their pay.

    A job holds a worker for at least its samples over the rate inside a machine, and with each
    worker its part of a parameter server.
    """
    resource, price = step.text("resource"), step.number("price")
    held = sum((_of(machine.capacity, resource) for machine in instance.machines), NONE)
    value = price * held * instance.horizon_slots
    for job in instance.jobs:
        each = _of(job.worker, resource)
        each += _of(job.server, resource) / Fraction(job.workers_per_server)
        pays = price * each * job.work / job.rate(True, instance.slot_s)
        value += max(NONE, _hope(instance, job) - pays)
    return value


def _hope(instance: OnlineInstance, job: TrainingJob) -> Fraction:
    """Return what a job is worth if it is alone and at its fastest from its arrival on."""
    open_to = [machine for machine in instance.machines if may_run(job, machine)]
    inside = max(_inside(job, open_to), default=0)
    across = min(job.batch_samples, sum(_across(job, open_to)))
    speed = instance.slot_s
    fastest = max(inside * job.rate(True, speed), across * job.rate(False, speed))
    if not fastest:
        return NONE
    last = job.arrival_slot + ceil(job.work / fastest) - 1
    return Fraction(job.worth(last)) if last < instance.horizon_slots else NONE


def _inside(job: TrainingJob, machines: list[Machine]) -> Iterator[int]:
    """Yield the most workers on each machine, each with its part of a parameter server."""
    asked = dict.fromkeys(name for name, _ in (*job.worker, *job.server))
    served = Fraction(job.workers_per_server)
    needs = [(r, _of(job.worker, r) + _of(job.server, r) / served) for r in asked]
    for machine in machines:
        if machine.hosts == "both":
            yield min(job.batch_samples, _fit(machine, needs, job.batch_samples))


def _across(job: TrainingJob, machines: list[Machine]) -> Iterator[int]:
    """Yield the most workers on each machine, as if there were no parameter servers."""
    needs = [(r, Fraction(amount)) for r, amount in job.worker]
    for machine in machines:
        if machine.may_hold("workers"):
            yield _fit(machine, needs, job.batch_samples)


def _fit(machine: Machine, needs: list[tuple[str, Fraction]], most: int) -> int:
    fits = (_of(machine.capacity, name) // need for name, need in needs if need)
    return min(fits, default=most)


def _of(amounts: Amounts, resource: str) -> Fraction:
    return Fraction(dict(amounts).get(resource, 0))
