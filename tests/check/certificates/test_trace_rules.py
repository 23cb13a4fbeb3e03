"""The rule of cheapest plans of `trace` at any prices, end by end; it excludes no schedule."""

from decimal import Decimal
from fractions import Fraction
from itertools import pairwise, product
from math import ceil
from random import Random
from typing import Any

import pytest
from check.certificates.proofs import Lines, checked, lines_of
from family_draws import drawn, trace_best

from ringyard.analysis.check.certificates.trace import needs_of
from ringyard.instances import RackServer, TraceInstance, TraceJob, Width
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
    step: dict[str, Any] = {"rule": "cheapest plans", "unit": 12, "starts": starts}
    step["pools"] = pools
    step["prices"] = [[rng.randint(0, 3) for _ in starts[1:]] for _ in pools]
    head = lines_of(instance, combinatorial_bounds(instance)[0])[0]
    return instance, [head, step]


@pytest.mark.parametrize("number", NUMBERS)
def test_every_job_has_its_cheapest_plan(number: int) -> None:
    instance, lines = priced(number)
    (follows,) = checked(instance, lines).follows
    assert follows == by_ends(instance, lines[1])


@pytest.mark.parametrize("number", NUMBERS)
def test_no_prices_exclude_the_best_schedule(number: int) -> None:
    instance, lines = priced(number)
    assert checked(instance, lines).follows[0] <= trace_best(instance)


def by_ends(instance: TraceInstance, step: dict[str, Any]) -> Fraction:
    """Return what prices prove: of each job the least over all ends, each by its dual.

    The work before an end costs as much as the best price of a unit of it makes of the work, less
    what ticks gain at that price. The best one is where a tick changes from a mode to another.
    """
    unit, starts, total = step["unit"], step["starts"], Fraction(0)
    lengths = [b - a for a, b in pairwise(starts)]
    for pool, prices in zip(step["pools"], step["prices"], strict=True):
        gpus = sum(instance.servers[s].gpus for s in pool)
        total -= sum(Fraction(2 * gpus * p * n, unit) for p, n in zip(prices, lengths, strict=True))
    for job, need in zip(instance.jobs, needs_of(instance), strict=True):
        open_to = {
            s
            for s, server in enumerate(instance.servers)
            if job.allowed_regions is None or server.region in job.allowed_regions
        }
        ticks = []
        for k, length in enumerate(lengths):
            pairs = zip(step["pools"], step["prices"], strict=True)
            ticks += [
                Fraction(sum(row[k] for pool, row in pairs if open_to <= {*pool}), unit)
            ] * length
        modes, costs = [(0, 0), *need.modes], [Fraction(starts[-1])]
        for end in range(need.alone, starts[-1] + 1):
            pays = ticks[need.arrival - starts[0] : end - starts[0]]
            worths = {
                pay * Fraction(h - g, v - w)
                for pay in pays
                for (h, v), (g, w) in product(modes, modes)
                if v > w and h > g
            }
            gains = (
                worth * need.work - sum(max(worth * v - pay * h for h, v in modes) for pay in pays)
                for worth in {Fraction(0), *worths}
            )
            costs.append(end + max(gains))
        total += min(costs)
    waited = ceil(total) - sum(need.arrival for need in needs_of(instance))
    return waited * Fraction(instance.tick_s) / len(instance.jobs)


def test_a_wide_job_pays_more_for_its_speed() -> None:
    """On two GPUs it is 1.5 times as fast: half of its work costs a GPU, the other half two.

    It can do 3 units of work on two GPUs in 2 ticks, or on one in 3. Where half a GPU costs
    nothing it ends after 2; where it costs 1 in each tick, a tick less would cost 2 more.
    """
    wide = Width(gpus=2, speed=Decimal("1.5"))
    job = TraceJob(name="a", gpus=1, duration_s=Decimal(3), speeds=(wide,))
    servers = (RackServer(name="s", gpus=2),)
    instance = TraceInstance(name="one", servers=servers, jobs=(job,))
    head = lines_of(instance, combinatorial_bounds(instance)[0])[0]

    def proved(price: int) -> Fraction:
        step = {"rule": "cheapest plans", "unit": 1, "starts": [0, 9]}
        return checked(instance, [head, {**step, "pools": [[0]], "prices": [[price]]}]).follows[0]

    assert proved(0) == 2
    assert proved(1) == 3 + 2 * 3 - 4 * 9
