"""The shortest and the longest that each job can take, and what no engine here can run."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache, lru_cache
from typing import NamedTuple

from ...instances import FluidLinks, MakespanInstance
from ...instances.regions import Regions
from ..iteration import TICK, iteration_s, parts, slots_needed, slowdown
from ..model import MOST_GROUPS, groups, open_sizes


class Extremes(NamedTuple):
    """Seconds per iteration and slots for the whole job; slots are None if it never ends.

    `fastest_s` is at most every attainable time, and attained unless oversubscribed links slow
    every placement. `slowest_s` is at least every attainable time.
    """

    fastest_s: Fraction
    slowest_s: Fraction
    least_slots: Fraction | None
    most_slots: Fraction | None


@lru_cache(maxsize=8)
def extremes(instance: MakespanInstance) -> tuple[Extremes, ...]:
    """Return the extremes of every job, in the order of the instance."""
    worst = worst_slowdown(instance)
    sizes_of = open_sizes(instance)

    @cache
    def tightest(gpus: int, regions: Regions | None) -> tuple[int, int]:
        """Return the servers and the most GPUs on one of them where `gpus` run fastest."""
        sizes = sizes_of[regions]
        if gpus <= sizes[0]:
            return 1, gpus
        return spread_least(instance, sizes, gpus)

    found = []
    for job in instance.jobs:
        terms, sizes = parts(instance, job), sizes_of[job.allowed_regions]
        shape = tightest(job.gpus, job.allowed_regions)
        fast = iteration_s(instance, terms, *shape, Fraction(1))
        alone = iteration_s(instance, terms, 1, min(job.gpus, sizes[0]), Fraction(1))
        servers = min(job.gpus, len(sizes))
        most = min(job.gpus - 1, sizes[0])
        spread = iteration_s(instance, terms, servers, most, worst) if servers > 1 else alone
        slow = max(alone, spread)
        needs = (slots_needed(instance, job, fast), slots_needed(instance, job, slow))
        found.append(Extremes(fast, slow, *needs))
    return tuple(found)


def spread_least(instance: MakespanInstance, sizes: tuple[int, ...], gpus: int) -> tuple[int, int]:
    """Return servers and most GPUs on one for a ring larger than every server."""
    if instance.overhead == "max_workers_per_server":
        level = next(c for c in range(1, sizes[0] + 1) if sum(min(z, c) for z in sizes) >= gpus)
        return 2, level
    servers, held = 0, 0
    while held < gpus:
        held += sizes[servers]
        servers += 1
    return servers, sizes[0]


def worst_slowdown(instance: MakespanInstance) -> Fraction:
    """Return the transfer slowdown when every GPU behind a link belongs to another ring."""
    model = instance.contention
    sizes = {server.name: server.gpus for server in instance.cluster.servers}
    if not isinstance(model, FluidLinks):
        share, degradation = Fraction(model.share), Fraction(model.degradation)
        return slowdown(share, degradation, max(sizes.values()))
    rack = Fraction(model.leaf_oversubscription)
    found = Fraction(max(sizes.values()))
    spines: dict[str, tuple[int, Fraction]] = {}
    for leaf in model.leaves:
        gpus, width = sum(sizes[name] for name in leaf.servers), len(leaf.servers) / rack
        found = max(found, gpus / width)
        below = spines.get(leaf.spine, (0, Fraction(0)))
        spines[leaf.spine] = (below[0] + gpus, below[1] + width)
    for gpus, width in spines.values():
        found = max(found, gpus * Fraction(model.spine_oversubscription) / width)
    return found


LONGEST, LONGEST_CONTINUOUS = 10**12, 10**7
"""Longer schedules, in slots, are refused: floats could not distinguish slots or ticks."""

MOST_GPUS = 4_000_000
"""Policies keep a record for each GPU, and each GPU that a job asks for."""


def refusal(instance: MakespanInstance) -> str | None:
    """Return why `instance` cannot be scheduled or simulated, or None if it can."""
    return never_ends(instance) or next(_exceeded(instance), None)


def never_ends(instance: MakespanInstance) -> str | None:
    """Name a job that cannot finish even alone where it is fastest, with the reason."""
    for job, extreme in zip(instance.jobs, extremes(instance), strict=True):
        if extreme.least_slots is None:
            seconds = float(extreme.fastest_s)
            return (
                f"job {job.name!r} does no iteration: its fastest takes {seconds:.6g} s, "
                f"a slot {instance.slot_s} s, and progress is 'floor'; "
                "lengthen slot_s or set progress to 'fractional'"
            )
    return None


def _exceeded(instance: MakespanInstance) -> Iterator[str]:
    """Yield the limits of the engine that an instance exceeds; every job of it can end."""
    held = sum(server.gpus for server in instance.cluster.servers)
    asked = sum(job.gpus for job in instance.jobs)
    if max(held, asked) > MOST_GPUS:
        yield f"{held} GPUs, and {asked} asked for, are more than {MOST_GPUS}; split the instance"
    lists = len(groups(instance)) - 1
    if lists > MOST_GROUPS:
        yield f"jobs have {lists} different lists of regions, more than {MOST_GROUPS}; join some"
    continuous, bounds = instance.progress == "continuous", extremes(instance)
    total = float(max(job.release_slot for job in instance.jobs)) + sum(
        float(extreme.most_slots or job.iterations)
        for job, extreme in zip(instance.jobs, bounds, strict=True)
    )
    longest = LONGEST_CONTINUOUS if continuous else LONGEST
    if total > longest:
        yield f"its jobs may take {total:.3g} slots, more than {longest:.0e}; lengthen slot_s"
    least = min(float(extreme.least_slots or 1) for extreme in bounds)
    if continuous and least < 1000 * TICK:
        yield (
            f"a job takes only {least:.3g} slots, and in continuous time jobs start at multiples "
            f"of {TICK:g} slots; shorten slot_s"
        )
