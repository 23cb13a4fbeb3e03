"""The judge of all families: where a schedule goes, a rule that all share, what is handed back."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...families import family_of
from ...instances.errors import InputError, Problem
from ...instances.reading.encode import digest
from ...instances.reading.files import AnySchedule, Instance


def instance_digest(case: Any) -> Iterator[tuple[str, Fraction]]:
    """A digest in the schedule is that of the instance."""
    claimed = case.schedule.digest
    if claimed and claimed != digest(case.instance):
        yield "digest", Fraction(1)


def check(instance: Instance, schedule: AnySchedule) -> Any:
    """Check a schedule against its instance, recomputing everything from the raw data.

    Returns the verdict of the family's own judge.

    Raises:
        InputError: If the schedule answers another family's instances.
    """
    family = family_of(instance)
    if isinstance(schedule, family.schedule):
        return family.judge(instance, schedule)
    expected = f"the schedule of {instance.kind!r} instances: {instance.kind}-schedule"
    problem = Problem("kind", schedule.kind, expected, "name another file")
    raise InputError(schedule.instance, [problem])


Rule = Callable[[Any], Iterator[tuple[str, Fraction]]]
"""Yields where it is broken, and by how much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One breach of one rule; `amount` is above 0 and says by how much."""

    rule: str
    where: str
    amount: Fraction


def violations_of(case: Any, rules: Iterable[Rule]) -> tuple[Violation, ...]:
    """Return every breach of the rules, which yield where it is and its amount."""
    return tuple(
        Violation(rule=rule.__name__, where=where, amount=amount)
        for rule in rules
        for where, amount in rule(case)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyVerdict:
    """What the verdicts of all families say: every violation, and the value of the objective."""

    violations: tuple[Violation, ...]

    @property
    def valid(self) -> bool:
        """Say whether no rule is broken."""
        return not self.violations

    @property
    def objective(self) -> Fraction | None:
        """The value of the objective, if it can be said."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A stretch of a job's life with constant contention.

    `slowdown` is b^e / B: 1 for a ring alone on its links, and for a job inside one server.
    The spans of a job that completes tile [its start, its end) in order.
    """

    job: str
    start: Fraction
    end: Fraction
    slowdown: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict(AnyVerdict):
    """Every violation, and what the schedule costs as far as that can be said.

    Times are slots from 0. `ends` holds the jobs that complete. `makespan` is the latest end
    and `mean_completion` the mean end (releases are not subtracted); both are None unless
    every job of the instance completes.
    """

    ends: Mapping[str, Fraction]
    makespan: Fraction | None
    mean_completion: Fraction | None
    spans: tuple[Span, ...]

    @property
    def objective(self) -> Fraction | None:
        """The makespan."""
        return self.makespan
