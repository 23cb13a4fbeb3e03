"""The rules of `coded`, against all outcomes of a few workers, one by one."""

from decimal import Decimal
from fractions import Fraction
from itertools import product

import pytest

from ringyard.analysis.check.certificates.coded import RULES
from ringyard.analysis.check.certificates.reading import ProofStep, StepError
from ringyard.instances import (
    Bimodal,
    CodedInstance,
    MeasuredTimes,
    ParetoTime,
    ShiftedExponential,
)
from ringyard.search.coded import combinatorial_bounds

MEASURED = {1: Fraction(1, 5), 2: Fraction(2, 5), 5: Fraction(1, 5), 7: Fraction(1, 5)}
LAWS = [
    (Bimodal(slow=Decimal("0.3")), {1: Fraction(7, 10), 10: Fraction(3, 10)}),
    (Bimodal(slow=Decimal(1)), {10: Fraction(1)}),
    (Bimodal(slow=Decimal(0)), {1: Fraction(1)}),
    (MeasuredTimes(times_s=tuple(map(Decimal, (7, 2, 2, 1, 5)))), MEASURED),
]


def follows(rule: str, instance: CodedInstance) -> Fraction:
    """Return what a rule says of an instance."""
    return RULES[rule](instance, ProofStep(line=2, rule=rule, values={}))


@pytest.mark.parametrize(("law", "chances"), LAWS)
@pytest.mark.parametrize("rows", [None, 3, 4])
def test_it_is_the_least_mean_over_all_outcomes(
    law: Bimodal | MeasuredTimes, chances: dict[int, Fraction], rows: int | None
) -> None:
    n = 4
    instance = CodedInstance(name="few", workers=n, time=law, rows=rows)
    means = [Fraction(0)] * n
    for outcome in product(chances.items(), repeat=n):
        chance = Fraction(1)
        for _, one in outcome:
            chance *= one
        for k, time in enumerate(sorted(time for time, _ in outcome)):
            means[k] += chance * time
    shares = [
        Fraction(1, k) if rows is None else Fraction(-(-rows // k), rows) for k in (1, 2, 3, 4)
    ]
    least = min(share * mean for share, mean in zip(shares, means, strict=True))
    assert follows("as many workers as parts", instance) == least
    assert follows("first worker", instance) == shares[-1] * means[0]


def test_of_a_heavy_tail_only_finite_means_count() -> None:
    # The second of three is the last whose mean is finite: the third has 1 * 0.6 <= 1.
    instance = CodedInstance(name="heavy", workers=3, time=ParetoTime(tail=Decimal("0.6")))
    first = Fraction(3) * Fraction("0.6") / (3 * Fraction("0.6") - 1)
    second = first * 2 * Fraction("0.6") / (2 * Fraction("0.6") - 1)
    assert follows("as many workers as parts", instance) == min(first, second / 2)


@pytest.mark.parametrize(("rate", "least"), [("0.3", "0.7"), ("2.5", "0"), ("4", "0.01")])
def test_workers_left_wait_for_the_next_at_all_their_rates(rate: str, least: str) -> None:
    n, law = 5, ShiftedExponential(rate_per_s=Decimal(rate), least_s=Decimal(least))
    instance = CodedInstance(name="few", workers=n, time=law)
    means, time = [], Fraction(least)
    for left in range(n, 0, -1):
        time += 1 / (left * Fraction(rate))
        means.append(time)
    follow = follows("as many workers as parts", instance), follows("first worker", instance)
    assert follow == (min(mean / k for k, mean in enumerate(means, 1)), means[0] / n)


def test_at_the_edge_of_a_heavy_tail_no_mean_is_finite() -> None:
    # Of two, 2 * 0.5 <= 1; of three, the first has 3 * 0.5 > 1.
    instance = CodedInstance(name="heavy", workers=2, time=ParetoTime(tail=Decimal("0.5")))
    with pytest.raises(StepError):
        follows("first worker", instance)
    instance = CodedInstance(name="heavy", workers=3, time=ParetoTime(tail=Decimal("0.5")))
    assert follows("as many workers as parts", instance) == 3


def test_where_no_mean_is_finite_nothing_follows() -> None:
    instance = CodedInstance(name="heavy", workers=3, time=ParetoTime(tail=Decimal("0.3")))
    assert not any(bound.proof for bound in combinatorial_bounds(instance))
    for rule in RULES:
        with pytest.raises(StepError):
            follows(rule, instance)
