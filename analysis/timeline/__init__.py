"""Schedules over time as data, a file for each family: who holds what from when to when.

One timeline is read by two: the chart (`gantt/`) lays it out, and the page of a campaign
(`report/`) writes its `lives` as JSON. Lives say what jobs do in the same terms for every family:
what a job has of a machine from one moment to another is a bar; a span is a stretch of its life in
which its rate does not change.
"""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from ...instances.errors import plural
from ..drawing.shapes import number

Moment = Fraction | int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """`units` of a machine, or of what stands for one, in words `what`; no end is for ever."""

    machine: int
    start: Moment
    end: Moment | None
    units: int
    what: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateSpan:
    """A stretch of time with a rate; `lost` is the part of its bandwidth that others take."""

    start: Moment
    end: Moment
    rate: float
    contention: str
    lost: float = 0.0


def run_spans(start: int, works: int, stop: int, rate: float, where: str) -> Iterator[RateSpan]:
    """Yield the time in which a run restarts, if there is any, and that in which it works."""
    if works > start:
        yield RateSpan(start=start, end=works, rate=0, contention="restarts")
    if stop > works:
        yield RateSpan(start=works, end=stop, rate=rate, contention=where)


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """A job that works, with bars, and spans in order of time; without an end it never ends."""

    name: str
    about: str
    start: Moment
    end: Moment | None
    bars: tuple[Bar, ...]
    spans: tuple[RateSpan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lives:
    """Machines by name, with the lanes they have (0 if that is not one number), and who is there.

    Moments are multiples of `tick`, in the unit. `line` is the value of the objective where that
    is a moment, `bound` the proved bound on it.
    """

    machines: tuple[tuple[str, int], ...]
    jobs: tuple[Life, ...]
    unit: str
    rate: str
    tick: Moment = 1
    line: Moment | None = None
    bound: Moment | None = None
    size: str = ""
    """How much is shown, in words."""


@dataclass(frozen=True)
class Timeline:
    """A judged schedule of an instance over time, and a proved bound on its objective."""

    instance: Any
    schedule: Any
    verdict: Any
    bound: Fraction | None = None

    maximize: ClassVar[bool] = False
    """True if the objective is to be large."""
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
        """How far value and bound are apart, as a part of what should be the larger of both."""
        if self.broken_rules or self.bound is None or self.value is None:
            return None
        low, high = (self.value, self.bound) if self.maximize else (self.bound, self.value)
        return float((high - low) / high) if high else None

    @property
    def time(self) -> str:
        """The unit of time, where that is slots."""
        seconds = f"{Decimal(getattr(self.instance, 'slot_s', 1)).normalize():f}"
        return "slots" if seconds == "1" else f"slots of {seconds} s"

    @property
    def ended(self) -> int:
        """Count the jobs that complete."""
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
        """Return what jobs do in the terms that all families share, for valid schedules."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding(Bar):
    """A bar in ticks; `spread` says that the job is on other machines too."""

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
        """Units per GPU, or per unit of the resource, in which machines are measured."""

    @property
    @abstractmethod
    def machines(self) -> tuple[tuple[str, int], ...]:
        """The names of the machines, and their sizes in units."""

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
