"""Seconds per iteration, equation (8), for floats and for exact fractions alike."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any

from ..instances import FluidLinks, MakespanInstance, RingJob


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The terms of (8) that do not depend on the placement."""

    alone_s: Any
    """Everything but the overhead, for a ring inside one server."""
    spread_s: Any
    """Everything but overhead and transfer, for a ring across servers."""
    transfer_s: Any
    """Transfer across servers with the uplink to itself."""


def parts(instance: MakespanInstance, job: RingJob, number: Any = Fraction) -> Parts:
    """Return the fixed terms of (8) in the given number type."""
    cluster = instance.cluster
    compute = number(job.backward_s) + number(job.forward_s_per_sample) * job.batch_samples
    chunks = number(job.gradient_gb) * (job.gpus - 1) / job.gpus
    reduce_s = chunks / number(cluster.reduce_gb_s)
    return Parts(
        alone_s=compute + reduce_s + 2 * chunks / number(cluster.intra_bandwidth_gb_s),
        spread_s=compute + reduce_s,
        transfer_s=2 * chunks / number(cluster.inter_bandwidth_gb_s),
    )


def overhead_units(form: str, servers: int, most: int) -> int:
    """Return what overhead_s is multiplied by, for a ring with `most` GPUs on one server."""
    if form == "paper":
        return servers
    if servers == 1:
        return 0
    return 1 if form == "step" else most


def slowdown(share: Any, degradation: Any, rings: int) -> Any:
    """Return f(alpha, k) for `rings` spread rings on the busiest uplink, k by (7) and A8-2."""
    k = max(1, share * rings)
    return k + degradation * (k - 1)


def iteration_s(instance: MakespanInstance, job: RingJob, pieces: list[int], factor: Any) -> Any:
    """Return (8) for GPUs per server `pieces` and a transfer `factor` times slower than alone."""
    terms = parts(instance, job)
    units = overhead_units(instance.overhead, len(pieces), max(pieces))
    fixed = units * Fraction(instance.overhead_s)
    if len(pieces) == 1:
        return terms.alone_s + fixed
    return terms.spread_s + terms.transfer_s * factor + fixed


def slots_needed(instance: MakespanInstance, job: RingJob, seconds: Fraction) -> Fraction | None:
    """Return the slots that all iterations take at `seconds` each; None if they never end."""
    rate = Fraction(instance.slot_s) / seconds
    if instance.progress == "floor":
        rate = Fraction(floor(rate))
    if rate == 0:
        return None
    slots = job.iterations / rate
    return slots if instance.progress == "continuous" else Fraction(ceil(slots))


def fastest_s(instance: MakespanInstance, job: RingJob) -> Fraction:
    """Return the least seconds per iteration over all placements of `job`."""
    sizes = sorted((s.gpus for s in instance.cluster.servers), reverse=True)
    if job.gpus <= sizes[0]:
        alone: Fraction = iteration_s(instance, job, [job.gpus], 1)
        return alone
    if instance.overhead == "max_workers_per_server":
        most = next(c for c in range(1, sizes[0] + 1) if sum(min(z, c) for z in sizes) >= job.gpus)
        spread: Fraction = iteration_s(instance, job, [most, most], 1)
        return spread
    servers, held = 0, 0
    while held < job.gpus:
        held += sizes[servers]
        servers += 1
    fewest: Fraction = iteration_s(instance, job, [1] * servers, 1)
    return fewest


def slowest_s(instance: MakespanInstance, job: RingJob) -> Fraction:
    """Return at least the most seconds per iteration over all placements (spec A2)."""
    sizes = [s.gpus for s in instance.cluster.servers]
    servers = min(job.gpus, len(sizes))
    alone: Fraction = iteration_s(instance, job, [min(job.gpus, max(sizes))], 1)
    if servers == 1:
        return alone
    most = min(job.gpus - 1, max(sizes))
    pieces = [most] + [1] * (servers - 1)
    spread: Fraction = iteration_s(instance, job, pieces, worst_slowdown(instance))
    return max(alone, spread)


def worst_slowdown(instance: MakespanInstance) -> Fraction:
    """Return the transfer slowdown when every GPU behind a link belongs to another ring."""
    model = instance.contention
    sizes = {server.name: server.gpus for server in instance.cluster.servers}
    if not isinstance(model, FluidLinks):
        worst: Fraction = slowdown(
            Fraction(model.share), Fraction(model.degradation), max(sizes.values())
        )
        return worst
    rack = Fraction(model.leaf_oversubscription)
    found = Fraction(max(sizes.values()))
    spines: dict[str, tuple[int, Fraction]] = {}
    for leaf in model.leaves:
        gpus, capacity = sum(sizes[s] for s in leaf.servers), len(leaf.servers) / rack
        found = max(found, gpus / capacity)
        below = spines.get(leaf.spine, (0, Fraction(0)))
        spines[leaf.spine] = (below[0] + gpus, below[1] + capacity)
    for gpus, capacity in spines.values():
        found = max(found, gpus * Fraction(model.spine_oversubscription) / capacity)
    return found
