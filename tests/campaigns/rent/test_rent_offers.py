"""Several offers of GPUs against linear programs over all ways, and reserves against all others."""

from dataclasses import replace
from decimal import Decimal
from itertools import product
from math import exp, factorial

import numpy as np
import pytest
import rental_small as small
from rental_small import amdahl, power, table
from scipy.optimize import linprog

from ringyard.campaigns.rent.long_run import Drawing
from ringyard.campaigns.rent.offers import (
    GpuOffer,
    OfferLease,
    OffersPlayed,
    law_of_use,
    offered,
    play_offers,
    reserve,
)
from ringyard.instances import Choice, RentalInstance, RentalPlan, Stretch, validate
from ringyard.instances.catalogue import load_as
from ringyard.instances.fleet.mix import Sizes
from ringyard.run import solve

TWO = load_as(RentalInstance, "boa-two-types")
OWN = GpuOffer(name="own")


def spot(price: str, often: str = "0", resume_s: str = "600", speed: str = "1") -> GpuOffer:
    return GpuOffer(
        price_per_gpu_h=Decimal(price),
        speed=Decimal(speed),
        interruptions_per_h=Decimal(often),
        resume_s=Decimal(resume_s),
    )


@pytest.mark.parametrize(
    ("budget", "known"), [("1.0", 0.69393), ("1.5", 0.43323), ("2.0", 1 / 3), ("3.0", 0.246387)]
)
def test_its_own_gpus_alone_are_the_published_whole_widths(budget: str, known: float) -> None:
    money = offered(replace(TWO, budget_gpus=Decimal(budget)), [OWN])
    answer = solve(money.instance)
    assert answer.valid
    assert float(answer.objective or 0) == pytest.approx(known, abs=1e-5)
    assert all(share.option.offer == "own" for share in money.shares(answer.schedule))


@pytest.mark.parametrize("budget", [1.5, 2.5, 7.0])
@pytest.mark.parametrize(
    "offers",
    [
        [OWN, spot("0.3", "0.1")],
        [OWN, spot("2.5", speed="2.2")],
        [spot("0.4", "0.5"), replace(spot("1.7", speed="1.9"), name="fast")],
    ],
)
def test_the_best_plan_is_that_of_all_ways(budget: float, offers: list[GpuOffer]) -> None:
    """A linear program over offers and GPUs of each type, with shares of work; hours as given."""
    types = [small.stream("a", 1, (0.5, power(0.6))), small.stream("b", 2, (0.3, table(1, 1.7, 2)))]
    given = small.rented([*types, small.stream("c", 0.2, (1, amdahl(0.9)))], budget)
    money = offered(given, offers)
    validate(money.instance)
    answer = solve(money.instance)
    hours, pays, own = [], [], []
    loads = [float(epoch) for (epoch,) in given.loads]
    for (i, one), offer, gpus in product(enumerate(given.types), offers, range(1, 257)):
        stops = float(offer.interruptions_per_h) * gpus * float(offer.resume_s) / 3600
        alone = (1 + stops) / float(offer.speed) / speed_of(one.name, gpus)
        hours.append(loads[i] * alone)
        pays.append(loads[i] * alone * gpus * float(offer.price_per_gpu_h))
        own.append(i)
    equal = [[float(i == k) for k in own] for i in range(3)]
    least = linprog(hours, A_ub=[pays], b_ub=[budget], A_eq=equal, b_eq=[1, 1, 1])
    assert least.status == 0
    jobs = float(sum(given.rates))
    assert float(answer.objective or 0) == pytest.approx(least.fun / jobs, rel=1e-7)
    shares = list(money.shares(answer.schedule))
    assert sum(one.jobs for one in shares) == pytest.approx(least.fun, rel=1e-7)
    assert sum(one.jobs * one.option.per_h for one in shares) <= budget * (1 + 1e-9)


def speed_of(name: str, gpus: int) -> float:
    """Return the speed-ups of the test before, each by its own formula."""
    if name == "a":
        return float(gpus**0.6)
    return (1, 1.7, 2)[min(gpus, 3) - 1] if name == "b" else 1 / (0.1 + 0.9 / gpus)


def test_what_is_taken_away_costs_the_time_to_resume() -> None:
    """Six GPUs are taken away 0.6 times an hour; each time the job stands still for 10 minutes."""
    money = offered(replace(TWO, budget_gpus=Decimal(2)), [spot("1", "0.1")])
    answer = solve(money.instance)
    for one in money.shares(answer.schedule):
        way = one.option
        alone = 0.2 + 0.8 / way.gpus if one.type == "amdahl" else way.gpus**-0.5
        assert way.hours == pytest.approx(alone * (1 + 0.1 * way.gpus / 6))
    assert float(answer.objective or 0) > 1 / 3


