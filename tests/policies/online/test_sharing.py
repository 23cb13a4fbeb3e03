"""Handing out workers one at a time: where they go, what is given back, where it ends."""

from decimal import Decimal

import numpy as np
from online_small import machine, online, training_job, with_rates

from ringyard.instances import Limits, Machine, TrainingJob
from ringyard.policies.online.planning import OnlinePlans, SlotPlacement, take
from ringyard.policies.online.sharing import FairAim, WorkerSharing


def sharing_of(machines: list[Machine], job: TrainingJob) -> WorkerSharing:
    instance = online(machines, [job], 100)
    return WorkerSharing(instance, OnlinePlans(instance, Limits(), "test"))


def test_the_first_of_the_machines_that_hold_most_is_the_home() -> None:
    machines = [machine(name, cpu=cpu, port=1) for name, cpu in (("a", 1), ("b", 2), ("c", 2))]
    sharing = sharing_of(machines, training_job("x"))
    free = sharing.model.capacity.copy()
    assert sharing.fairly(free, [0], [2]) == {0: SlotPlacement({1: 2}, {1: 1})}
    assert free.tolist() == [[1.0, 1.0], [0.0, 0.0], [2.0, 1.0]]


def test_what_does_not_fit_as_a_whole_is_given_back() -> None:
    """Four servers go with a worker, and there are two ports, on different machines."""
    job = training_job("x", workers_per_server=Decimal("0.25"))
    sharing = sharing_of([machine("a", cpu=9, port=1), machine("b", cpu=9, port=1)], job)
    free = sharing.model.capacity.copy()
    assert sharing.fairly(free, [0], [1]) == {}
    assert (free == sharing.model.capacity).all()


def test_above_its_limit_the_fairness_loss_does_not_rise() -> None:
    """A port is half of all there are; a share of 1/2 stays what it is up to 5 of 10 cpu."""
    job = training_job("x", samples=9, batch_samples=9, workers_per_server=Decimal(9))
    sharing = sharing_of([machine("m", cpu=10, port=2)], job)
    free, begun = sharing.model.capacity.copy(), SlotPlacement({0: 1}, {0: 1})
    take(sharing.model, free, 0, begun)
    aim = FairAim(by_share=False, rank=np.zeros(1), fair=np.zeros(1), loss=0.5, most_loss=0.1)
    assert sharing.hand_out(free, [0], [9], aim, {0: begun}) == {0: SlotPlacement({0: 5}, {0: 1})}


def test_a_job_moved_inside_gets_no_more_workers_than_its_share() -> None:
    """Two workers across move to a machine that has room for four."""
    job = training_job("x", samples=100, **with_rates("1", "0.5"))
    sharing = sharing_of([machine("m0", cpu=1, port=1), machine("m1", cpu=4, port=1)], job)
    free, spread = sharing.model.capacity.copy(), SlotPlacement({0: 1, 1: 1}, {0: 1})
    take(sharing.model, free, 0, spread)
    assert sharing.consolidate(free, 0, spread) == SlotPlacement({1: 2}, {1: 1})
    assert free.tolist() == [[1.0, 1.0], [2.0, 0.0]]
