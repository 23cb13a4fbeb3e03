"""The rule of cheapest plans of `trace` at any prices, end by end; it excludes no schedule."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise, product
from math import ceil
from random import Random
from typing import Any

import pytest
from check.certificates.proofs import Lines, checked, lines_of
from check.certificates.test_limits import stated
from family_draws import drawn, trace_best
from little import few
from trace_optimum import cluster, job

from ringyard.analysis.check.certificates.trace.needs import needs_of
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


@pytest.mark.parametrize("number", [pytest.param(0, marks=pytest.mark.slow), *NUMBERS[1:]])
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
    for owner, need in zip(instance.jobs, needs_of(instance), strict=True):
        open_to = {
            s
            for s, server in enumerate(instance.servers)
            if owner.allowed_regions is None or server.region in owner.allowed_regions
        }
        ticks = []
        for k, length in enumerate(lengths):
            pairs = zip(step["pools"], step["prices"], strict=True)
            ticks += [
                Fraction(sum(row[k] for pool, row in pairs if open_to <= {*pool}), unit)
            ] * length
        modes, costs = [(0, 0), *(one[:2] for one in need.modes)], [Fraction(starts[-1])]
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


def one_long_job(ticks: int = 6) -> TraceInstance:
    """Return a job of one GPU that may use both servers."""
    return cluster([job("long", 1, ticks)], 1, 1)


def priced_alone(instance: TraceInstance, **more: Any) -> Lines:
    """Return the certificate of a price of 1 for half a GPU of the first server."""
    step = {"rule": "cheapest plans", "unit": 1, "pools": [[0]]}
    return stated(instance, **step, **more)


def test_a_job_that_may_run_elsewhere_pays_nothing() -> None:
    # It ends after 6 for nothing; both halves of the first server cost 1 in each of 4 ticks.
    lines = priced_alone(one_long_job(), starts=[0, 4, 8], prices=[[1, 0]])
    assert checked(one_long_job(), lines).follows == (6 - 2 * 4,)


def test_an_interval_may_be_a_tick_long() -> None:
    lines = priced_alone(one_long_job(), starts=[0, 1, 8], prices=[[1, 0]])
    assert checked(one_long_job(), lines).follows == (6 - 2,)


def test_intervals_begin_with_the_first_arrival() -> None:
    instance = cluster([job("early", 1, 2, 1), job("late", 1, 2, 3)], 1, 1)
    for first, accepted in ((1, True), (2, False)):
        lines = priced_alone(instance, starts=[first, 8], prices=[[0]])
        assert bool(checked(instance, lines).follows) == accepted


@pytest.mark.parametrize("number", few(15, range(60)))
def test_the_best_end_is_found_wherever_it_is(number: int) -> None:
    # Prices fall from interval to interval, so that many a job had better wait for a later one.
    rng = Random(number)
    jobs = [job(f"j{k}", rng.randint(1, 2), rng.randint(1, 9), rng.randint(0, 3)) for k in (0, 1)]
    wide = (Width(gpus=3, speed=Decimal("1.5")),)
    jobs[0] = replace(jobs[0], speeds=wide)
    instance = cluster(jobs, 2, 2)
    starts = [min(one.arrival for one in needs_of(instance))]
    for _ in range(3):
        starts.append(starts[-1] + rng.randint(1, 12))
    prices = sorted((rng.randint(0, 40) for _ in starts[1:]), reverse=number % 3 > 0)
    step = {"rule": "cheapest plans", "unit": 7, "starts": starts}
    step |= {"pools": [[0, 1]], "prices": [prices]}
    (found,) = checked(instance, stated(instance, **step)).follows
    assert found == by_ends(instance, step)


def test_half_gpus_are_held_for_whole_ticks() -> None:
    # On 2 GPUs a tick and a quarter costs 5 halves at least, and halves are held by fours.
    one = replace(job("wide", 2, 2), done_s=Decimal("0.75"))
    one = replace(one, speeds=(Width(gpus=4, speed=Decimal("1.25")),))
    (need,) = needs_of(cluster([one], 4))
    assert (need.area, need.whole) == (5, 8)
