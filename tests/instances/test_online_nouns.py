"""Utilities, rates and faults of `online` instances, and what the generator draws."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ringyard
from ringyard.instances import Deadline, InputError, Level, Linear, Sigmoid, Step, digest, validate
from ringyard.instances.catalogue import load
from ringyard.simulation.online import online_model, refusal, utilities

SMALL = st.decimals(0, 50, places=3)


@given(SMALL, SMALL, SMALL.filter(bool), st.integers(0, 300))
def test_a_sigmoid_is_its_formula_to_twelve_decimals(
    steepness: Decimal, middle: Decimal, value: Decimal, slots: int
) -> None:
    found = Sigmoid(value=value, steepness=steepness, midpoint_slots=middle).at(slots)
    power = float(steepness) * (slots - float(middle))
    expected = float(value) / (1 + exp(power)) if power < 700 else 0.0
    assert float(found) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert found == round(found, 12)


def test_sigmoids_at_hand() -> None:
    """Half of it at the midpoint; constant, half of it, where time means nothing."""
    half = Sigmoid(value=Decimal(8), steepness=Decimal(2), midpoint_slots=Decimal(3))
    assert (half.at(3), half.at(1000)) == (4, 0)
    flat = replace(half, steepness=Decimal(0))
    assert {flat.at(n) for n in (0, 5, 500)} == {Decimal(4)}


def test_other_utilities_at_hand() -> None:
    line = Linear(value=Decimal(5), loss_per_slot=Decimal("1.5"), least=Decimal(1))
    assert [line.at(n) for n in range(5)] == [5, Decimal("3.5"), 2, 1, 1]
    levels = (Level(until_slot=1, value=Decimal(7)), Level(until_slot=3, value=Decimal(2)))
    assert [Step(levels=levels).at(n) for n in range(5)] == [7, 7, 2, 2, 0]
    assert [Deadline(value=Decimal(7), slots=1).at(n) for n in range(3)] == [7, 7, 0]


@given(st.sampled_from(["pdors", "pdors-small"]), st.integers(0, 20))
def test_utilities_in_floating_point_are_the_exact_ones(family: str, seed: int) -> None:
    for job in ringyard.generate(family, seed=seed).jobs[:5]:
        exact = [float(job.utility.at(n)) for n in range(20)]
        assert utilities(job.utility, 20).tolist() == pytest.approx(exact, rel=1e-9, abs=1e-12)


def test_rates_at_hand() -> None:
    """0.5 s of computing, and 2 x 2 x 1 / (b x 4) s of transfer at 2 and at 0.4 GB/s."""
    job = load("hand-online-inside").jobs[0]
    assert job.rate(True, Decimal(1)) == 1
    assert job.rate(False, Decimal(1)) == Fraction(1, 3)
    assert job.rate(False, Decimal(3)) == 1


def fault(**fields: object) -> str:
    """Return the complaint about hand-online-turn with its first job changed."""
    instance = load("hand-online-turn")
    job = replace(instance.jobs[0], **fields)
    with pytest.raises(InputError) as caught:
        validate(replace(instance, jobs=(job, *instance.jobs[1:])))
    return str(caught.value.problems[0])


def test_faults_across_fields() -> None:
    assert fault(sample_s=Decimal(0)).startswith("jobs[0]: found 'a', expected a sample that takes")
    assert "utility.least: found 5, expected at most value (2)" in fault(
        utility=Linear(value=Decimal(2), loss_per_slot=Decimal(0), least=Decimal(5))
    )
    late = (Level(until_slot=3, value=Decimal(2)), Level(until_slot=3, value=Decimal(1)))
    assert "levels[1].until_slot: found 3, expected more than 3" in fault(utility=Step(levels=late))
    assert "jobs[0].server: found cpu 9, expected demands that some machine can hold" in fault(
        server=(("cpu", Decimal(9)),)
    )
    crowded = fault(server=(("cpu", Decimal(1)), ("gpu", Decimal(2))))
    assert "a worker and a parameter server that fit together on 'm0'" in crowded


def test_two_machines_may_share_what_one_cannot_hold() -> None:
    instance = load("hand-online-turn")
    wide = replace(instance.jobs[0], server=(("cpu", Decimal(1)), ("gpu", Decimal(2))))
    other = replace(instance.machines[0], name="m1")
    validate(replace(instance, jobs=(wide,), machines=(*instance.machines, other)))


def test_names_are_told_apart() -> None:
    instance = load("hand-online-inside")
    twice = replace(instance, machines=(instance.machines[0],) * 2)
    with pytest.raises(InputError, match=r"machines\[1\].name: found 'm0'"):
        validate(twice)


def test_amounts_are_counted_in_whole_units() -> None:
    instance = load("hand-online-turn")
    tenth = replace(instance.jobs[0], worker=(("gpu", Decimal("0.1")),))
    model = online_model(replace(instance, jobs=(tenth,)))
    assert model.capacity.tolist() == [[2, 20]]
    assert (model.worker.tolist(), model.units.tolist()) == ([[0, 1]], [1, 10])


def test_amounts_with_too_many_digits_are_refused() -> None:
    instance = load("hand-online-turn")
    fine = replace(instance.jobs[0], worker=(("gpu", Decimal("0.12345678901234567")),))
    reason = refusal(replace(instance, jobs=(fine,)))
    assert reason is not None
    assert "amounts of 'gpu' have too many digits" in reason
    assert refusal(instance) is None


def test_the_generator_keeps_its_ranges() -> None:
    instance = ringyard.generate("pdors", seed=4)
    assert (len(instance.jobs), len(instance.machines), instance.horizon_slots) == (50, 100, 20)
    for job in instance.jobs:
        assert 50 <= job.epochs <= 200
        assert 20_000 <= job.samples <= 500_000
        assert 1 <= job.batch_samples <= 200
        assert Decimal("0.036") <= job.sample_s <= Decimal("0.36")
        assert job.external_gb_s <= Decimal("0.625") < Decimal("1.875") <= job.internal_gb_s
        assert job.arrival_slot < 16
    arrivals = [job.arrival_slot for job in instance.jobs]
    assert arrivals == sorted(arrivals)


def test_kinds_of_utilities_come_in_their_parts() -> None:
    """10 % flat, 55 % gentle, 35 % steep: within 3 points on 5,000 jobs."""
    jobs = ringyard.generate("pdors-large", seed=1).jobs
    steep = [float(job.utility.steepness) for job in jobs]
    flat = sum(s == 0 for s in steep) / len(steep)
    gentle = sum(0 < s <= 1 for s in steep) / len(steep)
    assert flat == pytest.approx(0.10, abs=0.03)
    assert gentle == pytest.approx(0.55, abs=0.03)
    assert all(s == 0 or s <= 1 or 4 <= s <= 6 for s in steep)


def test_a_seed_names_the_same_instance() -> None:
    one, same, other = (ringyard.generate("pdors-small", seed=s, name="x") for s in (1, 1, 2))
    assert digest(one) == digest(same) != digest(other)


def test_kinds_of_gpus_are_resources_of_machines() -> None:
    """A job asks for one kind by its name, and so is only on machines that have it."""
    rows = {
        "a": {"worker": {"a100": 1}, "samples": 8, "batch_samples": 2, "sample_s": 0.5},
        "b": {"worker": {"k80": 1}, "samples": 4, "batch_samples": 2, "sample_s": 1},
    }
    machines = {
        "new": {"capacity": {"a100": 2, "cpu": 2}},
        "old": {"capacity": {"k80": 2, "cpu": 2}},
    }
    instance = ringyard.online(rows, machines, horizon_slots=6)
    assert set(instance.resources) == {"a100", "k80", "cpu"}
    found = ringyard.solve(instance)
    assert found.verdict is not None
    assert (found.verdict.valid, found.verdict.objective) == (True, 2)
    assert found.schedule is not None
    held = {
        (one.job, machine)
        for one in found.schedule.admissions
        for plan in one.plan
        for machine, _ in plan.workers
    }
    assert held == {("a", "new"), ("b", "old")}
