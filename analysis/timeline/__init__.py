"""Schedules over time as data, with a file for each family: holdings of jobs by time.

A timeline has two readers: the chart (`gantt/`) lays it out, and the page of a campaign (`report/`)
writes its `lives` as JSON. Lives describe the jobs of every family in the same terms. A bar is a
holding of a job on a machine over time, and a span is a period of constant rate.
"""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from ...instances.errors import plural
from ..drawing.shapes import number

Moment = Fraction | int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """`units` of a machine or its substitute, described by `what`, with no end if endless."""

    machine: int
    start: Moment
    end: Moment | None
    units: int
    what: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateSpan:
    """A stretch of time with a rate, where `lost` is the share of bandwidth lost to contention."""

    start: Moment
    end: Moment
    rate: float
    contention: str
    lost: float = 0.0


def run_spans(start: int, works: int, stop: int, rate: float, where: str) -> Iterator[RateSpan]:
    """Yield the restart of a run, if there is one, and its working time."""
    if works > start:
        yield RateSpan(start=start, end=works, rate=0, contention="restarts")
    if stop > works:
        yield RateSpan(start=works, end=stop, rate=rate, contention=where)


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """A job with bars and time-ordered spans. Without an end, it never completes."""

    name: str
    about: str
    start: Moment
    end: Moment | None
    bars: tuple[Bar, ...]
    spans: tuple[RateSpan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lives:
    """Machines by name with their numbers of lanes (0 if not a single number), and jobs.

    Moments are multiples of `tick`, in the unit. `line` is the objective if it is a moment, and
    `bound` the proved bound on it.
    """

    machines: tuple[tuple[str, int], ...]
    jobs: tuple[Life, ...]
    unit: str
    rate: str
    tick: Moment = 1
    line: Moment | None = None
    bound: Moment | None = None
    size: str = ""
    """Amount shown, in words."""


@dataclass(frozen=True)
class Timeline:
    """A judged schedule of an instance over time, and a proved bound on its objective."""

    instance: Any
    schedule: Any
    verdict: Any
    bound: Fraction | None = None

    marks: Mapping[str, str] = field(default_factory=dict)
    """A label for each job, by name. Jobs of one label have one colour."""
    until: Moment = 0
    """A moment up to which the chart is drawn at least."""

    maximize: ClassVar[bool] = False
    """True if the objective is maximized."""
    clock: ClassVar[str] = ""
    """The unit of the value, if that is not slots."""
    ending: ClassVar[str] = "end"

    @property
    def objective(self) -> str:
        """The name of the value."""
        return "mean completion time"

    @property
    def value(self) -> Fraction | None:
        """The value of the objective, if it has one."""
        found: Fraction | None = self.verdict.objective
        return found

    @cached_property
    def broken_rules(self) -> tuple[tuple[str, int], ...]:
        """The violations by rule."""
        return tuple(Counter(one.rule for one in self.verdict.violations).most_common())

    @property
    def gap(self) -> float | None:
        """Distance between value and bound, relative to the nominally larger of the two."""
        if self.broken_rules or self.bound is None or self.value is None:
            return None
        low, high = (self.value, self.bound) if self.maximize else (self.bound, self.value)
        return float((high - low) / high) if high else None

    @property
    def time(self) -> str:
        """The unit of time for slots."""
        seconds = f"{Decimal(getattr(self.instance, 'slot_s', 1)).normalize():f}"
        return "slots" if seconds == "1" else f"slots of {seconds} s"

    @property
    def ended(self) -> int:
        """Number of jobs that complete."""
        return len(self.verdict.ends)

    @property
    def result_text(self) -> str:
        """Return the value, or how many jobs complete at all."""
        if self.value is not None:
            return f"{self.objective} {self.value_text(self.value)}"
        return f"{self.ended:,} of {plural(len(self.instance.jobs), 'job')} {self.ending}"

    def value_text(self, value: Fraction) -> str:
        """Write a value of the objective."""
        return f"{number(value)} {self.clock}".rstrip()

    def lives(self) -> Lives:
        """Return the lives of jobs in terms common to all families, for valid schedules."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding(Bar):
    """A bar in ticks. `spread` is true if the job is on several machines."""

    start: int
    end: int
    spread: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class JobHolder:
    """A job, by its place in the instance, when it arrives, and all that it holds."""

    number: int
    job: Any
    arrival: int
    holds: tuple[Holding, ...]

    @property
    def name(self) -> str:
        """The name of the job."""
        found: str = self.job.name
        return found


class Holdings(Timeline):
    """Jobs that hold parts of machines, up to a tick that is the `horizon`."""

    @property
    @abstractmethod
    def unit(self) -> int:
        """Units per GPU, or per unit of the resource, for machines."""

    @property
    @abstractmethod
    def machines(self) -> tuple[tuple[str, int], ...]:
        """The names of the machines, and their sizes in units."""

    def kind(self, machine: int) -> str | None:
        """Return the kind of a machine, if kinds are distinguished."""
        del machine
        return None

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of each machine."""
        return {name: i for i, (name, _) in enumerate(self.machines)}

    @property
    @abstractmethod
    def jobs(self) -> tuple[JobHolder, ...]:
        """All jobs of the instance."""

    @property
    @abstractmethod
    def horizon(self) -> int:
        """The last tick to draw."""
