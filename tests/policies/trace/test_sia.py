"""`sia` on cases whose programs are solved by hand, and valid schedules on drawn instances."""

from decimal import Decimal
from random import Random

import pytest
from check.trace.small import job, make_instance
from policies.trace.played import ends, played
from policies.trace.test_gavel_kinds import on, two_kinds
from simulation.trace.drawn_instances import drawn, in_kinds

from ringyard import InputError, solve
from ringyard.analysis.check import check
from ringyard.instances import TraceInstance
from ringyard.instances.generate import generate

WIDER = {2: 1.9, 4: 3.5}


def contrasts(restart: float) -> TraceInstance:
    """Return a job that is twice as fast on x as on y, and one for which it matters less."""
    jobs = (on("a", 1, 90, {"y": 0.5}), on("b", 1, 300, {"y": 0.8}))
    return two_kinds(*jobs, restart_s=restart)


def test_the_job_that_gains_more_has_the_faster_kind() -> None:
    """Costs are 2^-0.5 + 1 with a on x, and 1 + (1 / 0.8)^-0.5 with b on x.

    At 120 b has done 96 s of its work. It moves to x, which is free, for the other 204 s.
    """
    assert ends(contrasts(0), "sia") == {"a": 90, "b": 120 + 204}


def test_a_restart_is_weighed_against_the_age() -> None:
    """A move to x pays once 0.8 < age / (age + 30). The first round after 120 s begins at 180."""
    assert ends(contrasts(30), "sia") == {"a": 90, "b": 180 + 30 + 156}


def test_with_p_above_0_the_sum_of_goodputs_is_greatest() -> None:
    """With p = 1 a goodput of 4 is more than 1 + 1. Otherwise two jobs run on a GPU each."""
    jobs = (job("c", 1, 60, speeds={2: 4}), job("a", 1, 10), job("b", 1, 10))
    small = make_instance({"s0": 2}, *jobs)
    wide = ends(small, "sia:growth=free:round_s=5:power=1:waiting=1.5")
    assert wide == {"c": 15, "a": 25, "b": 25}
    narrow = ends(small, "sia:growth=free:round_s=5:waiting=3")
    assert min(narrow["a"], narrow["b"]) == 10


def test_a_job_has_at_most_twice_the_gpus_of_before() -> None:
    """It does 60 s of work on one GPU, 114 s on two, and the other 826 s on four."""
    small = make_instance({"s0": 4}, job("a", 1, 1000, speeds=WIDER))
    assert ends(small, "sia") == {"a": 120 + 236}
    assert ends(small, "sia:growth=free") == {"a": 286}


def test_the_next_larger_number_may_be_more_than_twice_as_many() -> None:
    small = make_instance({"s0": 4}, job("a", 4, 100, speeds={1: 0.5}))
    assert ends(small, "sia") == {"a": 60 + 70}


def test_numbers_are_powers_of_two_or_whole_servers() -> None:
    """Three and five GPUs are fastest, and no configurations. Eight is, as two whole servers."""
    speeds = {2: 1.5, 3: 9, 5: 9, 8: 4}
    schedule = played(make_instance({"s0": 4, "s1": 4}, job("a", 1, 900, speeds=speeds)), "sia")
    (entry,) = schedule.jobs
    widths = [sum(gpus for _, gpus in run.gpus) for run in entry.runs]
    assert widths == [1, 2, 8]


def test_the_requested_number_is_no_configuration_of_its_own() -> None:
    """A job that requests three GPUs ends with two. It has three only if it can run on no others.

    It does 24 s of work on one GPU in the first round, and the other 76 s at speed 0.8.
    """
    small = make_instance({"s0": 4}, job("a", 3, 100, speeds={1: 0.4, 2: 0.8}))
    assert ends(small, "sia") == {"a": 60 + 95}
    assert ends(make_instance({"s0": 4}, job("a", 3, 100)), "sia") == {"a": 100}


def test_arrivals_and_idle_gpus_wait_for_the_next_round() -> None:
    jobs = (job("a", 1, 50), job("b", 1, 10, arrival=20), job("c", 1, 10, arrival=130))
    assert ends(make_instance({"s0": 1}, *jobs), "sia") == {"a": 50, "b": 70, "c": 190}


def test_a_job_that_restarts_keeps_its_gpus() -> None:
    """At 60 a takes the second GPU, and restarts until 160. Two narrow jobs are worth more.

    They come at 100, and have to wait for the round in which a has worked.
    """
    wide = job("a", 1, 100, speeds={2: 1.05})
    jobs = (wide, job("b", 1, 60, arrival=100), job("c", 1, 60, arrival=100))
    found = ends(make_instance({"s0": 2}, *jobs, restart_s=100), "sia")
    assert (found["b"], found["c"]) == (240, 240)


def test_schedules_on_drawn_kinds_are_valid() -> None:
    for seed in range(24):
        instance = in_kinds(drawn(seed), Random(seed)) if seed % 2 else drawn(seed)
        rules = f"sia:round_s={3 * instance.tick_s}:interval_s={instance.tick_s}"
        for growth in ("doubling", "free"):
            found = ends(instance, f"{rules}:growth={growth}")
            assert found.keys() == {one.name for one in instance.jobs}


@pytest.mark.parametrize("seed", range(3))
def test_jobs_bound_to_regions_on_kinds_are_served(seed: int) -> None:
    sizes = {"jobs": 20, "servers": 8, "server_gpus": 4, "regions": 2, "kinds": 2}
    instance: TraceInstance = generate("philly", seed=seed, most_s=Decimal(4000), **sizes)
    assert any(one.allowed_regions for one in instance.jobs)
    assert check(instance, played(instance, "sia:round_s=120")).violations == ()


@pytest.mark.parametrize("text", ["power=0", "waiting=1"])
def test_options_with_which_jobs_might_never_run_are_refused(text: str) -> None:
    with pytest.raises(InputError, match=text.partition("=")[0]):
        solve(contrasts(0), f"sia:{text}")
