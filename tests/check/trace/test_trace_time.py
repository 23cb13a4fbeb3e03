"""The trace judge on small cases whose ends are worked out by hand."""

from decimal import Decimal
from fractions import Fraction

import pytest
from check.trace.small import ends, job, make_instance, plan, run, schedule

from ringyard.analysis.check import check
from ringyard.instances import RackLinks, ServerUplink


def test_the_three_jobs_of_tiresias_have_a_mean_of_ten() -> None:
    jobs = job("J1", 2, 2), job("J2", 1, 8), job("J3", 2, 6)
    small = make_instance({"s0": 2}, *jobs)
    made = schedule(
        plan("J1", run(0, None, s0=2)),
        plan("J2", run(2, 6, s0=1), run(8, 12, s0=1)),
        plan("J3", run(6, 8, s0=2), run(12, None, s0=2)),
    )
    verdict = check(small, made)
    assert verdict.valid
    assert verdict.ends == {"J1": 2, "J2": 12, "J3": 16}
    assert verdict.objective == verdict.mean_jct == 10


def test_completion_times_count_from_arrival() -> None:
    small = make_instance({"s0": 1}, job("a", 1, 4, 1.5), job("b", 1, 3, 2), tick_s=0.5)
    verdict = check(
        small, schedule(plan("b", run(5.5, None, s0=1)), plan("a", run(1.5, None, s0=1)))
    )
    assert verdict.ends == {"a": Fraction(11, 2), "b": Fraction(17, 2)}
    assert verdict.objective == Fraction(4 + Fraction(13, 2), 2)


def test_running_again_elsewhere_costs_a_restart_and_on_the_same_gpus_a_resume() -> None:
    small = make_instance({"s0": 2, "s1": 2}, job("a", 2, 10), restart_s=3, resume_s=1)
    first = run(0, 4, s0=2)
    assert ends(small, plan("a", first, run(5, None, s1=2))) == {"a": 5 + 3 + 6}
    assert ends(small, plan("a", first, run(5, None, s0=2))) == {"a": 5 + 1 + 6}
    assert ends(small, plan("a", first, run(5, 7, s0=2), run(7, None, s0=2))) == {"a": 7 + 1 + 5}


def test_a_resume_costs_as_much_as_a_restart_unless_said_otherwise() -> None:
    small = make_instance({"s0": 2}, job("a", 2, 10), restart_s=3)
    assert ends(small, plan("a", run(0, 4, s0=2), run(4, None, s0=2))) == {"a": 4 + 3 + 6}


def test_another_share_of_the_same_gpus_is_a_restart() -> None:
    small = make_instance({"s0": 2}, job("a", 2, 10, packed_speed=0.5), restart_s=3, resume_s=0)
    half = run(4, None, "half", s0=2)
    assert ends(small, plan("a", run(0, 4, s0=2), half)) == {"a": 4 + 3 + 12}


def test_a_run_stopped_in_its_restart_holds_gpus_and_does_nothing() -> None:
    small = make_instance({"s0": 1, "s1": 1}, job("a", 1, 5), restart_s=4)
    runs = run(0, 2, s0=1), run(2, 4, s1=1), run(4, None, s0=1)
    verdict = check(small, schedule(plan("a", *runs)))
    assert verdict.ends == {"a": 4 + 4 + 3}
    assert [(held.start, held.works, held.stop) for held in verdict.held] == [
        (0, 0, 2),
        (2, 4, 4),
        (4, 8, 11),
    ]


def test_a_run_ends_when_the_work_is_done_even_if_it_could_stop_later() -> None:
    small = make_instance({"s0": 1}, job("a", 1, 5), job("b", 1, 2))
    assert ends(small, plan("a", run(0, 9, s0=1)), plan("b", run(5, None, s0=1)))["b"] == 7


def test_two_jobs_share_a_gpu_at_their_packed_speeds() -> None:
    jobs = job("a", 1, 6, packed_speed=0.75), job("b", 1, 4, packed_speed=0.5)
    small = make_instance({"s0": 1}, *jobs)
    half = run(0, None, "half", s0=1)
    assert ends(small, plan("a", half), plan("b", half)) == {"a": 8, "b": 8}


def test_other_widths_have_speeds_of_their_own() -> None:
    small = make_instance({"s0": 4}, job("a", 2, 12, speeds={1: 0.6, 4: 1.5}), restart_s=1)
    runs = run(0, 5, s0=1), run(5, 9, s0=4), run(9, None, s0=2)
    # 5 x 0.6, then 3 x 1.5 after a restart, then 4.5 more.
    assert ends(small, plan("a", *runs)) == {"a": 9 + 1 + 5}


