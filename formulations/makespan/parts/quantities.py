"""The quantities of (6) to (9) for a job in a slot: their ranges, and their values."""

from fractions import Fraction
from math import floor
from typing import Any

from ....instances import MakespanInstance, RingJob
from ....simulation.iteration import parts, slowdown
from ....simulation.makespan.extremes import extremes
from .data import ProgramData
from .timetable import JobSlots


def uplink(instance: MakespanInstance) -> tuple[Fraction, Fraction]:
    """Return share and degradation of the contention model, xi_1 and alpha."""
    model: Any = instance.contention
    return Fraction(model.share), Fraction(model.degradation)


def bandwidths(instance: MakespanInstance) -> tuple[Fraction, Fraction]:
    """Return b^i and b^e."""
    cluster = instance.cluster
    return Fraction(cluster.intra_bandwidth_gb_s), Fraction(cluster.inter_bandwidth_gb_s)


def volume_and_rest(instance: MakespanInstance, job: RingJob) -> tuple[Fraction, Fraction]:
    """Return what a ring transfers per iteration, and the seconds that nothing changes."""
    terms = parts(instance, job)
    return terms.transfer_s * bandwidths(instance)[1], terms.spread_s


def limits(data: ProgramData, job: RingJob) -> dict[str, tuple[Any, Any]]:
    """Return the least and the greatest value of every quantity of a job."""
    instance = data.instance
    inside, outside = bandwidths(instance)
    share, degradation = uplink(instance)
    extreme = dict(zip(data.tasks, extremes(instance), strict=True))[job.name]
    units = data.units(min(job.gpus, len(data.sizes)), min(job.gpus, max(data.sizes.values())))
    rate = Fraction(instance.slot_s) / extreme.fastest_s
    return {
        "across": (0, 1),
        "rings": (0, data.most_rings),
        "effective": (1, max(1, share * data.most_rings)),
        "bandwidth": (outside / slowdown(share, degradation, data.most_rings), inside),
        "overhead_s": (0, units * Fraction(instance.overhead_s)),
        "iteration_s": (parts(instance, job).alone_s, extreme.slowest_s),
        "done": (0, floor(rate) if instance.progress == "floor" else rate),
    }


def quantities(data: ProgramData, job: RingJob, course: JobSlots, slot: int) -> dict[str, Any]:
    """Return the values in a slot; where the job does not work, those of a ring without GPUs."""
    instance = data.instance
    works, rings = slot in course.rings, course.rings.get(slot, 0)
    share, degradation = uplink(instance)
    inside, outside = bandwidths(instance)
    volume, rest = volume_and_rest(instance, job)
    bandwidth = outside / slowdown(share, degradation, rings) if rings else inside
    units = data.units(len(course.gpus), course.most) if works else 0
    overhead_s = units * Fraction(instance.overhead_s)
    return {
        "across": int(rings > 0),
        "rings": rings,
        "effective": max(1, share * rings),
        "bandwidth": bandwidth,
        "overhead_s": overhead_s,
        "iteration_s": volume / bandwidth + rest + overhead_s,
        "done": data.rate(job.name, len(course.gpus), course.most, rings) if works else 0,
    }
