"""The parts that all judges share: `check`, verdicts, GPUs over time, ticks, rules about runs."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, Generic, TypeVar

from ...families.registry import family_of
from ...instances.arguments import refuse_pair
from ...instances.errors import InputError, Problem
from ...instances.reading.encode import digest, fraction_text
from ...instances.reading.files import validate
from ...instances.reading.vocabulary import AnySchedule, Instance, Short


def check(instance: Instance, schedule: AnySchedule) -> Any:
    """Check a schedule against its instance, recomputing everything from the raw data.

    Returns the verdict of the family's judge.

    Raises:
        InputError: If the schedule is invalid or of another family, or if the instance was changed
            into an instance that no file can hold.
    """
    refuse_pair("ringyard.check", instance, schedule)
    validate(instance)
    family = family_of(instance)
    if isinstance(schedule, family.schedule):
        return family.judge(instance, schedule)
    expected = f"the schedule of {instance.kind!r} instances: {instance.kind}-schedule"
    problem = Problem("kind", schedule.kind, expected, "name another file")
    raise InputError(schedule.instance, [problem])


Number = Decimal | Fraction | int
Breaches = Iterator[tuple[str, Fraction]]
Rule = Callable[[Any], Breaches]
"""A function with the rule as its docstring that yields place and amount of every breach."""

ONE = Fraction(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One breach of one rule, with the excess `amount` above 0."""

    rule: str
    where: str
    amount: Fraction


def instance_digest(case: Any) -> Breaches:
    """A digest in the schedule is the digest of the instance."""
    claimed = case.schedule.digest
    if claimed and claimed != digest(case.instance):
        yield "digest", ONE


def repeated(entries: Iterable[tuple[str, Hashable]]) -> Breaches:
    """Yield every place, of places and names, whose name stood before."""
    seen: set[Hashable] = set()
    for where, name in entries:
        if name in seen:
            yield where, ONE
        seen.add(name)


def misclaimed(where: str, claimed: Number | None, value: Number | None) -> Breaches:
    """Yield the place of a claim that differs from a known value."""
    if claimed is not None and value is not None and Fraction(claimed) != value:
        yield where, abs(Fraction(claimed) - Fraction(value))