@pytest.mark.parametrize("mean", [0.7, 40.0, 2000.0])
def test_jobs_on_one_gpu_each_are_a_poisson_number(mean: float) -> None:
    law = law_of_use([(1, mean)])
    counts = np.arange(len(law))
    assert law @ counts == pytest.approx(mean)
    assert law @ counts**2 - mean**2 == pytest.approx(mean, rel=1e-6)
    if mean < 1:
        known = [exp(-mean) * mean**n / factorial(n) for n in range(5)]
        assert law[:5] == pytest.approx(known)


def test_widths_add_up_as_in_a_sum_over_all_numbers_of_jobs() -> None:
    law = law_of_use([(2, 0.5), (3, 0.8), (2, 0.25)])
    known = np.zeros(60)
    for two, three in product(range(12), range(12)):
        chance = 0.75**two / factorial(two) * 0.8**three / factorial(three)
        known[2 * two + 3 * three] += exp(-1.55) * chance
    assert law[:20] == pytest.approx(known[:20], abs=1e-9)


@pytest.mark.parametrize("reserved", [0.05, 0.3, 0.6, 0.97])
def test_no_other_reserve_is_cheaper(reserved: float) -> None:
    jobs = [(4, 0.6), (6, 1.1)]
    found, law = reserve(jobs, 1.0, reserved), law_of_use(jobs)
    used = np.arange(len(law))
    costs = [reserved * r + np.maximum(used - r, 0) @ law for r in range(40)]
    assert found.per_h == pytest.approx(min(costs))
    assert costs[found.gpus] == pytest.approx(min(costs))
    assert found.per_h_on_demand == pytest.approx(4 * 0.6 + 6 * 1.1)


def played(drawing: Drawing, *offers: GpuOffer) -> tuple[OffersPlayed, float]:
    """Return a long run of the best plan of boa-two-types, and the mean that the plan expects."""
    money = offered(TWO, [OWN, *offers])
    answer = solve(money.instance)
    assert answer.objective is not None
    return play_offers(money, answer.schedule, drawing), float(answer.objective)


@pytest.mark.parametrize("sizes", ["exponential", "fixed"])
@pytest.mark.parametrize(("often", "resume_s"), [("1.5", "40"), ("0.1", "600")])
def test_a_long_run_comes_to_what_the_plan_expects(sizes: Sizes, often: str, resume_s: str) -> None:
    """The budget is 2 an hour; three half-widths of the 95 % interval are six standard errors."""
    found, expected = played(Drawing(jobs=5_000, sizes=sizes), spot("0.3", often, resume_s))
    assert found.taken > 0
    for interval, mean in ((found.mean_jct_h, expected), (found.spend_per_h, 2.0)):
        assert interval is not None
        assert abs(interval.mean - mean) < 3 * (interval.high - interval.mean)


def test_a_job_stands_still_and_pays_as_often_as_its_gpus_are_taken_away() -> None:
    """With work of one size, a lease is longer than others of its sort by whole stands."""
    found, _ = played(Drawing(jobs=500, sizes="fixed"), spot("0.3", "1.5", "36"))
    sorts: dict[tuple[str, int], set[float]] = {}
    for lease in found.leases:
        busy = lease.until - lease.since - 0.01 * lease.taken
        sorts.setdefault((lease.offer, lease.gpus), set()).add(round(busy, 6))
    assert any(lease.taken > 1 for lease in found.leases)
    # One or two sorts of jobs may hold as many GPUs.
    assert all(len(lengths) <= 2 for lengths in sorts.values())
    paid = sum(one.per_h * (one.until - one.since) for one in found.leases)
    assert float(found.metrics.spend) == pytest.approx(paid)


def test_jobs_draw_among_the_choices_of_their_type() -> None:
    """A quarter of the jobs of each type holds 2 GPUs, the others 5."""
    money = offered(TWO, [OWN])
    widths = {2: "0.25", 5: "0.75"}
    choices = tuple(
        Choice(share=Decimal(share), stretches=(Stretch(gpus=Decimal(gpus)),))
        for gpus, share in widths.items()
    )
    plan = solve(money.instance).schedule
    assert isinstance(plan, RentalPlan)
    types = tuple(replace(one, choices=choices) for one in plan.types)
    found = play_offers(money, replace(plan, types=types), Drawing(jobs=4_000))
    held = [lease.gpus for lease in found.leases]
    assert set(held) == set(widths)
    assert held.count(2) / len(held) == pytest.approx(0.25, abs=0.03)


def test_a_reserve_is_paid_all_the_time_and_what_is_beyond_by_use() -> None:
    """Of four hours, two use 3 GPUs of which 2 are reserved: one for half of the time."""
    run, _ = played(Drawing(jobs=200))
    own = [OfferLease(0.0, 3.0, 2, 2.0, "own", 0), OfferLease(1.0, 4.0, 1, 1.0, "own", 0)]
    spare = OfferLease(0.0, 4.0, 9, 1.0, "spot", 3)
    run = replace(run, leases=[*own, spare], edges=np.array([0.0, 2.0, 4.0]))
    cost = run.with_reserve("own", 2, price=1.0, reserved=0.25)
    assert cost is not None
    assert cost.mean == pytest.approx(0.25 * 2 + 1.0 * 2 / 4)
