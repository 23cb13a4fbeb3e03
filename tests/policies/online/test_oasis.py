"""OASiS: limits of prices, who is admitted, and when its workers are cheapest."""

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from online_small import (
    amounts,
    machine,
    mixed_instances,
    online,
    run_checked,
    training_job,
    with_rates,
    workers_by_slot,
)

import ringyard
from ringyard.instances import Deadline, Linear, OnlineInstance, Sigmoid
from ringyard.policies.online import oasis
from ringyard.policies.online.oasis import price_limits, worth
from ringyard.simulation.online import online_model

PAIR = [machine("works", cpu=2, port=2), machine("serves", cpu=2, port=2)]


def falling(value: int, loss: int) -> Linear:
    return Linear(value=Decimal(value), loss_per_slot=Decimal(loss), least=Decimal(0))


def test_limits_of_prices_are_those_of_the_formulas() -> None:
    """By hand, for worker machines with 8 cpu and 8 ports over 5 slots in all.

    `a` takes 12 worker-slots of 2 cpu each, 3 slots with its 4 workers: completing in slot 2
    it is worth 20 - 2 * 3 = 14, and 20 - 4 * 3 = 8 in the last. `b` takes 4 of 1/2 cpu, one
    slot from slot 1 on: it is worth 9 at once, and nothing after it, so its last value is 9.
    U = max(14 / 2, 9 / (1/2)) = 18. With N w of 24 and of 2, 1/eta = 2 / (5 * 16) and
    L = min(8 / 24, 9 / 2) / 4 / 40 = 1/480.
    """
    b = Deadline(value=Decimal(9), slots=0)
    jobs = [
        training_job("a", samples=12, worker=amounts(cpu=2), utility=falling(20, 3)),
        training_job("b", samples=4, worker=amounts(cpu=0.5), utility=b, arrival_slot=1),
    ]
    instance = online([machine("m", cpu=8, port=8), machine("n", cpu=80, port=8)], jobs, 5)
    model = online_model(instance)
    low, high = price_limits(instance, model, np.array([0]), model.worker)
    assert instance.resources == ("cpu", "port")
    # A whole unit of the model is half a cpu; nobody's worker asks for a port.
    assert low * model.units == pytest.approx([1 / 480, 1 / 480])
    assert high * model.units == pytest.approx([18.0, 1.0])


def test_the_printed_limits_of_prices_are_none() -> None:
    """The paper's U has the utility at the least duration less the date of the arrival.

    `late` arrives in the fourth of 8 slots and takes 3 slots. Completing in the third, it is worth
    20 - 2 * 3 = 14, the most that any schedule is worth. As printed it is 20 - (3 - 4) * 3 = 23.
    The paper's L has the utility at the horizon, where `once` is worth nothing. Its last value is
    9, for 400 worker-slots of 1 cpu. `late` takes 12 and is worth 20 - 4 * 3 = 8 at the horizon. So
    1/eta = 12 / (8 * 16), and L = min(8 / 12, 9 / 400) / 4 * 12 / 128.
    """
    late = training_job("late", samples=12, utility=falling(20, 3), arrival_slot=3)
    soon, many = Deadline(value=Decimal(9), slots=0), {"samples": 400, "batch_samples": 400}
    once = training_job("once", **many, utility=soon, arrival_slot=1)
    works, serves = machine("works", cpu=8, port=8), machine("serves", cpu=8, port=8)
    least_slots, slots = 3, 8
    alone = online([works, serves], [late], slots)
    assert ringyard.check(alone, run_checked(oasis, alone)).objective == 14
    assert falling(20, 3).at(least_slots - (late.arrival_slot + 1)) == 23
    assert once.utility.at(slots - (once.arrival_slot + 1)) == 0
    both = online([works, serves], [late, once], slots)
    model = online_model(both)
    low, high = price_limits(both, model, np.array([0]), model.worker)
    assert (high * model.units).max() == 14
    assert low * model.units == pytest.approx([9 / 400 / 4 * 12 / 128] * 2)


def test_a_worth_that_rounds_to_nothing_is_nothing() -> None:
    steep = Sigmoid(value=Decimal(1), steepness=Decimal(6), midpoint_slots=Decimal(1))
    job = training_job("a", utility=steep)
    values = worth(job, 9)
    assert [float(steep.at(slots)) for slots in range(9)] == pytest.approx(list(values), abs=1e-12)
    assert values[-1] == 0.0


def test_later_slots_are_cheaper_where_time_does_not_matter() -> None:
    """`hasty` takes half of slot 0, which costs more from then on; `calm` fits, and waits."""
    hasty = training_job("hasty", samples=1, utility=Deadline(value=Decimal(10), slots=0))
    instance = online(PAIR, [hasty, training_job("calm", samples=1)], 3)
    held = workers_by_slot(run_checked(oasis, instance))
    assert held == {"hasty": {0: 1}, "calm": {1: 1}}


def test_workers_that_a_coarse_grid_has_too_many_are_not_held() -> None:
    """Of 33 worker-slots, 10 quanta of 10/3 workers make 34 at least, as numbers are whole."""
    machines = [machine("works", cpu=10, port=9), machine("serves", cpu=9, port=9)]
    job = training_job("a", samples=33, batch_samples=10)
    schedule = run_checked(oasis, online(machines, [job], 9), quanta=10)
    (held,) = workers_by_slot(schedule).values()
    assert sum(held.values()) == 33


