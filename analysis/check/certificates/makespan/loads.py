"""The rule by which GPUs are too few for the sets of jobs that one of them can finish in time.

By slot H each GPU works through a set of jobs, one after the other, and every job is in the sets
of its GPUs. If jobs have prices, all GPUs together have N times the dearest set or less; so if
the jobs, each as often as it has GPUs, are worth more, no schedule ends by H. Counted in parts of
the cluster, a job stands for its weight, and there is a single GPU.
"""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from .....instances.makespan.instance import MakespanInstance
from ..steps import ProofStep, StepError
from .counting import weight
from .part import ProofPart, part_of

MOST_CELLS = 2**27
"""Larger tables are refused; `grain` makes them smaller."""


class LoadKind(NamedTuple):
    """What is the same for jobs of one price."""

    release: int
    slots: int
    gpus: int


def loads(instance: MakespanInstance, step: ProofStep) -> Fraction:
    """No schedule ends by slot `by` if the prices say so; then the next one is the first."""
    part, end = part_of(instance, step), step.whole("by")
    if not part.slotted:
        raise StepError("time is continuous, and the sets are counted in whole slots")
    jobs = Counter(LoadKind(int(one.release), int(one.slots), one.job.gpus) for one in part.jobs)
    if end >= max(kind.release for kind in jobs) + sum(k.slots * n for k, n in jobs.items()):
        raise StepError(f"one after the other, all jobs end by slot {end}")
    prices = _prices(step, jobs)
    worth, room = _worth(part, step, jobs, prices)
    grain = step.whole("grain", 1) if "grain" in step.values else 1
    dearest = _dearest(jobs, prices, end, grain)
    if worth <= room * dearest:
        found = f"jobs are worth {worth}, and {room} times the dearest set {room * dearest}"
        raise StepError(f"at these prices all may end by slot {end}: {found}")
    return Fraction(end + 1)


def _prices(step: ProofStep, jobs: Mapping[LoadKind, int]) -> dict[LoadKind, int]:
    """Return the price of jobs by kind; those that are not named cost nothing."""
    prices = dict[LoadKind, int]()
    for release, slots, gpus, price in step.rows("prices", 4):
        kind = LoadKind(release, slots, gpus)
        if kind not in jobs or kind in prices:
            why = "priced twice" if kind in prices else "no such jobs"
            raise StepError(
                f"{why}: of {gpus} GPUs, released at slot {release}, that take {slots} slots"
            )
        prices[kind] = price
    return prices


def _worth(
    part: ProofPart, step: ProofStep, jobs: Mapping[LoadKind, int], prices: Mapping[LoadKind, int]
) -> tuple[Fraction, int]:
    """Return what all jobs are worth, each as often as it counts, and how many sets there are."""
    places = step.whole("places", 1) if "places" in step.values else 0
    worth = Fraction(0)
    for kind, price in prices.items():
        times = weight(kind.gpus, part.gpus, places) if places else kind.gpus
        worth += times * jobs[kind] * price
    return worth, 1 if places else part.gpus


def _dearest(
    jobs: Mapping[LoadKind, int], prices: Mapping[LoadKind, int], end: int, grain: int
) -> int:
    """Return the price of the dearest set of jobs that one GPU can finish by `end`.

    Jobs follow each other in the order of release. `most[t]` is the dearest set that is done by
    t, in units of `grain` slots; lengths and moments are rounded down, so that what fits still
    does.
    """
    last = end // grain
    some = [
        (kind, min(jobs[kind], (end - kind.release) // kind.slots))
        for kind in sorted(prices)
        if prices[kind] and kind.release + kind.slots <= end
    ]
    if (last + 1) * sum(count for _, count in some) > MOST_CELLS or last >= MOST_CELLS:
        raise StepError(f"it takes a table of over {MOST_CELLS} cells; a larger grain is needed")
    most = [0] * (last + 1)
    for kind, count in some:
        start, length, price = kind.release // grain, kind.slots // grain, prices[kind]
        for _ in range(count):
            more = [price + before for before in most[start : last + 1 - length]]
            most[start + length :] = map(max, most[start + length :], more)
    return most[last]
