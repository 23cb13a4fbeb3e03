"""`ringyard reproduce sjf-bco-argument`: SJF-BCO's example, reformulation and proof, measured.

The report is computed without stored runs. It takes a minute or two and hardly depends on the
machine.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import fsum, inf
from statistics import geometric_mean, median
from typing import NamedTuple

import numpy as np

from ...analysis.check import check
from ...analysis.guarantees.makespan import facts
from ...analysis.tables import Cell, Table
from ...campaigns.reproductions import Answers, Results, Settings
from ...formulations.catalogue import find_formulation
from ...formulations.makespan.data import refuses_slots
from ...formulations.makespan.load_limit import bisect, estimates
from ...formulations.makespan.master import whole_schedules
from ...formulations.matrix import relaxed, stated_matrix
from ...formulations.program import Caps
from ...formulations.solver_interface.solve import solve
from ...instances import MakespanInstance, RefusedError
from ...instances.catalogue import Entry, entries
from ...policies.makespan import sjf_bco
from ...policies.makespan.baselines import GRID, lowest_limit, order_by_gpus
from ...policies.makespan.baselines import estimates as estimated
from ...policies.makespan.dispatch import BY_LOAD, JobList
from ...policies.makespan.sjf_bco import TriedPlan, place, splits
from ...policies.request import Request
from ...simulation import build_model, to_schedule
from ..relaxations.rings import best_known
from ..study import named, table_of
from .example import example_statements, example_table

JUST_BELOW = 1 - 1e-9
"""Sums of loads are rounded: a limit lower by this part refuses the previous solution."""

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
    """An instance with both sides of every step."""

    instance: str
    widest: int
    """GPUs of the largest job, n_g."""
    phi: Fraction
    """A counterpart of the paper's u/l."""
    least: Fraction
    """The least largest load of any assignment, or where not `proved`, the least that is known."""
    proved: bool
    run: LimitedRun
    kept: Fraction
    """The makespan of the best run of all limits and thresholds that SJF-BCO tries."""
    best: Fraction
    """The best makespan on record."""


def links_of(entry: Entry) -> Links | None:
    """Measure an instance, or None if the proof does not cover it."""
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
    """Lower the limit until every threshold is refused, then check lower limits once more."""
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
    return _measured(instance, run, again)


def _feasible(instance: MakespanInstance, limit: float) -> tuple[int, TriedPlan] | None:
    """Return a threshold as the number of small jobs, under which a limit admits all jobs."""
    for split in splits(instance, None):
        run = _attempt(instance, split, limit)
        if run.makespan < inf:
            return split, run
    return None


def _attempt(instance: MakespanInstance, split: int, limit: float) -> TriedPlan:
    work, wanted = estimated(instance), np.array([job.gpus for job in instance.jobs])
    jobs = JobList(order_by_gpus(instance, work), work, limit, BY_LOAD, np.empty(0))
    return place(build_model(instance), jobs, split, wanted)


def _measured(instance: MakespanInstance, run: TriedPlan, again: TriedPlan) -> LimitedRun:
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


GROUPS = ("hand", "small", "mobihoc-10", "mobihoc-15", "mobihoc-20", "tight-full", "knot-full")
"""Beginnings of instance names."""


class ArgumentStep(NamedTuple):
    """A step of the proof: one quantity is at most a factor times another."""

    name: str
    says: str
    short: str
    """The loss as a ratio."""
    seen: Callable[[Links], Fraction]
    stated: Callable[[Links], Fraction]
    exact: bool = False
    """True if it is looked at only where the least load of any assignment is known."""

    def of(self, every: Sequence[Links]) -> list[Links]:
        """Return the instances on which it is looked at."""
        return [one for one in every if one.proved or not self.exact]

    def broken(self, every: Sequence[Links]) -> list[str]:
        """Return the instances on which more is lost than it states."""
        return [one.instance for one in self.of(every) if self.seen(one) > self.stated(one)]


STEPS = (
    ArgumentStep(
        "Lemma 2",
        "the largest load is the least feasible limit",
        "W / limit",
        lambda one: one.run.again / one.run.limit,
        lambda _: Fraction(1),
    ),
    ArgumentStep(
        "Lemma 3, as printed",
        "the makespan is at most n_g times the largest load by estimates",
        "T / W",
        lambda one: one.run.makespan / one.run.limit,
        lambda one: Fraction(one.widest),
    ),
    ArgumentStep(
        "Lemma 3, of busy GPUs",
        "the makespan is at most n_g times the most that a GPU is busy",
        "T / busy",
        lambda one: one.run.makespan / one.run.busy,
        lambda one: Fraction(one.widest),
    ),
    ArgumentStep(
        "omission",
        "a GPU is busy for at most u/l times its load",
        "busy / W",
        lambda one: one.run.busy / one.run.limit,
        lambda one: one.phi,
    ),
    ArgumentStep(
        "Lemma 4",
        "the least feasible limit is at most phi u/l times the least of any assignment",
        "limit / least",
        lambda one: one.run.limit / one.least,
        lambda one: one.phi**2,
    ),
    ArgumentStep(
        "(14)-(16)",
        "the least limit of any assignment is at most the best makespan",
        "least / T*",
        lambda one: one.least / one.best,
        lambda _: Fraction(1),
        exact=True,
    ),
    ArgumentStep(
        "Theorem 5",
        "SJF-BCO ends by n_g phi u/l times the best makespan",
        "kept / T*",
        lambda one: one.kept / one.best,
        lambda one: one.widest * one.phi**2,
    ),
)