def test_a_hasty_job_pays_for_an_early_slot() -> None:
    """The same, but `calm` loses 9 of 10 with every slot, more than the price of slot 0."""
    hasty = training_job("hasty", samples=1, utility=Deadline(value=Decimal(10), slots=0))
    instance = online(PAIR, [hasty, training_job("calm", samples=1, utility=falling(10, 9))], 3)
    assert workers_by_slot(run_checked(oasis, instance))["calm"] == {0: 1}


@pytest.mark.parametrize(("part", "admitted"), [("0.99", 1), ("1.01", 0)])
def test_a_job_is_admitted_if_it_is_worth_more_than_it_costs(part: str, admitted: int) -> None:
    """Two workers and a server for one slot, at the first prices: their cost is scaled to 10."""
    instance = online(PAIR, [training_job("a", samples=2)], 3)
    model = online_model(instance)
    workers, _ = price_limits(instance, model, np.array([0]), model.worker)
    servers, _ = price_limits(instance, model, np.array([1]), model.server)
    cost = (2 * model.worker[0] @ workers + model.server[0] @ servers).item()
    schedule = run_checked(oasis, instance, scale_l=Decimal(part) * 10 / Decimal(cost))
    assert len(schedule.admissions) == admitted


def test_a_job_that_cannot_complete_is_turned_away_and_takes_nothing() -> None:
    """`long` needs all of five slots, and there are three; `short` has the cluster to itself."""
    jobs = [training_job("long", samples=10, batch_samples=2), training_job("short", samples=2)]
    schedule = run_checked(oasis, online(PAIR, jobs, 3))
    assert [admission.job for admission in schedule.admissions] == ["short"]


def test_a_job_that_was_admitted_is_never_given_up() -> None:
    """The better job comes later, and there is no room left for it: prices see no future."""
    small = [machine("works", cpu=1, port=1), machine("serves", cpu=1, port=1)]
    jobs = [
        training_job("poor", samples=3, utility=falling(1, 0)),
        training_job("rich", samples=2, arrival_slot=1, utility=falling(900, 0)),
    ]
    schedule = run_checked(oasis, online(small, jobs, 3))
    assert [admission.job for admission in schedule.admissions] == ["poor"]


def test_work_is_planned_at_the_external_rate() -> None:
    """Four samples take four worker-slots inside, eight across: two workers for four slots."""
    job = training_job("a", **with_rates("1", "0.5"))
    schedule = run_checked(oasis, online(PAIR, [job], 9))
    (held,) = workers_by_slot(schedule).values()
    assert sum(held.values()) == 8


def test_workers_and_servers_are_on_different_machines() -> None:
    machines = [machine(f"m{i}", cpu=4, port=4) for i in range(6)]
    jobs = [training_job(f"j{i}", arrival_slot=i % 3) for i in range(9)]
    for split, servers in ((2, {"m1", "m3", "m5"}), (3, {"m2", "m5"})):
        schedule = run_checked(oasis, online(machines, jobs, 6), split=split)
        entries = [entry for admission in schedule.admissions for entry in admission.plan]
        assert {name for entry in entries for name, _ in entry.servers} <= servers
        assert {name for entry in entries for name, _ in entry.workers}.isdisjoint(servers)


def test_machines_for_one_kind_stay_what_they_are() -> None:
    machines = [
        machine("w", "workers", cpu=4),
        machine("a", cpu=4, port=1),
        machine("s", "servers", port=4),
        machine("b", cpu=4, port=1),
    ]
    model = online_model(online(machines, [training_job("x")], 3))
    works, serves = oasis.split(model, 2)
    assert (list(works), list(serves)) == ([0, 1], [2, 3])


def test_one_machine_alone_is_for_workers_and_admits_nobody() -> None:
    instance = online([machine("m", cpu=4, port=4)], [training_job("a")], 3)
    assert run_checked(oasis, instance).admissions == ()


def test_work_of_a_billion_slots_is_turned_away_at_once() -> None:
    jobs = [training_job("a", samples=10**9, epochs=10**9), training_job("b", samples=1)]
    assert list(workers_by_slot(run_checked(oasis, online(PAIR, jobs, 3)))) == ["b"]


@pytest.mark.parametrize("quanta", [1, 2, 7, 500])
def test_any_grid_gives_valid_schedules(quanta: int) -> None:
    admitted = sum(
        len(run_checked(oasis, instance, quanta=quanta).admissions)
        for instance in mixed_instances(20)
    )
    assert admitted > 20


def without_late_jobs(instance: OnlineInstance, slot: int) -> OnlineInstance:
    return replace(instance, jobs=tuple(job for job in instance.jobs if job.arrival_slot < slot))


def test_decisions_do_not_depend_on_later_jobs_but_for_the_limits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With the limits of prices held fixed, earlier admissions are the same without later jobs."""
    compared = 0
    for instance in mixed_instances(25):
        slot = instance.horizon_slots // 2
        early = without_late_jobs(instance, slot)
        if not early.jobs or early.resources != instance.resources:
            continue
        model = online_model(instance)
        fixed = [
            price_limits(instance, model, machines, demand)
            for machines, demand in zip(
                oasis.split(model, 2), (model.worker, model.server), strict=True
            )
        ]
        whole = {a.job: a for a in run_checked(oasis, instance).admissions}
        with monkeypatch.context() as patch:
            given = iter(fixed)
            patch.setattr(oasis, "price_limits", lambda *_, given=given: next(given))
            part = {a.job: a for a in run_checked(oasis, early).admissions}
        names = {job.name for job in early.jobs}
        assert {name: a for name, a in whole.items() if name in names} == part
        compared += len(part)
    assert compared > 20
