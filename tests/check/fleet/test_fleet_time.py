"""The fleet judge on small cases whose ends and costs are worked out by hand."""

from fractions import Fraction

import pytest
from check.fleet.logs import broken, ends, fleet, job, lease, log, run, runs
from check.rental.plans import amdahl, power, stream, table

from ringyard.analysis.check import check

LINEAR = stream("t", 1, (1, amdahl(1)))


def test_speeds_are_rounded_to_millionths() -> None:
    root = [stream("t", 1, (1, power(0.5)))]
    small = fleet(root, job("a", "t", 1414214), job("b", "t", 1414215))
    # The root of 2 is 1.41421356.., taken for 1.414214.
    assert ends(small, runs("a", run(0, None, 2)), runs("b", run(0, None, 2))) == {
        "a": 10**6,
        "b": 10**6 + 1,
    }


@pytest.mark.parametrize(
    ("speed", "ticks"),
    [("0.0000025", 500_000), ("0.0000035", 250_000), ("0.0000001", 10**6)],
)
def test_halves_go_to_even_and_no_speed_to_nothing(speed: str, ticks: int) -> None:
    small = fleet([stream("t", 1, (1, table((2, speed))))], job("a", "t", 1))
    assert ends(small, runs("a", run(0, None, 2))) == {"a": ticks}


def test_an_epoch_that_ends_within_a_tick_loses_the_rest_of_it() -> None:
    two = stream("t", 1, (1, amdahl(1)), (1, amdahl(1)))
    small = fleet([two], job("a", "t", 3.5, 3.5), job("b", "t", 4, 4), tick_s=0.5)
    jobs = runs("a", run(0, None, 2)), runs("b", run(0.5, None, 2))
    assert ends(small, *jobs) == {"a": 2 + 2, "b": Fraction(9, 2)}


def test_each_epoch_has_a_speed_of_its_own() -> None:
    two = stream("t", 1, (1, amdahl(1)), (1, amdahl(0)))
    small = fleet([two], job("a", "t", 8, 3))
    assert ends(small, runs("a", run(0, None, 4))) == {"a": 2 + 3}
    # Stopped in the first epoch, and just at its end.
    assert ends(small, runs("a", run(0, 1, 4), run(1, None, 2))) == {"a": 1 + 2 + 3}
    assert ends(small, runs("a", run(0, 2, 4), run(2, None, 1))) == {"a": 2 + 3}


def test_only_the_first_run_works_from_its_start() -> None:
    small = fleet([LINEAR], job("a", "t", 10), rescale_s=3)
    assert ends(small, runs("a", run(0, 4, 1), run(4, None, 1))) == {"a": 4 + 3 + 6}
    assert ends(small, runs("a", run(0, 4, 1), run(9, None, 2))) == {"a": 9 + 3 + 3}


def test_a_run_stopped_in_its_restart_does_nothing_and_holds_its_gpus() -> None:
    small = fleet([LINEAR], job("a", "t", 5), rescale_s=4)
    jobs = [runs("a", run(0, 2, 1), run(2, 4, 3), run(4, None, 1))]
    verdict = check(small, log(jobs, [lease(3, 0, 20)]))
    assert verdict.ends == {"a": 4 + 4 + 3}
    assert verdict.held == Fraction(2 + 2 * 3 + 7, 3600)


def test_a_run_ends_with_the_work_even_if_it_could_go_on() -> None:
    small = fleet([LINEAR], job("a", "t", 4), job("b", "t", 4))
    jobs = [runs("a", run(0, 9, 2)), runs("b", run(2, None, 2))]
    assert broken(small, log(jobs, [lease(2, 0, 4)])) == []


def test_a_run_that_starts_too_early_starts_when_the_one_before_it_stops() -> None:
    small = fleet([LINEAR], job("a", "t", 6), rescale_s=1)
    jobs = [runs("a", run(0, 3, 1), run(1, 2, 1), run(2, None, 1))]
    verdict = check(small, log(jobs, [lease(1, 0, 20)]))
    assert verdict.ends == {"a": 3 + 1 + 3}
    assert [(v.rule, v.amount) for v in verdict.violations] == [("order", 2), ("order", 1)]


def test_gpus_change_hands_within_a_tick() -> None:
    small = fleet([LINEAR], job("a", "t", 6), job("b", "t", 4), provision_s=2)
    jobs = [runs("a", run(2, None, 2)), runs("b", run(5, None, 2))]
    # The second lease is of use when the first is given back, and b starts when a ends.
    assert broken(small, log(jobs, [lease(2, 0, 5), lease(2, 3, 7)])) == []
    assert broken(small, log(jobs, [lease(2, 0, 5), lease(2, 4, 7)])) == [
        ("capacity", "seconds [5, 6)", 2)
    ]


def test_a_lease_given_back_before_it_is_ready_is_paid_for_and_of_no_use() -> None:
    small = fleet([LINEAR], job("a", "t", 1), provision_s=5)
    verdict = check(small, log([runs("a", run(4, None, 1))], [lease(1, 0, 5)]))
    assert [(v.rule, v.where) for v in verdict.violations] == [("capacity", "seconds [4, 5)")]
    assert verdict.spend == Fraction(5, 3600)


@pytest.mark.parametrize(("billing", "billed"), [(None, 7), (1.5, 7.5), (3, 9), (3.5, 7), (60, 60)])
def test_leases_are_billed_in_whole_units(billing: float | None, billed: float) -> None:
    more = {} if billing is None else {"billing_s": billing}
    small = fleet([LINEAR], job("a", "t", 7), tick_s=0.5, price_per_gpu_h=7.2, **more)
    verdict = check(small, log([runs("a", run(0, None, 1))], [lease(4, 0, 7)]))
    assert verdict.valid
    assert verdict.leased == 4 * Fraction(billed) / 3600
    assert verdict.spend == verdict.leased * Fraction("7.2")


def test_completion_times_count_from_arrival_and_by_weight() -> None:
    types = [LINEAR, stream("u", 1, (1, amdahl(1)), weight=3)]
    small = fleet(types, job("a", "t", 2, arrival=1.5), job("b", "u", 3), tick_s=0.5)
    jobs = [runs("b", run(4, None, 1)), runs("a", run(1.5, None, 2))]
    verdict = check(small, log(jobs, [lease(9, 0, 9)]))
    assert verdict.ends == {"a": Fraction(5, 2), "b": 7}
    assert verdict.mean_jct == Fraction(1 + 3 * 7, 4) / 3600


def test_thousands_of_jobs_end_when_they_should() -> None:
    small = fleet([LINEAR], *(job(f"j{i}", "t", 60, arrival=i) for i in range(5_000)))
    jobs = [runs(f"j{i}", run(i, None, 2)) for i in range(5_000)]
    verdict = check(small, log(jobs, [lease(58, 0, 5_029)]))
    assert verdict.mean_jct == Fraction(30, 3600)
    assert [(v.rule, v.where, v.amount) for v in verdict.violations] == [
        ("capacity", "seconds [29, 5000)", 2)
    ]
