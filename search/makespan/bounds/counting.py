"""Certified lower bounds on the makespan by counting, in exact arithmetic.

Each takes the least number of slots of every job as given: its fastest placement, no other job
around. Contention and distance only add to it. If jobs are bound to regions, a *part* of the
instance has the servers of some regions and the jobs bound to them: a bound on a part is a bound on
the whole instance.

The bound by uplinks concerns rings that must cross the network, because they are larger than every
server: each holds uplinks, or shares them and slows down. Let an uplink be worth mu GPUs, shared
evenly by the rings on it: with its GPUs, a slot of the cluster is worth N + mu S. A ring takes of
the cluster at least the cheapest slots in which it can do all its iterations, alone on its uplinks
or in company.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, lcm
from typing import NamedTuple

import numpy as np

from ....instances import (
    NO_LIMITS,
    Bound,
    BoundKind,
    FluidLinks,
    Limits,
    MakespanInstance,
    RefusedError,
    ServerUplink,
)
from ....instances.cluster import Contention
from ....instances.reading.encode import exact_number, fraction_text
from ....simulation.makespan.evaluate import best_extremes, extremes, never_ends
from ....simulation.model import parts, slowdown


class TimedJob(NamedTuple):
    """A job. `slots` is its least time: its fastest placement, no other job around.

    It starts at `release` at the earliest, rounded up in slotted time.
    """

    name: str
    gpus: int
    slots: Fraction
    release: Fraction


class TaskWork(NamedTuple):
    """Work of some jobs on a cluster, all of it after their release.

    They use it no faster than evenly over `slots`. With 0, the pace is unknown.
    """

    release: Fraction
    amount: Fraction
    slots: Fraction = Fraction(0)


class Tail(NamedTuple):
    """A time before which the work left at some `release` cannot be done."""

    value: Fraction
    release: Fraction


def tasks_of(instance: MakespanInstance) -> list[TimedJob]:
    """Return the jobs of an instance.

    Raises:
        RefusedError: If a job cannot end at all.
    """
    reason = never_ends(instance)
    if reason is not None:
        raise RefusedError(reason)
    whole = instance.progress != "continuous"
    return [
        TimedJob(
            job.name,
            job.gpus,
            extreme.least_slots,
            Fraction(ceil(job.release_slot) if whole else job.release_slot),
        )
        for job, extreme in zip(instance.jobs, extremes(instance), strict=True)
        if extreme.least_slots is not None
    ]


def longest_tail(works: Iterable[TaskWork], capacity: Fraction) -> Tail:
    """Return the best tail if a slot does no more than `capacity`.

    What is left grows backwards in time, at a rate that changes where works begin and end.
    """
    sudden: defaultdict[Fraction, Fraction] = defaultdict(Fraction)
    faster: defaultdict[Fraction, Fraction] = defaultdict(Fraction)
    for work in works:
        rate = work.amount / work.slots if work.slots else Fraction(0)
        sudden[work.release] += 0 if work.slots else work.amount
        faster[work.release] -= rate
        faster[work.release + work.slots] += rate
    best = Tail(Fraction(0), Fraction(0))
    left, rate, later = Fraction(0), Fraction(0), Fraction(0)
    for at in sorted(faster, reverse=True):
        left += rate * (later - at) + sudden.get(at, 0)
        rate, later = rate + faster[at], at
        if at in sudden:
            best = max(best, Tail(at + left / capacity, at))
    return best


MOST_PLACES = 16
"""Rounding gains at most one part in this many, and the more parts, the less."""


class Exclusion(NamedTuple):
    """The consequence of counting in `places` + 1 parts."""

    tail: Tail
    places: int


def weight(gpus: int, total: int, places: int) -> int:
    """Return the weight of a job, where `places` x `total` fit side by side.

    Of N GPUs split into k + 1 parts, a job weighs the parts that it fills, rounded down. A job that
    fills whole parts exactly weighs k / (k + 1) of them. Jobs that fit side by side weigh k or
    less: Let exact jobs fill m parts. If there are inexact jobs, they fill fewer than k + 1 - m,
    rounded down at most k - m, and m k / (k + 1) + k - m <= k. If not, m <= k + 1.
    """
    parts, rest = divmod((places + 1) * gpus, total)
    return parts * total if rest else places * gpus


def exclusions(tasks: Sequence[TimedJob], total: int) -> list[Exclusion]:
    """Return the bounds from every number of parts, the best first."""
    slots: defaultdict[tuple[Fraction, int], Fraction] = defaultdict(Fraction)
    for task in tasks:
        slots[task.release, task.gpus] += task.slots
    found = []
    for places in range(1, MOST_PLACES + 1):
        works = [
            TaskWork(release, weight(gpus, total, places) * needed)
            for (release, gpus), needed in slots.items()
        ]
        found.append(Exclusion(longest_tail(works, Fraction(places * total)), places))
    return sorted(found, key=lambda one: -one.tail.value)


def exclusion_bound(tasks: Sequence[TimedJob], total: int) -> Bound:
    """Return the best exclusion bound."""
    tail, places = exclusions(tasks, total)[0]
    counted = [
        task.gpus
        for task in tasks
        if task.release >= tail.release and weight(task.gpus, total, places)
    ]
    who = f"{len(counted)} jobs each need" if len(counted) != 1 else "1 job needs"
    part = "half" if places == 1 else f"1/{places + 1}"
    exact = any((places + 1) * gpus % total == 0 for gpus in counted)
    share = f"{part} or more" if exact else f"more than {part}"
    text = f"{who} {share} of {total} GPUs"
    step = {"rule": "exclusion", "places": places, "from": exact_number(tail.release)}
    return Bound.by(BoundKind.COMBINATORIAL, "exclusion", tail.value, text, step)


MOST_PARTS = 32
"""Sets of regions at most."""


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
        argument = f"in {self.regions}, with the jobs bound there: {bound.argument}"
        names = list(self.names)
        proof = bound.proof and tuple({**step, "regions": names} for step in bound.proof)
        return replace(
            bound, name=f"{bound.name} in {self.regions}", argument=argument, proof=proof
        )


def regional_parts(instance: MakespanInstance) -> Iterator[RegionPart]:
    """Yield the parts for the unions of the jobs' sets of regions, small ones first."""
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
        contention=network_among({one.name for one in servers}, instance.contention),
    )


