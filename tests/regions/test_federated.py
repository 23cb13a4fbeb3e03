"""Rounds of federated averaging: data stay in their regions, and only models move."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ringyard.analysis.check import check
from ringyard.instances import Limits, MakespanInstance
from ringyard.instances.generate import generate
from ringyard.instances.makespan.mix import FederatedMix
from ringyard.methods import find_method
from ringyard.papers.federated import LocalData, local_data, trained


def drawn(seed: int = 0, **options: Any) -> MakespanInstance:
    made: MakespanInstance = generate("federated", seed=seed, **options)
    return made


def seconds(instance: MakespanInstance) -> dict[str, Fraction]:
    """Return what clients on one GPU take: nothing slows them down."""
    return {
        job.name: job.iterations
        * (Fraction(job.forward_s_per_sample) * job.batch_samples + Fraction(job.backward_s))
        for job in instance.jobs
        if job.gpus == 1
    }


def test_a_client_that_trains_elsewhere_is_found() -> None:
    instance = drawn(participation=Decimal("0.5"))
    plan = find_method("gang-lpt", "makespan").run(instance, Limits(), np.random.default_rng(0))
    assert plan.schedule is not None
    assert check(instance, plan.schedule).violations == ()
    moved = tuple(
        replace(job, allowed_regions=(f"r{(int(job.allowed_regions[0][1:]) + 1) % 3}",))
        for job in instance.jobs
        if job.allowed_regions
    )
    found = check(replace(instance, jobs=moved), replace(plan.schedule, digest=""))
    assert {broken.rule for broken in found.violations} == {"regions"}


def test_a_larger_share_has_the_same_clients_and_more() -> None:
    rounds = [
        {job.name: job.allowed_regions for job in drawn(participation=Decimal(share)).jobs}
        for share in ("0.01", "0.25", "1")
    ]
    assert [len(some) for some in rounds] == [1, 6, 24]
    assert rounds[0].items() <= rounds[1].items() <= rounds[2].items()


def test_in_another_round_others_take_part_with_the_same_data() -> None:
    first, other = ({job.name: job for job in drawn(turn=turn).jobs} for turn in (0, 1))
    assert first.keys() != other.keys()
    assert FederatedMix(turn=1).population(7) == FederatedMix().population(7)


def test_a_lone_client_takes_its_samples_and_the_way_of_its_model() -> None:
    """100 samples, twice, of 0.005 s are 1 s; 0.1 GB there and back at 0.125 GB/s are 1.6 s."""
    options = {"least_samples": 100, "most_samples": 100, "client_gpus": (1,)}
    (alone,) = seconds(drawn(participation=Decimal("0.01"), **options)).values()
    assert alone == pytest.approx(1 + 1.6, abs=1e-5)


def test_models_move_and_samples_do_not() -> None:
    """Twice the model, twice the way, whoever trains; with no model only training is left."""
    none, once, twice = (
        seconds(drawn(participation=Decimal(1), model_gb=Decimal(size))) for size in (0, 1, 2)
    )
    for name in none:
        assert twice[name] - once[name] == pytest.approx(once[name] - none[name], abs=1e-3)
    assert len({round(float(once[name] - none[name]), 2) for name in none}) == 1


def test_a_link_is_shared_by_as_many_as_fit_in() -> None:
    """Eight clients of a region on its four GPUs: each has a fourth of the link."""
    whole = {"participation": Decimal(1), "client_gpus": (1,), "model_gb": Decimal(1)}
    none, tight, roomy = (
        seconds(drawn(**{**whole, **some}))["c00"]
        for some in ({"model_gb": Decimal(0)}, {}, {"servers": 12})
    )
    assert tight - none == pytest.approx(2 * 4 / 0.125, abs=1e-3)
    assert roomy - none == pytest.approx(2 * 8 / 0.125, abs=1e-3)


def test_what_a_client_sends_knows_nothing_of_the_data_of_others() -> None:
    data = local_data(0)
    own = data.of[3]
    points = np.zeros_like(data.task.points)
    points[own] = data.task.points[own]
    blind = LocalData(data.task._replace(points=points), data.of, data.batches)
    sent = [trained(one, np.ones(10), 3, 0.1, seed=1) for one in (data, blind)]
    assert sent[0].tolist() == sent[1].tolist()


def test_the_mean_of_all_single_steps_is_a_step_on_all_data() -> None:
    """Where each client takes one step on all of its points: gradients are means over points."""
    data = local_data(0)
    sizes = [own.stop - own.start for own in data.of]
    whole = data._replace(batches=sizes)
    begin = np.full(10, 0.2)
    sent = [trained(whole, begin, i, 0.1, seed=1, passes=1) for i in range(len(sizes))]
    mean = np.average(sent, axis=0, weights=sizes)
    assert mean == pytest.approx(begin - 0.1 * data.task.slope(begin, slice(None)))
