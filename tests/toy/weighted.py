"""A problem family of its own: one machine, least weighted sum of completion times."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from math import inf
from random import Random
from types import SimpleNamespace
from typing import Annotated, Any, Literal

from ringyard.analysis.check import AnyVerdict
from ringyard.analysis.check.judge import Rules, instance_digest
from ringyard.cli.shared.output import table
from ringyard.families import Family, Method, register
from ringyard.instances import (
    AnySchedule,
    Bound,
    BoundKind,
    Instance,
    Outcome,
    SolutionStatus,
    TerminationReason,
    digest,
)
from ringyard.instances.reading.vocabulary import Count, Label, Mix, NonEmpty, Positive, repeats


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job that holds the machine for some time."""

    name: Annotated[Label, "unique name"]
    time_s: Annotated[Positive, "how long it takes"]
    weight: Annotated[Positive, "what a second until its end costs"] = Decimal(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedInstance(Instance):
    """Jobs that are all there at the start, for one machine."""

    kind: Annotated[Literal["weighted"], "the problem family"] = "weighted"
    jobs: Annotated[tuple[Job, ...], NonEmpty(), "the jobs"]

    def problems(self) -> Iterator[Any]:
        yield from repeats("jobs", [job.name for job in self.jobs])


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedSchedule(AnySchedule):
    """The order of the jobs, which follow each other without a pause."""

    kind: Annotated[Literal["weighted-schedule"], "what this file is"] = "weighted-schedule"
    order: Annotated[tuple[Label, ...], "names of the jobs, the first one first"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedMix(Mix):
    """Options of the generator."""

    jobs: Annotated[Count, "number of jobs"] = 6

    def build(self, seed: int, name: str) -> WeightedInstance:
        rng = Random(seed)
        drawn = [[Decimal(1 + int(9 * rng.random())) for _ in range(2)] for _ in range(self.jobs)]
        jobs = (Job(name=f"j{i}", time_s=t, weight=w) for i, (t, w) in enumerate(drawn))
        return WeightedInstance(name=name, jobs=tuple(jobs))


def every_job_once(case: Any) -> Iterator[tuple[str, Fraction]]:
    """Every job of the instance, and no other, is in the order once."""
    known = [job.name for job in case.instance.jobs]
    for name in sorted({*known, *case.schedule.order}):
        apart = abs(case.schedule.order.count(name) - known.count(name))
        if apart:
            yield f"order: {name}", Fraction(apart)


RULES = Rules(instance_digest, every_job_once)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedVerdict(AnyVerdict):
    """What is wrong, when jobs end, and what that costs."""

    ends: dict[str, Fraction]
    cost: Fraction

    @property
    def objective(self) -> Fraction:
        return self.cost


def judge(instance: WeightedInstance, schedule: WeightedSchedule) -> WeightedVerdict:
    jobs, now = {job.name: job for job in instance.jobs}, Fraction(0)
    ends, cost = dict[str, Fraction](), Fraction(0)
    for job in [jobs[name] for name in schedule.order if name in jobs]:
        now += Fraction(job.time_s)
        ends[job.name], cost = now, cost + Fraction(job.weight) * now
    broken = RULES.violations(SimpleNamespace(instance=instance, schedule=schedule))
    return WeightedVerdict(violations=broken, ends=ends, cost=cost)


def bounds(instance: WeightedInstance, *_: Any) -> list[Bound]:
    value = sum((Fraction(job.weight) * Fraction(job.time_s) for job in instance.jobs), Fraction(0))
    text = "no job ends before its own time is over"
    return [Bound(value=value, kind=BoundKind.COMBINATORIAL, name="each alone", argument=text)]


def in_order(instance: WeightedInstance, method: str, jobs: Iterable[Job]) -> Outcome:
    order, known = tuple(job.name for job in jobs), digest(instance)
    made = WeightedSchedule(instance=instance.name, digest=known, method=method, order=order)
    return Outcome(
        schedule=made, termination=TerminationReason.DONE, status=SolutionStatus.FEASIBLE
    )


def as_given(instance: WeightedInstance, *_: Any) -> Outcome:
    return in_order(instance, "as-given", instance.jobs)


def smith(instance: WeightedInstance, *_: Any) -> Outcome:
    ranked = sorted(instance.jobs, key=lambda job: Fraction(job.time_s) / Fraction(job.weight))
    found, why = in_order(instance, "smith", ranked), "no two neighbours are better the other way"
    value = judge(instance, found.schedule).cost
    bound = Bound(value=value, kind=BoundKind.COMBINATORIAL, name="Smith's rule", argument=why)
    return replace(found, status=SolutionStatus.OPTIMAL, value=value, bound=bound)


METHODS = (
    ("smith", "the shortest for its weight first", "Smith 1956", "optimal", smith),
    ("as-given", "in the order of the file", "folklore", "none", as_given),
)
HEADS = ["job", "seconds", "weight"]
WEIGHTED = Family(
    kind="weighted",
    about="jobs for one machine, each with a weight",
    objective="cost",
    instance=WeightedInstance,
    schedule=WeightedSchedule,
    presets={"weighted": ("times and weights from 1 to 9", WeightedMix())},
    judge=judge,
    rules=RULES,
    bounds=bounds,
    methods=tuple(
        Method(
            name=name, about=about, source=source, guarantee=proves, module=SimpleNamespace(run=run)
        )
        for name, about, source, proves, run in METHODS
    ),
    default="smith",
    shown=lambda one, most: table(HEADS, [[j.name, j.time_s, j.weight] for j in one.jobs[:most]]),
    times=lambda one, verdict: [float(verdict.ends.get(job.name, inf)) for job in one.jobs],
)
register(WEIGHTED)
