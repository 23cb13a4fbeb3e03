"""Seconds per iteration, equation (8), in exact fractions."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from ..instances import MakespanInstance, RingJob

TICK = 1e-6
"""In continuous time jobs start at multiples of this many slots."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The terms of (8) that do not depend on the placement."""

    alone_s: Fraction
    """Everything but the overhead, for a ring inside one server."""
    spread_s: Fraction
    """Everything but overhead and transfer, for a ring across servers."""
    transfer_s: Fraction
    """Transfer across servers with the uplink to itself."""


def parts(instance: MakespanInstance, job: RingJob) -> Parts:
    """Return the fixed terms of (8)."""
    cluster = instance.cluster
    compute = Fraction(job.backward_s) + Fraction(job.forward_s_per_sample) * job.batch_samples
    chunks = Fraction(job.gradient_gb) * (job.gpus - 1) / job.gpus
    reduce_s = chunks / Fraction(cluster.reduce_gb_s) if cluster.reduce_gb_s else Fraction(0)
    return Parts(
        alone_s=compute + reduce_s + 2 * chunks / Fraction(cluster.intra_bandwidth_gb_s),
        spread_s=compute + reduce_s,
        transfer_s=2 * chunks / Fraction(cluster.inter_bandwidth_gb_s),
    )


def overhead_units(form: str, servers: int, most: int) -> int:
    """Return what overhead_s is multiplied by, for a ring with `most` GPUs on one server."""
    if form == "paper":
        return servers
    if servers == 1:
        return 0
    return 1 if form == "step" else most


def slowdown(share: Fraction, degradation: Fraction, rings: int) -> Fraction:
    """Return f(alpha, k) for `rings` spread rings on the busiest uplink; k is never below 1."""
    k = max(Fraction(1), share * rings)
    return k + degradation * (k - 1)


def iteration_s(
    instance: MakespanInstance, terms: Parts, servers: int, most: int, factor: Fraction
) -> Fraction:
    """Return (8) exactly for a ring on so many servers, with at most `most` GPUs on one.

    Its transfer across servers is `factor` times slower than alone on its links.
    """
    fixed = overhead_units(instance.overhead, servers, most) * Fraction(instance.overhead_s)
    if servers == 1:
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
