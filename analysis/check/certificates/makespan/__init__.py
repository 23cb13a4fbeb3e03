"""Rules of `makespan`: from an instance and a step, each returns a lower bound on the end.

Here are the rules that add up the jobs' use of the cluster. Their proofs are in
docs/theory/makespan-bounds-counting.md.
"""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

from .....instances.makespan import MakespanInstance
from ..reading import ProofStep, StepError
from .configurations import configurations
from .every import every_schedule
from .part import part_of
from .servers import servers
from .uplinks import uplinks

MOST_CELLS = 2**27
"""Maximum table size. Larger tables are refused, and a larger `grain` shrinks them."""

LoadKind = tuple[int, int, int]
"""The kind of jobs that have one price: release, slots, GPUs."""


def longest_job(instance: MakespanInstance, step: ProofStep) -> Fraction:
    """A job cannot end before its release and its least slots."""
    part, name = part_of(instance, step), step.text("job")
    for one in part.jobs:
        if one.job.name == name:
            return part.rounded(one.release + one.slots)
    raise StepError(f"there is no job {name!r} here")


def area(instance: MakespanInstance, step: ProofStep) -> Fraction:
    """The work that is left at a moment needs GPUs behind it.

    A job of p slots released at r is at work for p - (t - r) slots or more behind t. If that is
    above 0 for one job, the schedule ends behind t.
    """
    part, since = part_of(instance, step), step.number("from")
    waits = (max(Fraction(0), since - one.release) for one in part.jobs)
    lefts = (max(Fraction(0), one.slots - wait) for one, wait in zip(part.jobs, waits, strict=True))
    left = sum(one.job.gpus * slots for one, slots in zip(part.jobs, lefts, strict=True))
    if not left:
        raise StepError(f"at slot {since} all jobs may be finished")
    return part.rounded(since + left / part.gpus)


def exclusion(instance: MakespanInstance, step: ProofStep) -> Fraction:
    """Concurrent jobs have total weight at most 1, so weights times slots add up over time."""
    part, since, places = part_of(instance, step), step.number("from"), step.whole("places", 1)
    jobs = part.released(since)
    weighed = (weight(one.job.gpus, part.gpus, places) * one.slots for one in jobs)
    return part.rounded(since + sum(weighed))


def weight(gpus: int, total: int, places: int) -> Fraction:
    """Return a job's weight if GPUs are grouped into `places` + 1 parts.

    Jobs that fill whole parts have these parts as their weight. A job that exceeds n parts has
    weight n out of `places`: together with m exactly filled parts, no more than `places` - m fit.
    """
    parts = Fraction((places + 1) * gpus, total)
    return Fraction(gpus, total) if parts.denominator == 1 else Fraction(int(parts), places)


def loads(instance: MakespanInstance, step: ProofStep) -> Fraction:
    """GPUs are too few for the sets of jobs that one GPU can finish by slot `by`.

    By then each GPU processes a set of jobs in sequence, and every job is in the sets of its GPUs.
    If jobs have prices, all GPUs earn at most the dearest set each. If the jobs' prices times their
    GPUs exceed that, the end is at least the next slot. With `places`, a job has its weight in
    place of GPUs, and there is one GPU.
    """
    part, end, places = part_of(instance, step), step.whole("by"), step.whole("places", 1, 0)
    if not part.slotted:
        raise StepError("this rule applies only to slotted time")
    jobs = Counter[LoadKind]((int(j.release), int(j.slots), j.job.gpus) for j in part.jobs)
    last = max(release for release, _, _ in jobs)
    if end >= last + sum(slots * count for (_, slots, _), count in jobs.items()):
        raise StepError(f"run one after the other, all jobs end by slot {end}")
    prices, worth = dict[LoadKind, int](), Fraction(0)
    for release, slots, gpus, price in step.rows("prices", 4):
        kind = release, slots, gpus
        if kind not in jobs or kind in prices:
            why = "priced twice" if kind in prices else "no such jobs"
            which = f"of {gpus} GPUs, released at slot {release}, with {slots} slots of work"
            raise StepError(f"{why}: {which}")
        prices[kind] = price
        worth += (weight(gpus, part.gpus, places) if places else gpus) * jobs[kind] * price
    room = 1 if places else part.gpus
    most = room * _dearest(jobs, prices, end, step.whole("grain", 1, 1))
    if worth <= most:
        found = f"jobs are worth {worth}, and {room} times the dearest set {most}"
        raise StepError(f"at these prices all may end by slot {end}: {found}")
    return Fraction(end + 1)


def _dearest(
    jobs: Mapping[LoadKind, int], prices: Mapping[LoadKind, int], end: int, grain: int
) -> int:
    """Return the price of the dearest set of jobs that one GPU can finish by `end`.

    Jobs are sequenced by release. `most[t]` is the dearest set done by t, in units of `grain`
    slots. Lengths and moments are rounded down, so every feasible set stays feasible.
    """
    last = end // grain
    some = [(kind, min(jobs[kind], max(0, end - kind[0]) // kind[1])) for kind in sorted(prices)]
    if (last + 1) * max(1, sum(count for _, count in some)) > MOST_CELLS:
        raise StepError(f"it needs a table of over {MOST_CELLS} entries. A larger grain is needed")
    most = [0] * (last + 1)
    for kind, count in some:
        start, length, price = kind[0] // grain, kind[1] // grain, prices[kind]
        for _ in range(count):
            more = [price + before for before in most[start : last + 1 - length]]
            most[start + length :] = map(max, most[start + length :], more)
    return most[last]


RULES = {
    "longest job": longest_job,
    "area": area,
    "exclusion": exclusion,
    "uplinks": uplinks,
    "loads": loads,
    "servers": servers,
    "configurations": configurations,
    "every schedule": every_schedule,
}
"""Functions by name, from an instance and a step to a bound."""
