"""`pollux`: rounds against brute force and by hand, and valid schedules on drawn instances."""

from collections.abc import Sequence
from decimal import Decimal
from itertools import product
from random import Random

import pytest
from check.trace.small import job, make_instance
from policies.trace.played import ends, played
from policies.trace.test_gavel_kinds import on, two_kinds
from simulation.trace.drawn_instances import drawn, in_groups

from ringyard import InputError, RefusedError, solve
from ringyard.analysis.check import check
from ringyard.formulations.trace.configurations import Configuration, cheapest
from ringyard.instances import TraceInstance
from ringyard.instances.generate import generate
from ringyard.search.trace.pollux import cheapest_numbers

WIDER = {2: 1.9, 4: 3.5}


def a_round(rng: Random) -> tuple[list[Configuration], int, float]:
    """Draw the configurations of a few jobs, GPUs, and the cost of waiting."""
    choices = [
        Configuration(number, gpus, (0,), rng.randint(-20, 20) / 4)
        for number in range(rng.randint(1, 5))
        for gpus in sorted(rng.sample(range(1, 7), rng.randint(1, 4)))
    ]
    return choices, rng.randint(1, 9), rng.randint(-4, 24) / 4


def cost(choices: Sequence[Configuration], chosen: Sequence[int], waiting: float) -> float:
    """Return what the chosen configurations and the waiting jobs cost."""
    jobs = {one.job for one in choices}
    return sum(choices[c].cost for c in chosen) + waiting * (len(jobs) - len(chosen))


def least(choices: Sequence[Configuration], gpus: int, waiting: float) -> float:
    """Try all combinations of configurations."""
    jobs = sorted({one.job for one in choices})
    own = [[None, *(c for c, one in enumerate(choices) if one.job == j)] for j in jobs]
    picks = [[c for c in picked if c is not None] for picked in product(*own)]
    fit = [picked for picked in picks if sum(choices[c].gpus for c in picked) <= gpus]
    return min(cost(choices, picked, waiting) for picked in fit)


@pytest.mark.parametrize("seed", range(60))
def test_a_round_costs_least(seed: int) -> None:
    """Costs are multiples of 1/4, so that sums are exact."""
    choices, gpus, waiting = a_round(Random(seed))
    chosen = cheapest_numbers(choices, gpus, waiting)
    assert len({choices[c].job for c in chosen}) == len(chosen)
    assert sum(choices[c].gpus for c in chosen) <= gpus
    assert cost(choices, chosen, waiting) == least(choices, gpus, waiting)


def test_the_program_for_regions_costs_the_same() -> None:
    for seed in range(10):
        choices, gpus, waiting = a_round(Random(seed))
        found = cheapest(choices, [gpus], waiting)
        assert cost(choices, found, waiting) == pytest.approx(least(choices, gpus, waiting))


def two_jobs() -> TraceInstance:
    jobs = (
        job("a", 1, 513, speeds={2: 1.9, 3: 2.7, 4: 3.4}),
        job("b", 1, 120, speeds={2: 1.2, 3: 1.3}),
    )
    return make_instance({"s0": 4}, *jobs)


def test_gpus_go_where_the_power_mean_is_greatest() -> None:
    """A quarter of speeds over those on the share, 2 GPUs: a has 0.132, 0.25, 0.355, 0.447.

    Job b has 0.208, 0.25, 0.271. With 0.001 more, the sums of the inverses are 11.2 for 1 and 3
    GPUs, 7.97 for 2 and 2, and 7.58 for 3 and 1. To the power of 3 the last two are 126 and 131.
    """
    assert ends(two_jobs(), "pollux:growth=free:round_s=1000") == {"a": 190, "b": 120}
    fairer = ends(two_jobs(), "pollux:growth=free:round_s=1000:power=-3")
    assert fairer == {"a": 270, "b": 100}


def test_with_p_above_0_the_sum_of_speed_ups_is_greatest() -> None:
    """With p = 1, 0.355 + 0.208 on 3 and 1 GPUs is more than 0.25 + 0.25 and 0.132 + 0.271."""
    found = ends(two_jobs(), "pollux:growth=free:round_s=1000:power=1")
    assert found == {"a": 190, "b": 120}


