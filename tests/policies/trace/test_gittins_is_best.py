"""On one machine Gittins' index has the least expected mean of all that know just the law.

The best is found by dynamic programming over what is known: how much service each job that is not
done has had. The policy's mean is computed over all outcomes, each as likely.
"""

from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest

from ringyard.analysis.check import check
from ringyard.instances import Limits, RackServer, TraceInstance, TraceJob
from ringyard.methods import find_method

LAWS = (
    (1, 1, 10),
    (2, 6, 8),
    (3, 4, 5),
    (1, 5, 5, 6),
    (1, 2, 9, 9),
    (4, 4, 4, 12),
)
"""Equally likely lengths."""

JOBS = 3


def least(law: tuple[int, ...]) -> Fraction:
    """Return the least expected sum of completion times."""

    @cache
    def cost(had: tuple[int, ...]) -> Fraction:
        if not had:
            return Fraction(0)
        choices = []
        for k, service in enumerate(had):
            longer = [size for size in law if size > service]
            ends = Fraction(longer.count(service + 1), len(longer))
            others = had[:k] + had[k + 1 :]
            after = ends * cost(others)
            if ends < 1:
                after += (1 - ends) * cost(tuple(sorted((*others, service + 1))))
            choices.append(after)
        return len(had) + min(choices)

    return cost((0,) * JOBS)


def expected(law: tuple[int, ...], method: str) -> Fraction:
    """Return the expected sum of completion times under a method."""
    outcomes = list(product(law, repeat=JOBS))
    return sum((total(law, sizes, method) for sizes in outcomes), Fraction(0)) / len(outcomes)


@cache
def total(law: tuple[int, ...], sizes: tuple[int, ...], method: str) -> Fraction:
    instance = TraceInstance(
        name="machine",
        servers=(RackServer(name="s0", gpus=1),),
        jobs=tuple(
            TraceJob(name=f"j{k}", gpus=1, duration_s=Decimal(size)) for k, size in enumerate(sizes)
        ),
        law=tuple(map(Decimal, law)),
    )
    outcome = find_method(method, "trace").run(instance, Limits(), np.random.default_rng(0))
    verdict = check(instance, outcome.schedule)
    assert verdict.valid
    return sum(verdict.ends.values(), Fraction(0))


@pytest.mark.parametrize("law", LAWS)
def test_nobody_who_knows_the_law_does_better(law: tuple[int, ...]) -> None:
    assert expected(law, "2d-gittins:interval_s=1") == least(law)


def test_others_do_worse_somewhere() -> None:
    others = ("fifo", "2d-las:interval_s=1")
    assert all(any(expected(law, name) > least(law) for law in LAWS) for name in others)