def test_a_job_on_two_servers_exchanges_over_links() -> None:
    small = make_instance({"s0": 2, "s1": 2}, job("a", 2, 4, communication=0.5), job("b", 2, 4))
    plans = plan("a", run(0, None, s0=1, s1=1)), plan("b", run(0, None, s0=1, s1=1))
    # At 1/1.5 per tick, rounded up to 0.666667, six ticks suffice.
    assert ends(small, *plans) == {"a": 6, "b": 4}


def test_speeds_are_rounded_to_millionths_and_never_to_nothing() -> None:
    third = make_instance({"s0": 1, "s1": 1}, job("a", 2, 1, communication=2))
    assert ends(third, plan("a", run(0, None, s0=1, s1=1))) == {"a": 4}, "3 x 0.333333 < 1"
    slow = make_instance({"s0": 1, "s1": 1}, job("a", 2, 1, communication=10**9))
    assert ends(slow, plan("a", run(0, None, s0=1, s1=1))) == {"a": 10**6}
    # 2.5 millionths go to 2, 3.5 to 4.
    for speed, ticks in (("0.0000025", 500_000), ("0.0000035", 250_000)):
        odd = make_instance({"s0": 2}, job("a", 2, 1, speeds={1: Decimal(speed)}))
        assert ends(odd, plan("a", run(0, None, s0=1))) == {"a": ticks}


def test_rings_on_the_same_uplink_slow_each_other_down_while_both_are_there() -> None:
    contention = ServerUplink(share=Decimal(1), degradation=Decimal(1))
    jobs = job("a", 2, 10, communication=1), job("b", 2, 2, communication=1)
    small = make_instance({"s0": 2, "s1": 2, "s2": 1}, *jobs, contention=contention)
    plans = plan("a", run(0, None, s0=1, s1=1)), plan("b", run(4, None, s0=1, s2=1))
    # Alone f = 1, together f = 2 + 1: b needs 8 ticks at 1/4; a does 2, then 2, then 6.
    assert ends(small, *plans) == {"b": 12, "a": 12 + 12}


def test_a_ring_takes_part_of_its_links_while_it_restarts() -> None:
    contention = ServerUplink(share=Decimal(1), degradation=Decimal(1))
    ring = job("a", 2, 5, communication=1)
    small = make_instance(
        {"s0": 3, "s1": 3},
        ring,
        job("b", 2, 5, communication=1),
        contention=contention,
        restart_s=4,
    )
    plans = (
        plan("a", run(0, None, s0=1, s1=1)),
        plan("b", run(0, 2, s0=2), run(2, 6, s0=1, s1=1), run(6, None, s0=2)),
    )
    # a: 2 ticks at 1/2, 4 at 1/4 while b restarts beside it, then 3 left at 1/2.
    assert ends(small, *plans)["a"] == 12


@pytest.mark.parametrize(("oversubscription", "end"), [(1, 8), (2, 13), (4, 20)])
def test_racks_share_their_uplink_fairly(oversubscription: int, end: int) -> None:
    jobs = job("a", 2, 4, communication=1), job("b", 2, 4, communication=1)
    racks = RackLinks(oversubscription=Decimal(oversubscription))
    small = make_instance({"a0": 1, "a1": 1, "b0": 1, "b1": 1}, *jobs, contention=racks)
    plans = plan("a", run(0, None, a0=1, b0=1)), plan("b", run(0, None, a1=1, b1=1))
    # A rack's uplink is 2 / oversubscription wide, and two rings cross it: f is oversubscription.
    # A third rounds down, so that 12 ticks are just not enough.
    assert ends(small, *plans) == {"a": end, "b": end}


def test_rings_inside_racks_do_not_cross_the_uplinks_of_racks() -> None:
    jobs = job("a", 2, 4, communication=1), job("b", 2, 4, communication=1)
    racks = RackLinks(oversubscription=Decimal(4))
    small = make_instance({"a0": 2, "a1": 2, "b0": 1, "b1": 1}, *jobs, contention=racks)
    apart = plan("a", run(0, None, a0=1, a1=1)), plan("b", run(0, None, b0=1, b1=1))
    assert ends(small, *apart) == {"a": 8, "b": 8}
    together = plan("a", run(0, None, a0=1, a1=1)), plan("b", run(0, None, a0=1, a1=1))
    assert ends(small, *together) == {"a": 13, "b": 13}
