"""The rules of a `coded` plan: one function each, its docstring the rule.

A rule yields (where, amount) for every breach.
"""

from dataclasses import dataclass
from fractions import Fraction

from ....instances.coded.instance import CodedInstance, CodedPlan
from ..judge import ONE, Breaches, Rule, instance_digest, misclaimed, repeated


@dataclass(frozen=True, slots=True, kw_only=True)
class CodedCase:
    """All that the rules look at: instance, plan, and what it comes to if it is a code."""

    instance: CodedInstance
    schedule: CodedPlan
    expected: Fraction | None = None


def parts(case: CodedCase) -> Breaches:
    """There are no more parts than workers."""
    over = case.schedule.parts - case.instance.workers
    if over > 0:
        yield "parts", Fraction(over)


def points(case: CodedCase) -> Breaches:
    """If there are points, each worker has one of his own."""
    given, workers = case.schedule.points, case.instance.workers
    if given and len(given) != workers:
        yield "points", Fraction(abs(len(given) - workers))
    yield from repeated((f"points[{w}]", point) for w, point in enumerate(given))


def finite(case: CodedCase) -> Breaches:
    """The expected time is finite."""
    if is_code(case) and case.expected is None:
        yield "parts", ONE


def claims(case: CodedCase) -> Breaches:
    """A claimed expected time is that of the plan."""
    yield from misclaimed("expected_s", case.schedule.expected_s, case.expected)


def is_code(case: CodedCase) -> bool:
    """Say whether the product can be computed as the plan says."""
    return not any(True for rule in (parts, points) for _ in rule(case))


ALL: tuple[Rule, ...] = (instance_digest, parts, points, finite, claims)
"""Every rule, in the order in which violations are reported."""

RULES: dict[str, str] = {rule.__name__: str(rule.__doc__) for rule in ALL}
"""What each rule says, by its name."""
