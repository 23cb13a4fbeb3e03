"""The generators of `rental` and `fleet` instances draw what they say."""

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import log
from statistics import fmean, pvariance
from typing import Any

import pytest

from ringyard.analysis.rental import bend
from ringyard.instances import (
    Amdahl,
    FleetInstance,
    InputError,
    PowerLaw,
    RentalInstance,
    SpeedTable,
    digest,
    load_instance,
    save,
    validate,
)
from ringyard.instances.fleet.mix import DrawnJobs, draw, fleet_of
from ringyard.instances.generate import generate
from ringyard.instances.rental.goodput import APPLICATIONS, speedups
from ringyard.instances.rental.mix import FLEETS, RENTALS, random_fleet, random_rental

TICK = Decimal(10)


def small(family: str, seed: int) -> Any:
    """Generate an instance of three types, and of few jobs if it has any."""
    jobs = {"jobs": 40} if "fleet" in family else {}
    return generate(family, seed=seed, types=3, **jobs)


def rental(family: str = "rental-two-types", seed: int = 0, **options: Any) -> RentalInstance:
    made: RentalInstance = generate(family, seed=seed, **options)
    return made


def fleet(family: str = "fleet-mixed", seed: int = 0, **options: Any) -> FleetInstance:
    made: FleetInstance = generate(family, seed=seed, **options)
    return made


def drawn(jobs: int = 20_000, seed: int = 0, **laws: Any) -> DrawnJobs:
    return draw(rental().types, jobs, seed, tick_s=TICK, **laws)


@pytest.mark.parametrize("family", RENTALS | FLEETS)
def test_the_same_seed_is_the_same_instance(family: str) -> None:
    one, two = (small(family, 4) for _ in range(2))
    assert one == two
    if "two-types" not in family and family != "rental-pollux":
        assert digest(one) != digest(small(family, 5))


@pytest.mark.parametrize("family", RENTALS | FLEETS)
def test_what_is_generated_comes_back_from_its_file(family: str, tmp_path: Any) -> None:
    made = small(family, 1)
    save(made, tmp_path / "x.json")
    assert load_instance(tmp_path / "x.json") == made


@pytest.mark.parametrize("family", RENTALS | FLEETS)
def test_the_budget_pays_for_more_than_a_gpu_for_each_job(family: str) -> None:
    for seed in range(3):
        made = small(family, seed)
        load = sum(map(sum, made.loads), Fraction(0))
        assert 2 * load - 1 < Fraction(made.budget_gpus) <= 2 * load + 1


def test_the_papers_two_types() -> None:
    one, two = rental(budget_gpus=Decimal(2)).types
    assert one.epochs[0].speedup == Amdahl(parallel=Decimal("0.8"))
    assert two.epochs[0].speedup == PowerLaw(exponent=Decimal("0.5"))
    assert {(t.rate_per_h, t.epochs[0].work_h) for t in (one, two)} == {(Decimal("0.4"), 1)}


@pytest.mark.parametrize("family", ["power", "amdahl", "mixed", "stepped", "pollux", "large"])
def test_the_load_is_as_asked(family: str) -> None:
    made = rental(f"rental-{family}", load=Decimal(25), types=30, epochs=2)
    assert float(sum(map(sum, made.loads))) == pytest.approx(25, rel=1e-3)
    assert all(len(one.epochs) == 2 for one in made.types)


def test_only_steps_are_not_concave() -> None:
    for family in ("rental-mixed", "rental-pollux", "rental-stepped"):
        for one in rental(family, types=12).types:
            for epoch in one.epochs:
                if isinstance(epoch.speedup, SpeedTable):
                    assert (bend(epoch.speedup) is None) == (family != "rental-stepped")


def test_steps_rise_between_multiples_hardly_at_all() -> None:
    for one in rental("rental-stepped", types=10).types:
        table = one.epochs[0].speedup
        assert isinstance(table, SpeedTable)
        speeds = [float(point.speed) for point in table.points]
        assert speeds == sorted(speeds)
        rises = [b / a for a, b in pairwise(speeds)]
        assert sum(rise == pytest.approx(1.05, abs=1e-3) for rise in rises) >= 7
        assert max(rises) > 1.5


@pytest.mark.parametrize("name", APPLICATIONS)
def test_later_epochs_gain_more_from_more_gpus(name: str) -> None:
    tables = speedups(APPLICATIONS[name], 4)
    for table in tables:
        speeds = [point.speed for point in table.points]
        assert (table.points[0].gpus, speeds[0]) == (1, 1)
        assert speeds == sorted(set(speeds))
        assert all(point.speed <= point.gpus for point in table.points)
    for k in range(1, len(tables[0].points)):
        at = [table.points[k].speed for table in tables]
        assert at == sorted(at)


def test_applications_come_as_often_as_in_the_workload() -> None:
    made = rental("rental-pollux")
    whole = sum(one.rate_per_h for one in made.types)
    for one in made.types:
        assert float(one.rate_per_h / whole) == pytest.approx(
            APPLICATIONS[one.name].share / 100, rel=1e-4
        )


