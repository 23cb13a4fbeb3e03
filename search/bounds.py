"""Combinatorial lower bounds on the makespan, in exact arithmetic.

Let p_j be the least number of slots job j can take: its fastest placement, nobody else
around. Contention and distance only add to it.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil

from ..instances import Bound, BoundKind, Limits, MakespanInstance, RefusedError
from ..instances.encode import fraction_text
from ..simulation.extremes import extremes
from ..simulation.refusal import never_ends


@dataclass(frozen=True, slots=True)
class _Task:
    name: str
    gpus: int
    slots: Fraction
    release: Fraction


def combinatorial_bounds(instance: MakespanInstance) -> list[Bound]:
    """Return the longest-job, area and exclusion bounds, the best first."""
    tasks = _tasks(instance)
    total = sum(server.gpus for server in instance.cluster.servers)
    found = [_longest(tasks), _area(tasks, total)]
    if sum(2 * task.gpus > total for task in tasks) > 1:
        found.append(_exclusion(tasks, total))
    if instance.progress != "continuous":
        found = [replace(bound, value=Fraction(ceil(bound.value))) for bound in found]
    return sorted(found, key=lambda bound: -bound.value)


def best_bound(instance: MakespanInstance) -> Bound:
    """Return the greatest of the combinatorial bounds."""
    return combinatorial_bounds(instance)[0]


def strong_bound(instance: MakespanInstance, limits: Limits) -> Bound:
    """Return the best of these and of the load bound, as far as time allows."""
    from ..formulations.load_bound import load_bound

    counted, loads = best_bound(instance), load_bound(instance, limits)
    return counted if loads is None or loads.value <= counted.value else loads


def _tasks(instance: MakespanInstance) -> list[_Task]:
    reason = never_ends(instance)
    if reason is not None:
        raise RefusedError(reason)
    return [
        _Task(job.name, job.gpus, extreme.least_slots, Fraction(job.release_slot))
        for job, extreme in zip(instance.jobs, extremes(instance), strict=True)
        if extreme.least_slots is not None
    ]


def _longest(tasks: list[_Task]) -> Bound:
    """A job cannot end before its release plus its least time."""
    task = max(tasks, key=lambda t: t.release + t.slots)
    text = f"job {task.name!r} alone takes {fraction_text(task.slots)} slots"
    if task.release:
        text += f" from slot {fraction_text(task.release)} on"
    return _combinatorial("longest job", task.release + task.slots, text)


def _area(tasks: list[_Task], total: int) -> Bound:
    """What is released at r or later needs its GPU-slots after r; the best such r."""
    value, at, work = Fraction(0), Fraction(0), Fraction(0)
    for task in sorted(tasks, key=lambda t: -t.release):
        work += task.gpus * task.slots
        if task.release + work / total > value:
            value, at = task.release + work / total, task.release
    who = f"the jobs released at slot {fraction_text(at)} or later" if at else "all jobs"
    text = f"{who} fill {total} GPUs until then"
    return _combinatorial("area", value, text)


def _exclusion(tasks: list[_Task], total: int) -> Bound:
    """Jobs of more than half the GPUs never run side by side."""
    value, work, count = Fraction(0), Fraction(0), 0
    big = [task for task in tasks if 2 * task.gpus > total]
    for i, task in enumerate(sorted(big, key=lambda t: -t.release), start=1):
        work += task.slots
        if task.release + work > value:
            value, count = task.release + work, i
    who = f"{count} jobs need" if count > 1 else "1 job needs"
    return _combinatorial("exclusion", value, f"{who} more than half of {total} GPUs each")


def _combinatorial(name: str, value: Fraction, argument: str) -> Bound:
    return Bound(value=value, kind=BoundKind.COMBINATORIAL, name=name, argument=argument)
