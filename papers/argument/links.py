"""What each step of the proof of SJF-BCO's theorem loses, measured on one instance."""

from collections.abc import Iterator
from fractions import Fraction
from math import inf
from typing import NamedTuple

import numpy as np

from ...analysis.check import check
from ...analysis.guarantees.makespan import facts
from ...formulations.makespan.data import refuses_slots
from ...formulations.makespan.load_limit import bisect, estimates
from ...formulations.program import Caps
from ...instances import MakespanInstance, RefusedError
from ...instances.catalogue import Entry
from ...policies.makespan import sjf_bco
from ...policies.makespan.dispatch import BY_LOAD, JobList
from ...policies.makespan.load_limit import GRID, lowest_limit, order_by_gpus
from ...policies.makespan.load_limit import estimates as estimated
from ...policies.makespan.sjf_bco import TriedPlan, place, splits
from ...policies.request import Request
from ...simulation import build_model, to_schedule
from ..study import named

JUST_BELOW = 1 - 1e-9
"""Sums of loads are rounded: a limit that is lower by this part refuses what met it."""

MOST_EXACT = 12
"""With more jobs the least load of any assignment is not searched."""


class LimitedRun(NamedTuple):
    """A run of the published loop under the least load limit that was found feasible."""

    limit: Fraction
    """Its largest load by estimates: the run is the same with this as the limit (Lemma 2)."""
    again: Fraction
    """The largest load of the run with that limit."""
    busy: Fraction
    """The most time that a GPU is really busy."""
    makespan: Fraction


class Links(NamedTuple):
    """An instance with what stands on both sides of every step."""

    instance: str
    widest: int
    """GPUs of the largest job, n_g."""
    phi: Fraction
    """Of which the paper's u/l is another."""
    least: Fraction
    """The least largest load of any assignment, or where not `proved`, the least that is known."""
    proved: bool
    run: LimitedRun
    kept: Fraction
    """The makespan of the best run of all limits and thresholds that SJF-BCO tries."""
    best: Fraction
    """The best makespan on record."""


def links_of(entry: Entry) -> Links | None:
    """Measure an instance; None if the proof does not speak of it."""
    instance = named(entry.name)
    if refuses_slots(instance) or any(job.release_slot for job in instance.jobs):
        return None
    try:
        known = facts(instance)
    except RefusedError:
        return None
    exact = len(instance.jobs) <= MOST_EXACT
    found = bisect(instance, caps=Caps() if exact else Caps(time_s=0.0))
    kept = check(instance, sjf_bco.run(instance, Request(options=sjf_bco.Options())).schedule)
    run, best = least_run(instance), Fraction(entry.upper[0].value)
    return Links(
        instance=entry.name,
        widest=known.largest,
        phi=known.phi,
        least=found.theta if exact else min(found.theta, run.limit, best),
        proved=found.theta == found.least,
        run=run,
        kept=kept.makespan or Fraction(0),
        best=best,
    )


def least_run(instance: MakespanInstance) -> LimitedRun:
    """Lower the limit until every threshold is refused; look once more at lower limits."""
    work, below = estimated(instance), lowest_limit(instance, estimated(instance)) * JUST_BELOW
    chosen, limit = (0, _attempt(instance, 0, inf)), inf
    while True:
        top = limit * JUST_BELOW
        steps = [below + (top - below) * step / GRID for step in range(GRID)] if top < inf else []
        for one in (top, *reversed(steps)):
            found = _feasible(instance, one)
            if found is not None:
                chosen, limit = found, float(_loads(instance, found[1].chosen).max())
                break
        else:
            break
        if limit <= work.max():
            break
    split, run = chosen
    again = _attempt(instance, split, float(_loads(instance, run.chosen).max()) / JUST_BELOW)
    return _told(instance, run, again)


def _feasible(instance: MakespanInstance, limit: float) -> tuple[int, TriedPlan] | None:
    """Return a threshold, as the number of small jobs, under which a limit admits all jobs."""
    for split in splits(instance, None):
        run = _attempt(instance, split, limit)
        if run.makespan < inf:
            return split, run
    return None


def _attempt(instance: MakespanInstance, split: int, limit: float) -> TriedPlan:
    work, wanted = estimated(instance), np.array([job.gpus for job in instance.jobs])
    jobs = JobList(order_by_gpus(instance, work), work, limit, BY_LOAD, np.empty(0))
    return place(build_model(instance), jobs, split, wanted)


def _told(instance: MakespanInstance, run: TriedPlan, again: TriedPlan) -> LimitedRun:
    schedule = to_schedule(instance, run.plan, "sjf-bco")
    verdict = check(instance, schedule)
    starts = {entry.job: Fraction(entry.start_slot) for entry in schedule.assignments}
    slots = {job: end - starts[job] for job, end in verdict.ends.items()}
    work = estimates(instance)
    return LimitedRun(
        limit=_largest(instance, run, work),
        again=_largest(instance, again, work),
        busy=_largest(instance, run, slots),
        makespan=verdict.makespan or Fraction(0),
    )


def _largest(instance: MakespanInstance, run: TriedPlan, each: dict[str, Fraction]) -> Fraction:
    """Return the most of `each` that comes together on a GPU, exactly."""
    loads: dict[int, Fraction] = {}
    for job, gpu in _held(instance, run):
        loads[gpu] = loads.get(gpu, Fraction(0)) + each[job]
    return max(loads.values())


def _held(instance: MakespanInstance, run: TriedPlan) -> Iterator[tuple[str, int]]:
    names = [job.name for job in instance.jobs for _ in range(job.gpus)]
    yield from zip(names, run.chosen.tolist(), strict=True)


def _loads(instance: MakespanInstance, chosen: np.ndarray) -> np.ndarray:
    work = np.repeat(estimated(instance), [job.gpus for job in instance.jobs])
    return np.bincount(chosen, weights=work)
