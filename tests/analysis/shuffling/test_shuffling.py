"""Rates of coded shuffling: formulas, measured epochs, and rows decoded bit by bit."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import comb, factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringyard.analysis.shuffle import (
    Setting,
    asymptotic_ratio,
    coded_rate,
    counted,
    drawn,
    execute,
    instance_of,
    longest,
    measured,
    padded_mean,
    queue_mean,
    ratio,
    tried,
    uncoded_rate,
)
from ringyard.instances import Message, ShufflePlan
from ringyard.policies.request import Request
from ringyard.policies.shuffle import run_subsets
from ringyard.search.shuffle.bounds import combinatorial_bounds


@pytest.mark.parametrize("workers", [1, 2, 3, 7, 20])
def test_the_closed_form_is_the_sum_over_sets(workers: int) -> None:
    batch = 4
    for cache in range(batch, batch * workers + 1):
        setting = Setting(rows=batch * workers, workers=workers, cache=cache)
        sizes = range(2, workers + 1)
        assert coded_rate(setting) == sum(comb(workers, n) * queue_mean(setting, n) for n in sizes)
        if coded_rate(setting):
            assert ratio(setting) == uncoded_rate(setting) / coded_rate(setting)


@pytest.mark.parametrize(
    ("rows", "workers", "cache", "exact", "asymptotic"),
    [(1000, 10, 280, "3.25", "3.00"), (2000, 200, 408, "40.82", "41.00")],
)
def test_the_printed_ratios(
    rows: int, workers: int, cache: int, exact: str, asymptotic: str
) -> None:
    """With a fifth of the others' rows cached."""
    setting = Setting(rows=rows, workers=workers, cache=cache)
    assert setting.excess == Fraction(1, 5)
    assert f"{float(ratio(setting) or 0):.2f}" == exact
    assert f"{float(asymptotic_ratio(setting)):.2f}" == asymptotic


def test_the_published_ratio_is_right_in_the_limit_only() -> None:
    """Its relative error is p / (np + 1 - p) and less than that: it vanishes as np grows."""
    errors = []
    for workers in (10, 100, 1000):
        setting = Setting(rows=10 * workers, workers=workers, cache=10 + 2 * (workers - 1))
        errors.append(float(asymptotic_ratio(setting) / ratio(setting) - 1))  # type: ignore[operator]
    assert abs(errors[0]) > 0.07
    assert abs(errors[0]) > 10 * abs(errors[1]) > 50 * abs(errors[2]) > 0


def test_the_ends_of_the_formulas() -> None:
    bare, full = (Setting(rows=40, workers=4, cache=cache) for cache in (10, 40))
    assert (ratio(bare), coded_rate(bare)) == (2, Fraction(15))
    assert (ratio(full), coded_rate(full)) == (4, 0)
    assert ratio(Setting(rows=4, workers=1, cache=4)) is None


def test_measured_means_are_the_formulas() -> None:
    """Fifty epochs of a fixed seed; lengths without padding have the formula as their mean."""
    setting = Setting(rows=1000, workers=10, cache=280)
    found = measured(setting, Decimal(1), 50, 0)
    assert found.uncoded.low < found.uncoded_rate < found.uncoded.high
    assert found.mean.low < found.coded_rate < found.mean.high
    assert found.padded.low < found.padded_rate < found.padded.high
    assert found.padded.mean > 2 * found.coded_rate


def test_padding_falls_with_the_root_of_the_rows() -> None:
    more = [
        padded_mean(setting) / float(coded_rate(setting)) - 1
        for setting in (
            Setting(rows=rows, workers=5, cache=rows // 5 + rows * 4 // 25)
            for rows in (10**5, 10**7)
        )
    ]
    assert more[0] / more[1] == pytest.approx(10, rel=0.05)


def test_the_longest_of_some_queues() -> None:
    mean, queues = 2.5, 3
    chance = [np.exp(-mean) * mean**x / factorial(x) for x in range(40)]
    below = np.cumsum(chance)
    assert longest(mean, queues) == pytest.approx(float((1 - below**queues).sum()))
    assert longest(0.0, 4) == 0


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 6), st.integers(1, 8), st.integers(0, 10), st.integers(0, 10**6))
def test_every_scheme_is_decoded_bit_by_bit(
    workers: int, batch: int, tenths: int, seed: int
) -> None:
    rows = workers * batch
    setting = Setting(rows=rows, workers=workers, cache=batch + (rows - batch) * tenths // 10)
    epoch = drawn(setting, np.random.default_rng(seed))
    instance = instance_of(epoch, Decimal(1))
    assert all(len(one.has) == setting.cache for one in instance.workers)
    assert sorted(row for one in instance.workers for row in one.wants) == list(range(rows))
    plain, padded, cover = tried(instance, 3, seed)
    sent = counted(epoch)
    assert all(one.right for one in (plain, padded, cover))
    assert (plain.executed.messages, padded.executed.messages) == (sent.uncoded, sent.padded)
    assert all(one.executed.decoded_rows == sent.uncoded for one in (plain, padded, cover))
    bound = combinatorial_bounds(instance)[0].value
    assert Fraction(sent.mean).limit_denominator(10**6) <= bound <= cover.load


def test_a_wrong_sum_is_noticed() -> None:
    instance = instance_of(
        drawn(Setting(rows=12, workers=3, cache=8), np.random.default_rng(0)), Decimal(1)
    )
    rng = np.random.default_rng(1)
    plan = run_subsets(instance, Request(rng=rng)).schedule
    assert not execute(instance, plan, 4, rng).wrong
    short = replace(plan, messages=plan.messages[1:])
    assert execute(instance, short, 4, rng).wrong
    first = plan.messages[0]
    lost = Message(rows=first.rows[:1], to=first.to)
    wrong = ShufflePlan(instance="x", messages=(lost, *plan.messages[1:]))
    assert execute(instance, wrong, 4, rng).wrong


def test_sets_have_as_many_queues_as_members() -> None:
    """All rows, over all sets, by the means of their queues: what is sent uncoded."""
    setting = Setting(rows=60, workers=6, cache=25)
    sizes = range(2, 7)
    total = sum(size * comb(6, size) * queue_mean(setting, size) for size in sizes)
    assert total == uncoded_rate(setting)
