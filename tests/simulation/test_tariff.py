"""Prices: what an empty cluster is worth at them, and what nothing on a full machine is."""

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from formulations.online.brute import optimum
from formulations.online.tiny import tiny

import ringyard
from ringyard.instances import Deadline, OnlineInstance
from ringyard.instances.catalogue import load
from ringyard.simulation.online import (
    PARTS,
    ROUNDED,
    Tariff,
    corrected,
    online_model,
    outlook,
    published,
    rooms,
    with_hosts,
)

CASES = Path(__file__).parents[1] / "cases"
NAMES = ["hand-online-trap", "pdors-small-06x3x6", "pdors-s0", "pdors-roomy-s0"]


def tariffs(instance: OnlineInstance) -> list[Tariff]:
    model = online_model(instance)
    known = outlook(instance, model)
    return [published(model, known, 1.0), corrected(model, known, 1.0, 0.2, 2.0)]


@pytest.mark.parametrize("name", NAMES)
def test_nothing_pays_where_a_price_is_at_its_height(name: str) -> None:
    """Whatever a job takes of a resource that is full costs at least its greatest utility."""
    instance = load(name)
    model = online_model(instance)
    best = outlook(instance, model).best
    for tariff in tariffs(instance):
        for demand in (model.worker, model.server):
            cost = demand * tariff.prices(np.full(model.units.size, tariff.full))
            assert (np.where(demand > 0, cost, np.inf) >= best[:, None] * (1 - 1e-9)).all()


@pytest.mark.parametrize("name", NAMES)
def test_the_empty_cluster_is_worth_a_part_of_what_is_sure(name: str) -> None:
    instance = load(name)
    model = online_model(instance)
    known = outlook(instance, model)
    tariff = corrected(model, known, 1.0, 0.2, 2.0)
    worth = model.slots * (model.capacity * tariff.prices(0.0 * model.capacity)).sum()
    assert worth == pytest.approx(known.sure / 4)


@pytest.mark.parametrize(
    ("name", "best"),
    [
        ("hand-online-trap", 100),
        ("hand-online-inside", 8),
        ("hand-online-sigmoid", 5.8484686),
        ("hand-online-roles", 3),  # workers on one machine, servers on the other
    ],
)
def test_what_is_sure_can_be_had(name: str, best: float) -> None:
    """It is the utility of one job alone; in these that is the optimum on record."""
    instance = load(name)
    assert outlook(instance, online_model(instance)).sure == pytest.approx(best)


def test_what_is_sure_is_no_more_than_the_optimum() -> None:
    apart = 0
    for seed in range(150):
        instance = tiny(seed)
        model, best = online_model(instance), optimum(instance)[0]
        found = outlook(instance, model).sure
        assert found <= float(best) + ROUNDED
        apart += found > 0 and not (model.works & model.serves).any()
    assert apart >= 5


def test_hosts_are_resources_that_never_bind() -> None:
    """Machines of 40 cores hold 20 workers of two, or 40 servers of one, of jobs for 48."""
    model = with_hosts(online_model(ringyard.load(CASES / "online-workers-and-servers-apart.json")))
    assert model.capacity[:, 2].tolist() == [20, 20, 0, 0, 20]
    assert model.capacity[:, 3].tolist() == [0, 0, 24, 24, 24]
    for seed in range(150):
        instance = tiny(seed)
        model = with_hosts(online_model(instance))
        if model.units.size > len(instance.resources):
            most = rooms(instance).workers
            assert (model.capacity[:, -2] >= most).all()
            assert (PARTS * most <= np.where(model.works, model.capacity[:, -2], np.inf)).all()


def test_corrected_prices_do_not_depend_on_units() -> None:
    """A job pays the same when memory is counted in megabytes; the published sum does not."""
    instance = load("pdors-small-06x3x6")
    shift = 1024

    def scaled(pairs: tuple[tuple[str, Decimal], ...]) -> tuple[tuple[str, Decimal], ...]:
        return tuple((r, a * shift if r == "memory_gb" else a) for r, a in pairs)

    machines = tuple(replace(m, capacity=scaled(m.capacity)) for m in instance.machines)
    jobs = tuple(
        replace(job, worker=scaled(job.worker), server=scaled(job.server)) for job in instance.jobs
    )
    other = replace(instance, machines=machines, jobs=jobs)
    ours, theirs = (
        [(t.prices(0.3 * np.ones(4)) * online_model(i).worker).sum(axis=1) for t in tariffs(i)]
        for i in (instance, other)
    )
    assert theirs[1] == pytest.approx(ours[1])
    assert theirs[0] != pytest.approx(ours[0])


def test_prices_grow_from_low_to_high() -> None:
    tariff = Tariff(np.array([1.0]), np.array([16.0]), 0.5)
    found = [float(tariff.prices(np.array([part]))[0]) for part in (0.0, 0.25, 0.5)]
    assert found == pytest.approx([1, 4, 16])


def test_the_least_utility_is_the_least_above_zero() -> None:
    """A deadline that is missed is worth nothing, which says nothing about prices."""
    instance = load("hand-online-turn")
    known = outlook(instance, online_model(instance))
    assert known.least.tolist() == [3, 10]
    late = replace(instance.jobs[0], utility=Deadline(value=Decimal(3), slots=0), samples=100_000)
    model = replace(instance, jobs=(late,))
    assert outlook(model, online_model(model)).best.tolist() == [0]


def test_generated_families_have_tariffs() -> None:
    for family in ("pdors", "pdors-small", "pdors-roomy"):
        for tariff in tariffs(ringyard.generate(family, seed=1)):
            assert (tariff.low > 0).all()
            assert (tariff.high > tariff.low).all()
