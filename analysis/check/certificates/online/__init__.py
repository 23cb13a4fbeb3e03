"""Rules of `online`: no sum of utilities is above what jobs are worth alone, or pay for."""

from collections.abc import Iterator
from fractions import Fraction
from math import ceil

from .....instances.online import OnlineInstance, TrainingJob
from .....instances.regions import may_run
from ..kernel import NONE, amount, fits, in_whole
from ..steps import ProofStep
from .prices import prices


def each_alone(instance: OnlineInstance, _: ProofStep) -> Fraction:
    """Return what all jobs are worth if each completes as early as it can alone."""
    return sum(_hopes(instance), NONE)


def knapsack(instance: OnlineInstance, step: ProofStep) -> Fraction:
    """Return what there is of a resource, at a `price`, and what jobs hope for beyond their pay.

    A job holds a worker for at least its samples over the rate inside a machine.
    """
    resource, price = step.text("resource"), step.number("price")
    held = sum((amount(machine.capacity, resource) for machine in instance.machines), NONE)
    value = price * held * instance.horizon_slots
    for job, hope in zip(instance.jobs, _hopes(instance), strict=True):
        each = _with_server(job).get(resource, NONE)
        value += max(NONE, hope - price * each * job.work / job.rate(True, instance.slot_s))
    return value


def _with_server(job: TrainingJob) -> dict[str, Fraction]:
    """Return what a worker takes, and with it its part of a parameter server."""
    takes = {name: Fraction(each) for name, each in job.worker}
    for name, each in job.server:
        takes[name] = takes.get(name, NONE) + Fraction(each) / Fraction(job.workers_per_server)
    return takes


def _hopes(instance: OnlineInstance) -> Iterator[Fraction]:
    """Yield what each job is worth if it is alone and at its fastest from its arrival on.

    Across machines it is as if there were no parameter servers.
    """
    grain, rooms = in_whole(machine.capacity for machine in instance.machines)
    known: dict[object, list[list[dict[str, int]]]] = {}
    for job in instance.jobs:
        if job.allowed_regions not in known:
            pairs = zip(instance.machines, rooms, strict=True)
            own = [pair for pair in pairs if may_run(job, pair[0])]
            both = [room for machine, room in own if machine.hosts == "both"]
            works = [room for machine, room in own if machine.may_hold("workers")]
            known[job.allowed_regions] = [both, works]
        both, works = known[job.allowed_regions]
        worker, batch = {name: Fraction(each) for name, each in job.worker}, job.batch_samples
        inside = max(fits(both, grain, _with_server(job), batch), default=0)
        across = min(batch, sum(fits(works, grain, worker, batch)))
        slow, fast = (job.rate(near, instance.slot_s) for near in (False, True))
        fastest = max(inside * fast, across * slow)
        last = (
            job.arrival_slot + ceil(job.work / fastest) - 1 if fastest else instance.horizon_slots
        )
        yield Fraction(job.worth(last)) if last < instance.horizon_slots else NONE


RULES = {"each alone": each_alone, "knapsack": knapsack, "prices": prices}
"""By name: what follows from an instance and a step."""