class Rules(dict[str, str]):
    """The rules of a judge: the text of each by name, which is its docstring."""

    def __init__(self, *rules: Rule) -> None:
        """Store the rules in the order of reported violations."""
        super().__init__({rule.__name__: str(rule.__doc__) for rule in rules})
        self._rules = rules

    def violations(self, case: Any) -> tuple[Violation, ...]:
        """Return every breach of the rules, with its place and amount."""
        return tuple(
            Violation(rule=rule.__name__, where=where, amount=amount)
            for rule in self._rules
            for where, amount in rule(case)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyVerdict(Short):
    """The verdict of any family: every violation, and the value of the objective."""

    violations: tuple[Violation, ...]

    @property
    def valid(self) -> bool:
        """True if no rule is broken."""
        return not self.violations

    @property
    def objective(self) -> Fraction | None:
        """The value of the objective, if it has one."""
        raise NotImplementedError

    def brief(self) -> str:
        """Return a line: whether the schedule is valid, and its objective."""
        broken = sorted({one.rule for one in self.violations})
        count, value = len(self.violations), self.objective
        many = f"{count} violation" + "s" * (count > 1)
        text = "valid" if self.valid else f"{many} of {', '.join(broken)}"
        return text if value is None else f"{text}, objective {fraction_text(value)}"


T = TypeVar("T", int, Fraction)
"""A moment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excess(Generic[T]):
    """A longest stretch of time with too many GPUs in use. `end` is None if it never ends."""

    start: T
    end: T | None
    gpus: int


def excesses(steps: Mapping[T, int], gpus: int) -> Iterator[Excess[T]]:
    """Yield the longest stretches with more than `gpus` in use, with their maximum excess."""
    used, worst = 0, 0
    begun: T | None = None
    for moment in sorted(steps):
        used += steps[moment]
        if used > gpus:
            begun = moment if begun is None else begun
            worst = max(worst, used - gpus)
        elif begun is not None:
            yield Excess(start=begun, end=moment, gpus=worst)
            begun, worst = None, 0
    if begun is not None:
        yield Excess(start=begun, end=None, gpus=worst)


def moment_text(moment: Fraction) -> str:
    """Write a moment exactly if that is short, else rounded to a millionth of a slot."""
    # Under continuous progress a denominator can have thousands of digits.
    return str(moment) if moment.denominator < 10**6 else f"about {float(moment):.6f}"


class Ticks:
    """Ticks of one length as integers, for schedules with many times."""

    def __init__(self, tick_s: Decimal) -> None:
        """Store the length of a tick."""
        self.seconds = Fraction(tick_s)
        self._above, self._below = tick_s.as_integer_ratio()

    def split(self, seconds: Decimal) -> tuple[int, int]:
        """Return the last tick that is not later, then 0 if it is that moment, else more."""
        above, below = seconds.as_integer_ratio()
        return divmod(above * self._below, below * self._above)

    def at(self, seconds: Decimal) -> int:
        """Return the first tick that is not earlier."""
        tick, beyond = self.split(seconds)
        return tick + (beyond > 0)

    def text(self, tick: int) -> str:
        """Write a tick in seconds."""
        moment = tick * self.seconds
        return str(moment) if moment.denominator == 1 else f"{float(moment):.15g}"


@dataclass(slots=True, kw_only=True)
class JobLife:
    """A job whose runs happened in ticks: place of its entry, holdings, and end.

    `overlaps` are its runs that start before the previous run stops, with the ticks. `idle` runs
    start when no work is left.
    """

    job: Any
    entry: int
    held: list[Any] = field(default_factory=list)
    end: int | None = None
    overlaps: list[tuple[int, int]] = field(default_factory=list)
    idle: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsCase:
    """The data of all rules: instance, schedule, and the result of its valid runs."""

    instance: Any
    schedule: Any
    jobs: Mapping[str, Any]
    ticks: Ticks
    lives: Sequence[Any]
    """A `JobLife` for each first entry of a known job, with additions of the family."""
    ends: Mapping[str, Fraction]
    mean_jct: Fraction | None

    def entries(self) -> Iterator[tuple[int, Any]]:
        """Yield every entry of a known job: its place and the job."""
        for i, entry in enumerate(self.schedule.jobs):
            if entry.job in self.jobs:
                yield i, self.jobs[entry.job]

    def runs(self) -> Iterator[tuple[int, int, Any, Any]]:
        """Yield every run of a known job: place of its entry, its place, run and job."""
        for i, job in self.entries():
            for k, run in enumerate(self.schedule.jobs[i].runs):
                yield i, k, run, job

    def place(self, entry: int, run: int | None = None) -> str:
        """Return the place of an entry or a run as text."""
        where = f"jobs[{entry}], job {self.schedule.jobs[entry].job}"
        return where if run is None else f"{where}, runs[{run}]"


def off_ticks(case: RunsCase, where: str, stretch: Any) -> Breaches:
    """Yield the start or stop of a stretch that is no whole tick."""
    for name, moment in (("start", stretch.start_s), ("stop", stretch.stop_s)):
        if moment is not None and case.ticks.split(moment)[1]:
            yield f"{where}, {name}", Fraction(moment) % case.ticks.seconds


def backward(case: RunsCase, where: str, stretch: Any) -> Breaches:
    """Yield the place of a stretch that does not stop after its start."""
    if stretch.stop_s is not None and stretch.stop_s <= stretch.start_s:
        yield where, Fraction(stretch.start_s) - Fraction(stretch.stop_s) + case.ticks.seconds


def entered_once(case: RunsCase) -> Breaches:
    """Yield further entries of a job, and jobs without one."""
    yield from repeated((case.place(i), job.name) for i, job in case.entries())
    named = {entry.job for entry in case.schedule.jobs}
    yield from ((f"job {job.name}", ONE) for job in case.instance.jobs if job.name not in named)


def in_order(case: RunsCase) -> Breaches:
    """Yield runs that stop too early or start too early."""
    for i, k, run, _ in case.runs():
        yield from backward(case, case.place(i, k), run)
    for life in case.lives:
        for early, overlap in life.overlaps:
            yield case.place(life.entry, early), overlap * case.ticks.seconds


def arrival(case: RunsCase) -> Breaches:
    """No job runs before it arrives."""
    for i, k, run, job in case.runs():
        if run.start_s < job.arrival_s:
            yield case.place(i, k), Fraction(job.arrival_s) - Fraction(run.start_s)


def after_end(case: RunsCase) -> Breaches:
    """No run starts when its job has no work left."""
    for life in case.lives:
        for run in life.idle:
            yield case.place(life.entry, run), ONE


def claimed_ends(case: RunsCase) -> Breaches:
    """Yield ends that are claimed and differ."""
    for life in case.lives:
        claimed = case.schedule.jobs[life.entry].end_s
        yield from misclaimed(case.place(life.entry), claimed, case.ends.get(life.job.name))
