"""Short ways to write coded instances and plans, and their value by brute force."""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, product
from math import inf
from typing import Any

from scipy.integrate import quad

from ringyard.instances import (
    Bimodal,
    CodedInstance,
    CodedPlan,
    MeasuredTimes,
    ParetoTime,
    ShiftedExponential,
    TaskTime,
    validate,
)


def number(value: Any) -> Decimal:
    return Decimal(str(value))


EXPONENTIAL = ShiftedExponential()
PARETO = ParetoTime(least_s=number(2), tail=number(1.5))
BIMODAL = Bimodal(fast_s=number(1), slow_s=number(7), slow=number(0.3))
MEASURED = MeasuredTimes(times_s=tuple(map(number, (3, 1, 1))))
LAWS: tuple[TaskTime, ...] = (EXPONENTIAL, PARETO, BIMODAL, MEASURED)


def work(workers: int, time: TaskTime = EXPONENTIAL, rows: int | None = None) -> CodedInstance:
    made = CodedInstance(name="small", workers=workers, time=time, rows=rows)
    validate(made)
    return made


def plain(parts: int, **more: Any) -> CodedPlan:
    return CodedPlan(instance="small", parts=parts, **more)


def coded(parts: int, workers: int, **more: Any) -> CodedPlan:
    return plain(parts, points=tuple(Decimal(w) - 1 for w in range(workers)), **more)


def rank(rows: list[list[Fraction]]) -> int:
    """Return the rank of a matrix, by elimination."""
    rows, found = [list(row) for row in rows], 0
    for column in range(len(rows[0]) if rows else 0):
        pivot = next((r for r in range(found, len(rows)) if rows[r][column]), None)
        if pivot is None:
            continue
        rows[found], rows[pivot] = rows[pivot], rows[found]
        for r in range(found + 1, len(rows)):
            factor = rows[r][column] / rows[found][column]
            rows[r] = [x - factor * y for x, y in zip(rows[r], rows[found], strict=True)]
        found += 1
    return found


def generator(instance: CodedInstance, plan: CodedPlan) -> list[list[Fraction]]:
    """Return what each worker multiplies, as a row of factors of the parts."""
    k = plan.parts
    if plan.points:
        return [[Fraction(point) ** i for i in range(k)] for point in plan.points]
    return [[Fraction(w % k == i) for i in range(k)] for w in range(instance.workers)]


def enough(instance: CodedInstance, plan: CodedPlan) -> set[frozenset[int]]:
    """Return the sets of workers whose results determine the product."""
    rows, n = generator(instance, plan), instance.workers
    sets = (some for size in range(n + 1) for some in combinations(range(n), size))
    return {frozenset(some) for some in sets if rank([rows[w] for w in some]) == plan.parts}


def brute(instance: CodedInstance, plan: CodedPlan) -> float:
    """Return the expected time from the sets of workers, by enumeration or integration."""
    known, n, share = enough(instance, plan), instance.workers, float(instance.share(plan.parts))
    law = instance.time
    if isinstance(law, Bimodal | MeasuredTimes):
        return share * float(sum(chance * at for chance, at in _outcomes(law, known, n)))

    def missing(late: float) -> float:
        there = sum((1 - late) ** len(done) * late ** (n - len(done)) for done in known)
        return 1 - there

    least = float(law.least_s)
    if isinstance(law, ShiftedExponential):
        more, _ = quad(lambda t: missing(2.718281828459045 ** (-float(law.rate_per_s) * t)), 0, inf)
    else:
        # Over v = (least / t)^tail, so that the tail is no problem.
        power = 1 / float(law.tail)
        more, _ = quad(lambda v: missing(v) * power * least * v ** (-power - 1), 0, 1)
    return share * (least + float(more))


def _outcomes(
    law: TaskTime, known: set[frozenset[int]], n: int
) -> Iterator[tuple[Fraction, Fraction]]:
    if isinstance(law, Bimodal):
        slow = Fraction(law.slow)
        each = [(1 - slow, Fraction(law.fast_s)), (slow, Fraction(law.slow_s))]
    else:
        assert isinstance(law, MeasuredTimes)
        each = [(Fraction(1, len(law.times_s)), Fraction(time)) for time in law.times_s]
    for drawn in product(each, repeat=n):
        chance, times = Fraction(1), [time for _, time in drawn]
        for part, _ in drawn:
            chance *= part
        at = next(
            time
            for time in sorted(times)
            if frozenset(w for w in range(n) if times[w] <= time) in known
        )
        yield chance, at