def network_among(servers: set[str], contention: Contention) -> Contention:
    """Return the contention among some of the servers, by name."""
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

    They include the best bound of every part of the instance, while there is time. The bound of the
    name `without` is left out.
    """
    found = _counted(instance, without)
    for part in regional_parts(instance):
        if limits.over():
            break
        bound = part.of_all(_counted(part.instance, without)[0])
        found += [bound] * (bound.value > found[0].value)
    return sorted(found, key=lambda bound: -bound.value)


def _counted(instance: MakespanInstance, without: str | None = None) -> list[Bound]:
    """Return the bounds on an instance as a whole, best first, except the one named `without`."""
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


def _longest(tasks: Sequence[TimedJob]) -> Bound:
    """A job cannot end before its release plus its least time."""
    task = max(tasks, key=lambda t: t.release + t.slots)
    text = f"job {task.name!r} alone takes {fraction_text(task.slots)} slots"
    if task.release:
        text += f" from slot {fraction_text(task.release)} on"
    step = {"rule": "longest job", "job": task.name}
    return Bound.by(BoundKind.COMBINATORIAL, "longest job", task.release + task.slots, text, step)


def _area(tasks: Sequence[TimedJob], total: int) -> Bound:
    """Bound by area: jobs released at r or later need their GPU-slots after r, for the best r."""
    works = [TaskWork(task.release, task.gpus * task.slots, task.slots) for task in tasks]
    value, at = longest_tail(works, Fraction(total))
    who = f"the work left at slot {fraction_text(at)} fills" if at else "the work of all jobs fills"
    step = {"rule": "area", "from": exact_number(at)}
    return Bound.by(BoundKind.COMBINATORIAL, "area", value, f"{who} {total} GPUs until then", step)


MOST_RINGS = 8
"""More rings on a server slow a ring down as this many do, and may share uplinks in any number."""

GRID = np.concatenate([[0.0], np.geomspace(1 / 16, 1024, 128)])
"""Values of an uplink, in GPUs, from which the best is taken."""

FINEST = 64
"""The value of an uplink is a multiple of one part in this many of a GPU."""


class UplinkLevel(NamedTuple):
    """A ring among a number of rings: its iterations per slot, and the least uplinks it holds."""

    rate: Fraction
    uplinks: Fraction


class UplinkRing(NamedTuple):
    """A job that must cross the network."""

    release: Fraction
    gpus: int
    iterations: int | Fraction
    levels: list[UplinkLevel]


def uplink_bound(instance: MakespanInstance, tasks: Sequence[TimedJob]) -> Bound | None:
    """Return the bound at the best value of an uplink, or None if no job must cross."""
    sizes = [server.gpus for server in instance.cluster.servers]
    rings = _rings(instance, max(sizes))
    if not rings:
        return None
    works = [
        TaskWork(task.release, task.gpus * task.slots) for task in tasks if task.gpus <= max(sizes)
    ]
    mu = _best_value(rings, float(sum(work.amount for work in works)), sizes)
    whole = instance.progress != "continuous"
    works += [TaskWork(ring.release, taken(ring, mu, whole)) for ring in rings]
    who = (
        f"{len(rings)} jobs must span servers, each"
        if len(rings) > 1
        else "1 job must span servers,"
    )
    text = (
        f"{who} with its uplinks to itself or slowed down: "
        f"pricing an uplink at {fraction_text(mu)} GPUs, the work fills the cluster until then"
    )
    tail = longest_tail(works, sum(sizes) + mu * len(sizes))
    step = {"rule": "uplinks", "worth": exact_number(mu), "from": exact_number(tail.release)}
    return Bound.by(BoundKind.COMBINATORIAL, "uplinks", tail.value, text, step)


def _rings(instance: MakespanInstance, size: int) -> list[UplinkRing]:
    """Return the jobs larger than `size`, the most GPUs of a server."""
    model = instance.contention
    if not isinstance(model, ServerUplink):
        return []
    share, degradation = Fraction(model.share), Fraction(model.degradation)
    most = min(size, sum(job.gpus > 1 for job in instance.jobs))
    counts = range(1, min(most, MOST_RINGS) + 1)
    delays = [slowdown(share, degradation, count) - 1 for count in counts]
    found, widest = [], best_extremes(instance)
    for job, extreme, wide in zip(instance.jobs, extremes(instance), widest, strict=True):
        if job.gpus > size:
            transfer_s, least_s = parts(instance, job).transfer_s, extreme.fastest_s
            rates = [
                Fraction(instance.slot_s) / max(least_s, wide.fastest_s + transfer_s * d)
                for d in delays
            ]
            if instance.progress == "floor":
                rates = [Fraction(floor(rate)) for rate in rates]
            held = [least_uplinks(job.gpus, size, count) for count in counts[:-1]]
            held.append(least_uplinks(job.gpus, size, most))
            levels = _useful(map(UplinkLevel, rates, held))
            found.append(UplinkRing(Fraction(job.release_slot), job.gpus, job.iterations, levels))
    return found


@lru_cache(maxsize=1000)
def least_uplinks(gpus: int, size: int, rings: int) -> Fraction:
    """Return the least uplinks that a ring holds with at most `rings` on each of its servers.

    With y GPUs of a server's O there are at most O - y other rings on it. With n on the server, it
    holds 1 / n of the uplink for at most O - n + 1 GPUs.
    """
    n = min(rings, (size + 1) // 2)
    held = Fraction(gpus, n * (size - n + 1))
    if rings > MOST_RINGS:
        return held
    part = lcm(*range(1, rings + 1))
    return Fraction(ceil(held * part), part)


def _useful(levels: Iterable[UplinkLevel]) -> list[UplinkLevel]:
    """Return the levels that no other one dominates."""
    found: list[UplinkLevel] = []
    for level in levels:
        if found and found[-1].rate == level.rate:
            found.pop()
        if level.rate and (not found or level.uplinks < found[-1].uplinks):
            found.append(level)
    return found


def _best_value(rings: list[UplinkRing], others: float, sizes: list[int]) -> Fraction:
    """Return the value of an uplink at which the total work takes longest.

    Here a ring may use fractions of slots, and everything is released at once.
    """
    width = max(len(ring.levels) for ring in rings)
    padded = [ring.levels + ring.levels[-1:] * (width - len(ring.levels)) for ring in rings]
    rates, uplinks = np.moveaxis(np.array(padded, float), 2, 0)
    gpus = np.array([[ring.gpus] for ring in rings])
    iterations = np.array([float(ring.iterations) for ring in rings])
    slots = [
        (others + iterations @ ((gpus + mu * uplinks) / rates).min(axis=1))
        / (sum(sizes) + mu * len(sizes))
        for mu in GRID
    ]
    return Fraction(round(GRID[int(np.argmax(slots))] * FINEST), FINEST)


def taken(ring: UplinkRing, mu: Fraction, whole: bool) -> Fraction:
    """Return the worth of the cheapest slots in which a ring can do its iterations.

    If slots are divisible, all are at the level k of the least price per iteration. The cost of
    whole slots is convex in their number, so rounding that number up or down is best. Rounded up,
    the spare iterations are exchanged for slower levels at the steepest slope from k. Rounded down,
    faster levels supply the missing iterations at the flattest slope.
    """
    prices = [ring.gpus + mu * level.uplinks for level in ring.levels]
    rates = [level.rate for level in ring.levels]
    best = min(range(len(prices)), key=lambda k: prices[k] / rates[k])
    price, rate = prices[best], rates[best]
    slots = ring.iterations / rate
    if not whole:
        return slots * price
    slopes = [(price - prices[k]) / (rate - rates[k]) for k in range(len(prices)) if k != best]
    spare = ceil(slots) * rate - ring.iterations
    lack = ring.iterations - floor(slots) * rate
    above = ceil(slots) * price - spare * max(slopes[best:], default=Fraction(0))
    if best == 0:
        return above
    return min(above, floor(slots) * price + lack * min(slopes[:best]))
