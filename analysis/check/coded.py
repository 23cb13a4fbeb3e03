"""The judge of `coded` plans: the rules, and the expected time as a fraction.

Let S be the probability that one worker is not done with its task at some moment. Workers are
independent and identical. The probability that the product is unknown then is a polynomial in S
without a constant term. S^m belongs to the first of m workers. The expected time is therefore the
least time plus each coefficient times the excess over the least time of the first of m workers.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import comb

from ...instances.coded import (
    Bimodal,
    CodedInstance,
    CodedPlan,
    MeasuredTimes,
    ParetoTime,
    ShiftedExponential,
    TaskTime,
)
from .judge import ONE, AnyVerdict, Breaches, Rules, instance_digest, misclaimed, repeated


@dataclass(frozen=True, slots=True, kw_only=True)
class CodedCase:
    """The data of all rules: instance, plan, and expected time if it is a code."""

    instance: CodedInstance
    schedule: CodedPlan
    expected: Fraction | None = None


def parts(case: CodedCase) -> Breaches:
    """There are no more parts than workers."""
    over = case.schedule.parts - case.instance.workers
    if over > 0:
        yield "parts", Fraction(over)


def points(case: CodedCase) -> Breaches:
    """If there are points, each worker has a distinct one."""
    given, workers = case.schedule.points, case.instance.workers
    if given and len(given) != workers:
        yield "points", Fraction(abs(len(given) - workers))
    yield from repeated((f"points[{w}]", point) for w, point in enumerate(given))


def finite(case: CodedCase) -> Breaches:
    """The expected time is finite."""
    if is_code(case) and case.expected is None:
        yield "parts", ONE


def claims(case: CodedCase) -> Breaches:
    """A claimed expected time equals the expected time of the plan."""
    yield from misclaimed("expected_s", case.schedule.expected_s, case.expected)


def is_code(case: CodedCase) -> bool:
    """Return True if the workers' results suffice to compute the product."""
    return not any(True for rule in (parts, points) for _ in rule(case))


RULES = Rules(instance_digest, parts, points, finite, claims)

Ratio = tuple[int, int]
"""Numerator and denominator, not reduced: reducing thousands of long sums takes too long."""


def expected_time(instance: CodedInstance, plan: CodedPlan) -> Fraction | None:
    """Return the expected time of a plan that is a code, None if it is infinite."""
    n, k = instance.workers, plan.parts
    missing = dict(any_of(n, k) if plan.points else each_of(n, k))
    law = instance.time
    if isinstance(law, ParetoTime) and min(missing) * Fraction(law.tail) <= 1:
        return None
    return instance.share(k) * _mean(law, missing)


def any_of(n: int, k: int) -> Iterator[tuple[int, int]]:
    """Yield powers and coefficients of the chance that fewer than k of n workers are done."""
    value = comb(n, k - 1)
    for m in range(n - k + 1, n + 1):
        yield m, value
        value = -value * m * (n - m) // ((m + k - n) * (m + 1))


def each_of(n: int, k: int) -> Iterator[tuple[int, int]]:
    """Yield the coefficients for a missing part among k, with n workers in turn.

    There are `more` parts with r + 1 workers and `rest` with r. All parts are present with
    probability Q = (1 - S^(r+1))^more (1 - S^r)^rest. Because (1 - S^r) (1 - S^(r+1)) Q' is a short
    polynomial times Q, each coefficient of Q follows from three before it.
    """
    r, more = divmod(n, k)
    rest = k - more
    q = [1] + [0] * n
    for m in range(r, n + 1):
        total = (m - r - rest * r) * q[m - r]
        if m > r:
            total += (m - r - 1 - more * (r + 1)) * q[m - r - 1]
        if m > 2 * r:
            total += (n - m + 2 * r + 1) * q[m - 2 * r - 1]
        q[m] = total // m
        if q[m]:
            yield m, -q[m]


def _mean(law: TaskTime, missing: dict[int, int]) -> Fraction:
    if isinstance(law, ShiftedExponential):
        above, below = law.rate_per_s.as_integer_ratio()
        beyond = [(value * below, above * m) for m, value in missing.items()]
        return Fraction(law.least_s) + Fraction(*_sum(beyond))
    if isinstance(law, ParetoTime):
        above, below = law.tail.as_integer_ratio()
        beyond = [(value * below, above * m - below) for m, value in missing.items()]
        return Fraction(law.least_s) * (1 + Fraction(*_sum(beyond)))
    return _of_steps(*_steps(law), missing)


def _steps(law: Bimodal | MeasuredTimes) -> tuple[list[Decimal], list[Ratio]]:
    """Return the values in order, and the chance of more than each, but for the last."""
    if isinstance(law, Bimodal):
        return [law.fast_s, law.slow_s], [law.slow.as_integer_ratio()]
    values, count = sorted(law.times_s), len(law.times_s)
    return values, [(count - j, count) for j in range(1, count)]


def _of_steps(values: list[Decimal], longer: list[Ratio], missing: dict[int, int]) -> Fraction:
    total = Fraction(values[0])
    for (low, high), chance in zip(pairwise(values), longer, strict=True):
        if low < high:
            total += (Fraction(high) - Fraction(low)) * Fraction(*_at(missing, *chance))
    return total


def _at(missing: dict[int, int], above: int, below: int) -> Ratio:
    """Return the polynomial at a fraction, half by half: long numbers meet only at the end."""
    low, top = min(missing), max(missing)

    def part(first: int, last: int) -> int:
        """Return the terms from one power to another, divided by the lowest, times `below`s."""
        if first == last:
            return missing.get(first, 0)
        middle = (first + last) // 2
        more: int = part(first, middle) * below ** (last - middle)
        less: int = part(middle + 1, last) * above ** (middle + 1 - first)
        return more + less

    return part(low, top) * above**low, below**top


def _sum(terms: list[Ratio]) -> Ratio:
    if len(terms) == 1:
        return terms[0]
    half = len(terms) // 2
    (a, b), (c, d) = _sum(terms[:half]), _sum(terms[half:])
    return a * d + c * b, b * d


@dataclass(frozen=True, slots=True, kw_only=True)
class CodedVerdict(AnyVerdict):
    """Every violation, and the expected time to the product."""

    expected: Fraction | None
    """None if it is infinite, or the plan is no code: too many parts, or wrong points."""

    @property
    def objective(self) -> Fraction | None:
        """The expected time."""
        return self.expected


def check_coded(instance: CodedInstance, plan: CodedPlan) -> CodedVerdict:
    """Check a plan against its instance, recomputing everything from the raw data."""
    case = CodedCase(instance=instance, schedule=plan)
    if is_code(case):
        case = replace(case, expected=expected_time(instance, plan))
    return CodedVerdict(violations=RULES.violations(case), expected=case.expected)
