"""Equations (7) to (9): what contention costs, seconds per iteration, iterations per slot.

What a contention model says about a ring is its slowdown b^e / B. A job that is spread on
no server uses the links inside its server: its B is b^i, its slowdown is 1.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import floor

from ....instances.contention import ServerUplink
from ....instances.makespan.instance import MakespanInstance
from .runs import RingRun


def uplink_slowdown(model: ServerUplink, rings: int) -> Fraction:
    """Return f(alpha, k) of (7) and (8) for a ring whose busiest server hosts `rings` rings."""
    k = max(Fraction(1), Fraction(model.share) * rings)
    return k + Fraction(model.degradation) * (k - 1)


def overhead_s(instance: MakespanInstance, run: RingRun) -> Fraction:
    """Return gamma: seconds lost per iteration to the number or fullness of servers."""
    unit = Fraction(instance.overhead_s)
    if instance.overhead == "paper":
        return unit * len(run.gpus)
    if len(run.gpus) < 2:
        return Fraction(0)
    return unit if instance.overhead == "step" else unit * max(run.gpus.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How fast a run works: the part of (8) that contention stretches, and the rest."""

    exchange_s: Fraction
    rest_s: Fraction
    slot_s: Fraction
    whole: bool

    def iteration_s(self, slowdown: Fraction) -> Fraction:
        """Return tau of (8)."""
        return self.exchange_s * slowdown + self.rest_s

    def iterations_per_slot(self, slowdown: Fraction) -> Fraction:
        """Return phi of (9), rounded down only if progress is `floor`."""
        rate = self.slot_s / self.iteration_s(slowdown)
        return Fraction(floor(rate)) if self.whole else rate


def pace_of(instance: MakespanInstance, run: RingRun) -> Pace:
    """Return the terms of (8): exchange; then reduction, overhead, forward, backward."""
    cluster, job = instance.cluster, run.job
    bandwidth = cluster.inter_bandwidth_gb_s if run.spread else cluster.intra_bandwidth_gb_s
    part = Fraction(job.gradient_gb) / job.gpus
    added = part * (job.gpus - 1)
    return Pace(
        exchange_s=2 * added / Fraction(bandwidth),
        rest_s=(added / Fraction(cluster.reduce_gb_s) if cluster.reduce_gb_s else Fraction(0))
        + overhead_s(instance, run)
        + Fraction(job.forward_s_per_sample) * job.batch_samples
        + Fraction(job.backward_s),
        slot_s=Fraction(instance.slot_s),
        whole=instance.progress == "floor",
    )