def report(settings: Settings, _: Answers | None = None) -> Results:
    """Measure the example, the program over whole schedules, and every step of the proof."""
    found = {group: list(_group(group, settings)) for group in settings.some(GROUPS)}
    every = [one for some in found.values() for one in some]
    example = example_table()
    return Results(
        tables={
            "example": example,
            "whole-schedules": wholes_table(tuple(settings.some(TINY))),
            "steps": _steps(every),
            "lost": _lost(found),
        },
        statements=(*example_statements(example), *_statements(every)),
    )


def _group(group: str, settings: Settings) -> Iterator[Links]:
    """Measure the instances of a group: all manual or small ones, else a number of seeds."""
    names = [name for name, entry in entries().items() if entry.kind == "makespan"]
    own = [name for name in names if name.startswith(f"{group}-")]
    if group not in ("hand", "small"):
        own = own[: settings.seeds]
    for name in own if settings.points is None else own[: settings.points]:
        found = links_of(entries()[name])
        if found is not None:
            yield found


def _steps(every: Sequence[Links]) -> Table:
    heads: dict[str, int | None] = {"step": None, "says": None, "stated, median": 2}
    heads |= {"seen, mean": 3, "seen, most": 3, "most of stated": 2, "broken": 0, "of": 0}
    return table_of(
        "Steps of SJF-BCO's proof: stated and measured factors",
        heads,
        (_step_line(step, every) for step in STEPS),
        "Seen: left side / right side without its factor (geometric means). Most of "
        "stated: the largest observed fraction of its factor (1 is all of it). Broken: the "
        "number of instances above 1. Least feasible limits, best makespans and least loads "
        "of many jobs are the best known values.",
    )


def _step_line(step: ArgumentStep, every: Sequence[Links]) -> tuple[Cell, ...]:
    own = step.of(every)
    seen = [float(step.seen(one)) for one in own]
    stated = [float(step.stated(one)) for one in own]
    most = float(max(step.seen(one) / step.stated(one) for one in own))
    means = (median(stated), geometric_mean(seen), max(seen))
    return step.name, step.says, *means, most, len(step.broken(every)), len(own)


def _lost(found: dict[str, list[Links]]) -> Table:
    shown = [step for step in STEPS if step.name != "Lemma 3, as printed"]
    heads: dict[str, int | None] = {"instances": None, "count": 0}
    heads |= dict.fromkeys((step.short for step in shown), 3)
    return table_of(
        "Loss of each step, by instances",
        heads,
        (
            (group, len(some), *(_mean(step, some) for step in shown))
            for group, some in found.items()
            if some
        ),
        "Geometric means. W: the largest load by estimates. Busy: the longest busy time of a "
        "GPU. T: the end of the run with the least feasible limit. T*: the best known "
        "makespan. The first five multiply to T / T*. SJF-BCO keeps the best run of all its "
        "limits.",
    )


def _mean(step: ArgumentStep, some: Sequence[Links]) -> float:
    return geometric_mean(float(step.seen(one)) for one in some)


def _statements(every: Sequence[Links]) -> Iterator[str]:
    """Yield where each step is broken, and the steps that are broken nowhere."""
    for step in STEPS:
        if broken := step.broken(every):
            yield f"{step.name}: broken on {len(broken)} of {len(every)}: {', '.join(broken)}"
    yield f"broken nowhere: {'; '.join(step.name for step in STEPS if not step.broken(every))}"


TINY = (
    "hand-overtake",
    "hand-exclusion",
    "hand-packed-rings",
    "hand-contend",
    "hand-contend-degraded",
    "hand-spread",
    "hand-theorem5",
    "hand-area",
    "small-03x2",
    "small-04x2",
    "small-04x3",
)
"""Instances whose schedules can be listed, up to a slot after the optimum."""

BESIDE = ("load-limit", "columns", "patterns")


def wholes_table(names: tuple[str, ...]) -> Table:
    """Return a line for each instance and horizon."""
    heads: dict[str, int | None] = {"instance": None, "optimum": 0, "horizon": 0, "schedules": 0}
    heads |= {"a row for each": 3, "master": 3, **dict.fromkeys(BESIDE, 3)}
    return table_of(
        "Linear relaxations of the program over whole schedules and of other programs",
        heads,
        (line for name in names for line in _lines(name)),
        "Values of relaxations, which speak of schedules that end by the horizon. Master: a "
        "row for each job. A row for each: for each job and schedule. One row for all has "
        "the optimum.",
        shared=1,
    )


def _lines(name: str) -> Iterator[tuple[Cell, ...]]:
    best = best_known(name)
    for horizon in (best, best + 1):
        ends = [max(one.ends) for one in whole_schedules(named(name), horizon)]
        values = (_value(name, program, horizon) for program in ("master", *BESIDE))
        apart = 1 / fsum(1 / end for end in ends)
        yield name, best, horizon, len(ends), apart, *values


def _value(name: str, program: str, horizon: int) -> float | None:
    matrix = stated_matrix(named(name), find_formulation(program), horizon)
    return solve(relaxed(matrix)).value
