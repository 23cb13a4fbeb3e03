"""Certified lower bounds on the makespan: those that count, in exact arithmetic, and the best.

Each takes the least number of slots of every job as given: its fastest placement, no other job
around. Contention and distance only add to it.

Parts of an instance whose jobs may run nowhere else: what bounds such a part bounds all.

A part has the servers of some regions and the jobs bound to them. The other jobs can only be in
its way.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import ceil
from typing import NamedTuple

from ....instances import NO_LIMITS, Bound, BoundKind, FluidLinks, Limits, MakespanInstance
from ....instances.certificate import exact_number
from ....instances.cluster import Contention
from ....instances.reading.encode import fraction_text
from ...asked_bounds import AskedBounds
from .tasks import TaskWork, TimedJob, exclusion_bound, longest_tail, tasks_of
from .uplinks import uplink_bound

MOST_PARTS = 32
"""Sets of regions that are looked at."""

LOADS, SERVERS = "loads", "server configurations"

OPTIONAL = ("area", "exclusion", "uplinks", LOADS, SERVERS)
"""Bounds, by name, that can be left out; that of the longest job is always there."""


class RegionPart(NamedTuple):
    """The servers in some regions, with the jobs bound to them, as an instance."""

    names: tuple[str, ...]
    instance: MakespanInstance

    @property
    def regions(self) -> str:
        """The regions in words."""
        return " and ".join(self.names)

    def of_all(self, bound: Bound) -> Bound:
        """Return a bound on this part as one on the whole instance."""
        argument = f"of the servers in {self.regions} and the jobs bound to them: {bound.argument}"
        names = list(self.names)
        proof = bound.proof and tuple({**step, "regions": names} for step in bound.proof)
        return replace(
            bound, name=f"{bound.name} in {self.regions}", argument=argument, proof=proof
        )


def regional_parts(instance: MakespanInstance) -> Iterator[RegionPart]:
    """Yield the parts for the unions of what jobs are bound to, small ones first."""
    bound = {frozenset(job.allowed_regions) for job in instance.jobs if job.allowed_regions}
    unions = set(bound)
    for one in sorted(bound, key=sorted):
        if len(unions) < MOST_PARTS:
            unions |= {one | other for other in unions}
    for regions in sorted(unions, key=lambda some: (len(some), sorted(some)))[:MOST_PARTS]:
        yield RegionPart(tuple(sorted(regions)), _within(instance, regions))


def _within(instance: MakespanInstance, regions: frozenset[str]) -> MakespanInstance:
    servers = tuple(one for one in instance.cluster.servers if one.region in regions)
    jobs = (job for job in instance.jobs if job.allowed_regions)
    return replace(
        instance,
        cluster=replace(instance.cluster, servers=servers),
        jobs=tuple(job for job in jobs if regions.issuperset(job.allowed_regions or ())),
        contention=_between(instance.contention, {one.name for one in servers}),
    )


def _between(contention: Contention, servers: set[str]) -> Contention:
    """Return the network between some servers."""
    if not isinstance(contention, FluidLinks):
        return contention
    kept = (
        replace(leaf, servers=tuple(name for name in leaf.servers if name in servers))
        for leaf in contention.leaves
    )
    return replace(contention, leaves=tuple(leaf for leaf in kept if leaf.servers))


def combinatorial_bounds(
    instance: MakespanInstance, limits: Limits = NO_LIMITS, without: str | None = None
) -> list[Bound]:
    """Return the bounds by longest job and area, and those that exceed the area, best first.

    If jobs are bound to regions, the best bound of every part of the instance is looked at too,
    as long as there is time. One of `OPTIONAL` may be left out.
    """
    found = _counted(instance, without)
    for part in regional_parts(instance):
        if limits.over():
            break
        bound = part.of_all(_counted(part.instance, without)[0])
        found += [bound] * (bound.value > found[0].value)
    return sorted(found, key=lambda bound: -bound.value)


def _counted(instance: MakespanInstance, without: str | None = None) -> list[Bound]:
    """Return the bounds on an instance as a whole but the one of a name, best first."""
    tasks = tasks_of(instance)
    total = sum(server.gpus for server in instance.cluster.servers)
    area = _area(tasks, total)
    others = exclusion_bound(tasks, total), uplink_bound(instance, tasks)
    found = [_longest(tasks), area]
    found += [bound for bound in others if bound is not None and bound.value > area.value]
    found = [bound for bound in found if bound.name != without]
    if instance.progress != "continuous":
        found = [replace(bound, value=Fraction(ceil(bound.value))) for bound in found]
    return sorted(found, key=lambda bound: -bound.value)


def best_bound(instance: MakespanInstance, without: str | None = None) -> Bound:
    """Return the greatest of the combinatorial bounds."""
    return combinatorial_bounds(instance, without=without)[0]


def best_slow_bound(
    instance: MakespanInstance,
    limits: Limits,
    until: Fraction | None = None,
    without: str | None = None,
) -> Bound:
    """Return the best of these, of loads and of server configurations, as far as time allows."""
    return slow_bounds(instance, limits, until, without).best


def slow_bounds(
    instance: MakespanInstance,
    limits: Limits,
    until: Fraction | None = None,
    without: str | None = None,
) -> AskedBounds:
    """Ask for the bounds by loads and server configurations, of every part of the instance.

    Once `until`, the makespan of a schedule at hand, is proved, no other is asked for; and with it
    server configurations end as soon as they can prove no more than is known. One of `OPTIONAL`
    may be left out.
    """
    asked = AskedBounds(best_bound(instance, without))
    _ask(asked, instance, limits, until, without)
    for part in regional_parts(instance):
        within = AskedBounds(asked.best)
        _ask(within, part.instance, limits, until, without)
        asked.found += map(part.of_all, within.found)
        asked.missing += (f"in {part.regions}, {reason}" for reason in within.missing)
    return asked


def all_bounds(instance: MakespanInstance, limits: Limits) -> AskedBounds:
    """Ask for the bound by configurations of the whole cluster as well."""
    from ....formulations.makespan.configurations import configuration_bound

    asked = slow_bounds(instance, limits)
    of_all = partial(configuration_bound, instance, limits)
    asked.ask("configurations of the cluster", of_all, "slots, server uplinks and few GPUs")
    return asked


def _ask(
    asked: AskedBounds,
    instance: MakespanInstance,
    limits: Limits,
    until: Fraction | None,
    without: str | None,
) -> None:
    for name, compute, needs in (
        (LOADS, _loads, "slots"),
        (SERVERS, _servers, "servers of 256 GPUs at most"),
    ):
        if until is not None and asked.best.value >= until:
            return
        known = Fraction(0) if until is None else asked.best.value
        if name != without:
            asked.ask(name, partial(compute, instance, limits, until, known), needs)


def _loads(
    instance: MakespanInstance, limits: Limits, until: Fraction | None, _: Fraction
) -> Bound | None:
    from .load import load_bound

    return load_bound(instance, limits, until)


def _servers(
    instance: MakespanInstance, limits: Limits, _: Fraction | None, known: Fraction
) -> Bound | None:
    from ....formulations.makespan.server_bound import server_bound

    return server_bound(instance, limits, known)


def _longest(tasks: Sequence[TimedJob]) -> Bound:
    """A job cannot end before its release plus its least time."""
    task = max(tasks, key=lambda t: t.release + t.slots)
    text = f"job {task.name!r} alone takes {fraction_text(task.slots)} slots"
    if task.release:
        text += f" from slot {fraction_text(task.release)} on"
    step = {"rule": "longest job", "job": task.name}
    return Bound.by(BoundKind.COMBINATORIAL, "longest job", task.release + task.slots, text, step)


def _area(tasks: Sequence[TimedJob], total: int) -> Bound:
    """What is released at r or later needs its GPU-slots after r; the best such r."""
    works = [TaskWork(task.release, task.gpus * task.slots, task.slots) for task in tasks]
    value, at = longest_tail(works, Fraction(total))
    who = f"what is left of the jobs at slot {fraction_text(at)} fills" if at else "all jobs fill"
    step = {"rule": "area", "from": exact_number(at)}
    return Bound.by(BoundKind.COMBINATORIAL, "area", value, f"{who} {total} GPUs until then", step)