@pytest.mark.parametrize("law", ["poisson", "bursty", "even"])
def test_arrivals_have_the_rate(law: Any) -> None:
    """20,000 jobs at 0.8 an hour; if bursty, their number deviates by about 4 %."""
    at = drawn(arrivals=law).at
    assert at == sorted(at)
    hours = at[-1] * float(TICK) / 3600
    assert 20_000 / hours == pytest.approx(0.8, rel=0.08 if law == "bursty" else 0.02)


def test_bursts_have_the_variance_that_is_said() -> None:
    """Numbers of arrivals in 500 hours, 400 on average: 33 times as scattered as a Poisson's."""

    def scatter(law: Any) -> float:
        hits = Counter(at * 10 // (500 * 3600) for at in drawn(250_000, arrivals=law).at)
        return pvariance(list(hits.values())[:-1]) / fmean(list(hits.values())[:-1])

    assert scatter("poisson") == pytest.approx(1, rel=0.15)
    assert 25 < scatter("bursty") < 40


@pytest.mark.parametrize(
    ("law", "error"), [("exponential", 0.02), ("fixed", 0), ("pareto", 0.1), ("lognormal", 0.05)]
)
def test_sizes_have_the_mean_of_the_type(law: Any, error: float) -> None:
    assert fmean(work for (work,) in drawn(sizes=law).work) == pytest.approx(360, rel=error)


def test_laws_of_sizes_are_those_that_are_named() -> None:
    ticks = {law: sorted(w for (w,) in drawn(sizes=law).work) for law in ("pareto", "lognormal")}
    assert ticks["pareto"][0] == pytest.approx(120, rel=0.01)
    assert ticks["pareto"][-200] / ticks["pareto"][-2000] == pytest.approx(10 ** (2 / 3), rel=0.15)
    assert pvariance([log(w) for w in ticks["lognormal"]]) == pytest.approx(2.25, rel=0.03)


def test_types_come_in_proportion_to_their_rates() -> None:
    types = rental("rental-mixed").types
    counts = Counter(draw(types, 20_000, 0, tick_s=TICK).kind)
    whole = sum(one.rate_per_h for one in types)
    for i, one in enumerate(types):
        assert counts[i] / 20_000 == pytest.approx(float(one.rate_per_h / whole), abs=0.01)


def test_one_factor_scales_all_epochs() -> None:
    types = rental("rental-pollux").types
    found = draw(types, 50, 0, tick_s=Decimal("0.01"))
    for kind, work in zip(found.kind, found.work, strict=True):
        parts = [w / float(e.work_h) for w, e in zip(work, types[kind].epochs, strict=True)]
        assert parts == pytest.approx([parts[0]] * 4, rel=1e-2)


def test_the_same_jobs_come_at_other_times() -> None:
    one, two = drawn(100), drawn(100, arrivals="bursty")
    assert (one.kind, one.work) == (two.kind, two.work)
    assert one.at != two.at
    given = drawn(3, times=[9, 4, 7, 8])
    assert given.at == [4, 7, 8]
    assert given.work == one.work[:3]
    with pytest.raises(InputError, match="times: found 2, expected at least 3"):
        drawn(3, times=[1, 2])


def test_a_fleet_is_made_of_the_jobs_drawn() -> None:
    streams, found = rental(rescale_s=Decimal(20)), drawn(50)
    made = fleet_of(streams, found, provision_s=Decimal(30), tick_s=TICK)
    validate(made)
    assert [job.arrival_s for job in made.jobs] == [at * TICK for at in found.at]
    assert [job.work_s for job in made.jobs] == [(work * TICK,) for (work,) in found.work]
    assert made.span_s >= max(50 / Decimal("0.8") * 3600, made.jobs[-1].arrival_s)
    assert (made.rescale_s, made.provision_s, made.budget_gpus) == (20, 30, streams.budget_gpus)
    assert fleet_of(streams, found, tick_s=TICK, rescale_s=Decimal(0)).rescale_s == 0


def test_a_budget_below_the_load_is_refused() -> None:
    with pytest.raises(InputError, match="budget_gpus: found 1, expected at least"):
        fleet(budget_gpus=Decimal(1))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"arrivals": "sometimes"}, "arrivals: found 'sometimes', expected 'poisson'"),
        ({"least_h": Decimal(20)}, "least_h: found 20, expected at most most_h"),
        ({"rescale_s": Decimal("0.5")}, "rescale_s: found 0.5, expected a multiple of tick_s"),
        ({"jobs": 0}, "jobs: found 0"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        fleet(**options)


def test_random_instances_have_every_feature() -> None:
    plans = [random_rental(0, index) for index in range(60)]
    logs = [random_fleet(0, index) for index in range(60)]
    for one in (*plans, *logs):
        validate(one)
        assert sum(map(sum, one.loads)) <= one.budget_gpus
    for feature in ("widths", "rescale_s"):
        assert len({getattr(one, feature) for one in plans}) > 1
    for feature in ("provision_s", "node_gpus", "billing_s", "tick_s"):
        assert len({getattr(one, feature) for one in logs}) > 1
    laws = {type(t.epochs[0].speedup) for one in plans for t in one.types}
    assert laws == {PowerLaw, Amdahl, SpeedTable}


def test_rates_that_round_to_nothing_are_refused() -> None:
    with pytest.raises(InputError, match="rate_per_h: found 0, expected a number above 0"):
        fleet("fleet-two-types", load=Decimal("1e-9"), budget_gpus=Decimal(1))