def test_a_job_has_at_most_twice_the_gpus_of_before() -> None:
    """It does 60 s of work on one GPU, 114 s on two, and the other 826 s on four."""
    small = make_instance({"s0": 4}, job("a", 1, 1000, speeds=WIDER))
    assert ends(small, "pollux") == {"a": 120 + 236}
    assert ends(small, "pollux:growth=free") == {"a": 286}


def test_restarts_so_far_make_the_next_one_dearer() -> None:
    """At 60 two GPUs gain 1.9 * 60 / 90, at 120 four gain 3.5 * (120 - 30) / 150, more than 1.9.

    It has done 60 s and 57 s of its work by then, and the other 350 s take 100 s from 150 on.
    """
    small = make_instance({"s0": 4}, job("a", 1, 117, speeds=WIDER), restart_s=30)
    assert ends(small, "pollux") == {"a": 120}
    small = make_instance({"s0": 4}, job("a", 1, 467, speeds=WIDER), restart_s=30)
    assert ends(small, "pollux") == {"a": 250}


def test_a_restart_has_to_pay() -> None:
    """1.4 * age / (age + 30) is 0.93 at 60, and 1.12 at 120. By then 120 s are done."""
    small = make_instance({"s0": 2}, job("a", 1, 260, speeds={2: 1.4}), restart_s=30)
    assert ends(small, "pollux") == {"a": 120 + 30 + 100}


def test_nobody_is_stopped_for_a_job_that_gains_no_more() -> None:
    small = make_instance({"s0": 1}, job("a", 1, 200), job("b", 1, 50, arrival=10), restart_s=30)
    assert ends(small, "pollux") == {"a": 200, "b": 240 + 50}


def test_a_job_that_has_just_come_uses_idle_gpus() -> None:
    """Its age is 0, and with it what is left of its speed-up."""
    small = make_instance({"s0": 1}, job("a", 1, 50), restart_s=30)
    assert ends(small, "pollux") == {"a": 50}


def test_arrivals_and_idle_gpus_wait_for_the_next_round() -> None:
    jobs = (job("a", 1, 50), job("b", 1, 10, arrival=20), job("c", 1, 10, arrival=130))
    assert ends(make_instance({"s0": 1}, *jobs), "pollux") == {"a": 50, "b": 70, "c": 190}


def test_schedules_on_drawn_instances_are_valid_and_repeatable() -> None:
    for seed in range(24):
        instance = drawn(seed)
        rules = f"pollux:round_s={3 * instance.tick_s}:interval_s={instance.tick_s}"
        for growth in ("doubling", "free"):
            made = played(instance, f"{rules}:growth={growth}")
            verdict = check(instance, made)
            assert verdict.violations == (), seed
            assert verdict.ends.keys() == {one.name for one in instance.jobs}
            assert played(instance, f"{rules}:growth={growth}") == made


@pytest.mark.parametrize("seed", range(3))
def test_jobs_bound_to_regions_are_served(seed: int) -> None:
    sizes = {"jobs": 20, "servers": 8, "server_gpus": 4, "regions": 2}
    instance: TraceInstance = generate("philly", seed=seed, most_s=Decimal(4000), **sizes)
    assert any(one.allowed_regions for one in instance.jobs)
    assert check(instance, played(instance, "pollux:round_s=120")).violations == ()


def test_kinds_and_limits_of_groups_are_refused() -> None:
    with pytest.raises(RefusedError, match="kind"):
        solve(two_kinds(on("a", 1, 90, {"y": 0.5})), "pollux")
    with pytest.raises(RefusedError, match="group"):
        solve(in_groups(drawn(1), Random(1), always=True), "pollux")


@pytest.mark.parametrize("text", ["power=0", "waiting=1"])
def test_options_with_which_jobs_might_never_run_are_refused(text: str) -> None:
    with pytest.raises(InputError, match=text.partition("=")[0]):
        solve(two_jobs(), f"pollux:{text}")
