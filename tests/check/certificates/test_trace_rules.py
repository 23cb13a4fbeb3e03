"""The rule of intervals of `trace` at any prices, tick by tick; it excludes no schedule."""

from fractions import Fraction
from random import Random
from typing import Any

import pytest
from check.certificates.proofs import Lines, checked, lines_of
from family_draws import drawn, trace_best

from ringyard.analysis.check.certificates.trace import needs_of
from ringyard.instances import TraceInstance
from ringyard.search.trace.bounds import combinatorial_bounds

NUMBERS = range(20)


def priced(number: int) -> tuple[TraceInstance, Lines]:
    """Return an instance, and the certificate of some prices."""
    instance, rng = drawn("trace", 17, number), Random(number)
    first = min(need.arrival for need in needs_of(instance))
    starts = [first - rng.randint(0, min(1, first))]
    for _ in range(rng.randint(1, 4)):
        starts.append(starts[-1] + rng.randint(1, 3))
    pools = [[*range(len(instance.servers))], [0]]
    step: dict[str, Any] = {"rule": "busy times in intervals", "unit": 12, "starts": starts}
    step["pools"] = pools
    step["prices"] = [[rng.randint(0, 3) for _ in starts[1:]] for _ in pools]
    step["shares"] = [rng.choice([0, 5, 12]) for _ in instance.jobs]
    head = lines_of(instance, combinatorial_bounds(instance)[0])[0]
    return instance, [head, step]


@pytest.mark.parametrize("number", NUMBERS)
def test_work_is_done_where_it_is_cheapest(number: int) -> None:
    instance, lines = priced(number)
    (follows,) = checked(instance, lines).follows
    assert follows == by_ticks(instance, lines[1])


@pytest.mark.parametrize("number", NUMBERS)
def test_no_prices_exclude_the_best_schedule(number: int) -> None:
    instance, lines = priced(number)
    assert checked(instance, lines).follows[0] <= trace_best(instance)


def by_ticks(instance: TraceInstance, step: dict[str, Any]) -> Fraction:
    """Return what prices prove, each job's work put into the cheapest ticks."""
    unit, starts, needs = step["unit"], step["starts"], needs_of(instance)
    ends, total = [*starts[1:], 10**12], Fraction(0)
    for pool, prices in zip(step["pools"], step["prices"], strict=True):
        gpus = sum(instance.servers[s].gpus for s in pool)
        for start, end, price in zip(starts[:-1], ends[:-1], prices, strict=True):
            total -= Fraction(2 * gpus * price * (end - start), unit)
    for job, need, share in zip(instance.jobs, needs, step["shares"], strict=True):
        part = Fraction(share, unit)
        open_to = {
            s
            for s, server in enumerate(instance.servers)
            if job.allowed_regions is None or server.region in job.allowed_regions
        }
        ticks = []
        for k, (start, end) in enumerate(zip(starts, ends, strict=True)):
            since = max(start, need.arrival)
            pairs = zip(step["pools"], step["prices"], strict=True)
            pays = sum(row[k] for pool, row in pairs if k < len(row) and open_to <= {*pool})
            cost = part * (since + Fraction(1, 2)) + Fraction(pays * need.area, unit)
            enough = -(-need.work // need.rate)
            ticks += [cost] * min(enough, max(0, end - since))
        left = Fraction(need.work)
        for cost in sorted(ticks):
            done = min(left, need.rate)
            left, total = left - done, total + cost * done / need.work
        alone = need.arrival + -(-need.work // need.rate)
        total += (1 - part) * alone + part * Fraction(need.work, 2 * need.rate)
    ends_in_ticks = -(-total.numerator // total.denominator)
    waited = ends_in_ticks - sum(need.arrival for need in needs)
    return waited * Fraction(instance.tick_s) / len(needs)
