"""DRF: the least dominant share is served next, anew in every slot."""

from decimal import Decimal

import pytest
from online_small import (
    amounts,
    machine,
    online,
    run_checked,
    training_job,
    with_rates,
    workers_by_slot,
)

from ringyard.policies.online.baselines import DRF


def test_the_example_of_the_paper() -> None:
    """9 cores and 18 GB: A takes 1 core and 4 GB, B 3 cores and 1 GB (Ghodsi et al. 2011).

    Dominant shares grow by 4/18 for A and by 3/9 for B. Served are A (2/9 after it), B (3/9),
    A (4/9), B (6/9), A (6/9); then all 9 cores are taken, 3 by A and 6 by B.
    """
    many = {"batch_samples": 9, "workers_per_server": Decimal(9)}
    jobs = [
        training_job("A", samples=9, worker=amounts(cpu=1, memory=4), **many),
        training_job("B", samples=9, worker=amounts(cpu=3, memory=1), **many),
    ]
    instance = online([machine("m", cpu=9, memory=18, port=100)], jobs, 9)
    first = {name: held[0] for name, held in workers_by_slot(run_checked(DRF, instance)).items()}
    assert first == {"A": 3, "B": 2}


def test_servers_count_in_the_share() -> None:
    """A port is half of all there are, a worker a tenth: the second server costs `b` its turn.

    With a server for every worker, `b` has a share of 1/2 after one worker; `a`, whose one
    server serves all, of 1/2 too, and is at 1/2 until it has 5 workers. Then no port is left.
    """
    jobs = [
        training_job("a", samples=10, batch_samples=10, workers_per_server=Decimal(10)),
        training_job("b", samples=10, batch_samples=10, workers_per_server=Decimal(1)),
    ]
    schedule = run_checked(DRF, online([machine("m", cpu=10, port=2)], jobs, 10))
    assert {name: held[0] for name, held in workers_by_slot(schedule).items()} == {"a": 9, "b": 1}


def test_shares_are_dealt_anew_when_a_job_arrives() -> None:
    jobs = [training_job("a", samples=6), training_job("b", samples=2, arrival_slot=1)]
    schedule = run_checked(DRF, online([machine("m", cpu=4, port=9)], jobs, 9))
    assert workers_by_slot(schedule) == {"a": {0: 4, 1: 2}, "b": {1: 2}}


def test_nobody_gets_more_than_its_work_needs() -> None:
    jobs = [training_job("a", samples=1), training_job("b", samples=4)]
    schedule = run_checked(DRF, online([machine("m", cpu=4, port=9)], jobs, 9))
    assert workers_by_slot(schedule) == {"a": {0: 1}, "b": {0: 3, 1: 1}}


@pytest.mark.parametrize(
    ("outside", "expected"), [("0.5", {"m0": 2}), ("0.75", {"m0": 2, "m1": 2})]
)
def test_a_job_stays_inside_where_that_is_as_fast(outside: str, expected: dict[str, int]) -> None:
    """Two machines hold two workers each: 4 at 1/2 are as fast as 2 at 1, at 3/4 faster."""
    job = training_job("a", samples=6, **with_rates("1", outside))
    instance = online([machine("m0", cpu=2, port=1), machine("m1", cpu=2, port=1)], [job], 9)
    (admission,) = run_checked(DRF, instance).admissions
    assert dict(admission.plan[0].workers) == expected


def test_a_job_moved_inside_takes_no_more_than_it_needs_there() -> None:
    """Two samples are left: four workers across do them at 1/2, two inside at 1."""
    job = training_job("a", samples=2, **with_rates("1", "0.5"))
    instance = online([machine("m0", cpu=3, port=1), machine("m1", cpu=3, port=1)], [job], 9)
    assert workers_by_slot(run_checked(DRF, instance)) == {"a": {0: 2}}
