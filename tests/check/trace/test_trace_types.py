"""Jobs that go through phases, on small cases whose ends are worked out by hand.

The work of the type `slow` is a quarter at speed 1 on one GPU and 1.9 on two, and three quarters at
0.5 and 0.4. A job of 10 ticks thus has 2.5 ticks of work in the first phase and 7.5 in the second.
"""

from decimal import Decimal
from typing import Any

import pytest
from check.trace.small import broken, ends, job, make_instance, plan, run, schedule, type_of

from ringyard.instances import InputError, Outage, ServerUplink, TraceInstance
from ringyard.instances.trace import named_types, phases_of

SLOW = type_of("slow", (0.25, {1: 1, 2: 1.9}), (0.75, {1: 0.5, 2: 0.4}))


def one(**more: Any) -> TraceInstance:
    rest = {key: more.pop(key) for key in ("done_s", "held", "stopped") if key in more}
    own = job("a", 1, 10, type="slow", **rest)
    return make_instance({"s0": 2, "s1": 2}, own, types=(SLOW,), **more)


def test_a_phase_ends_at_a_tick_and_the_rest_of_that_tick_is_lost() -> None:
    # 2.5 ticks of work take 3 ticks, then 7.5 / 0.5 = 15.
    assert ends(one(), plan("a", run(0, None, s0=1))) == {"a": 18}


def test_the_best_number_of_gpus_changes_from_phase_to_phase() -> None:
    # 2.5 / 1.9 takes 2 ticks and 7.5 / 0.4 takes 19. One GPU from the second phase on takes 15.
    assert ends(one(), plan("a", run(0, None, s0=2))) == {"a": 2 + 19}
    assert ends(one(), plan("a", run(0, 2, s0=2), run(2, None, s0=1))) == {"a": 2 + 15}


def test_a_stop_inside_a_phase_keeps_what_was_done_in_it() -> None:
    # After 1 tick, 1.5 ticks of the first phase are left.
    assert ends(one(), plan("a", run(0, 1, s0=1), run(5, None, s0=1))) == {"a": 5 + 2 + 15}
    # A stop at the end of the phase, and one 3 ticks into the second: 6 of 7.5 are left.
    assert ends(one(), plan("a", run(0, 3, s0=1), run(5, None, s0=1))) == {"a": 5 + 15}
    assert ends(one(), plan("a", run(0, 6, s0=1), run(9, None, s0=1))) == {"a": 9 + 12}


@pytest.mark.parametrize(
    ("every", "at", "end"),
    [
        (10, 2, 3 + 18),  # In the first phase, all is lost.
        (10, 8, 9 + 15),  # In the second, the first is not lost: it ended at 3.
        (4, 10, 11 + 11),  # From 3 on, the last checkpoint is at 7, when 7.5 - 4 * 0.5 were left.
        (10, 3, 4 + 15),  # A phase that ends as the outage begins is done.
    ],
)
def test_an_outage_takes_no_job_back_into_a_phase_that_has_ended(
    every: int, at: int, end: int
) -> None:
    out = Outage(server="s0", from_s=Decimal(at), until_s=Decimal(at + 1))
    small = one(outages=(out,), checkpoint_s=every)
    assert ends(small, plan("a", run(0, at, s0=1), run(at + 1, None, s0=1))) == {"a": end}


@pytest.mark.parametrize(
    ("done", "end"), [(1, 2 + 15), (2.5, 15), (4, 12), (2.4, 1 + 15), (9.9, 1)]
)
def test_work_before_time_0_says_in_which_phase_a_job_is(done: float, end: int) -> None:
    held = {"held": (("s0", 1),)}
    assert ends(one(done_s=done, **held), plan("a", run(0, None, s0=1))) == {"a": end}


def test_a_change_of_contention_keeps_the_phase() -> None:
    # Alone across servers, speed 1 / (1 + 1) = 0.5: 2.5 ticks of work take 5, then 7.5 / 0.25 = 30.
    quick = type_of("quick", (0.25, {2: 1}), (0.75, {2: 0.5}))
    own = job("a", 2, 10, communication=1, type="quick")
    other = job("b", 2, 2, 8, communication=1)
    small = make_instance(
        {"s0": 2, "s1": 2},
        own,
        other,
        types=(quick,),
        contention=ServerUplink(share=Decimal(1), degradation=Decimal(0)),
    )
    alone = plan("a", run(0, None, s0=1, s1=1))
    assert ends(small, alone, plan("b", run(40, None, s0=2)))["a"] == 35
    # From 8 on both cross. Then b has the speed 1 / 3, in millionths 333,333, and takes 7 ticks for
    # 2 of work. Of 7.5, job a does 3 * 0.25 before, and 7 * 0.166667 beside it. The other 5.583331
    # take 23 ticks.
    both = plan("b", run(8, None, s0=1, s1=1))
    assert ends(small, alone, both) == {"a": 8 + 7 + 23, "b": 15}


def test_a_phase_without_work_is_left_out() -> None:
    tiny = type_of("tiny", (0.0000001, {1: 1}), (0.9999999, {1: 0.5}))
    small = make_instance({"s0": 1}, job("a", 1, 1, type="tiny"), types=(tiny,))
    (only,) = phases_of(named_types(small), small.jobs[0], small.tick_s)
    assert only.left == 0
    assert ends(small, plan("a", run(0, None, s0=1))) == {"a": 2}


def test_only_the_gpus_that_its_type_names_and_those_requested_are_allowed() -> None:
    made = schedule(plan("a", run(0, None, s0=2, s1=1)))
    assert [rule for rule, _, _ in broken(one(), made)] == ["gang"]


@pytest.mark.parametrize(
    ("types", "more", "said"),
    [
        ((type_of("slow", (0.25, {1: 1}), (0.7, {1: 1})),), {}, "add up to 0.95"),
        ((type_of("slow", (0.25, {1: 1}), (0.75, {2: 1})),), {}, "phases[1].speeds: found 2 GPUs"),
        ((type_of("slow", (1, {5: 1})),), {}, "found 5, expected at most 4"),
        ((type_of("other", (1, {1: 1})),), {}, "jobs[0].type: found 'slow', expected one of"),
        ((SLOW, SLOW), {}, "types"),
        ((SLOW,), {"speeds": {2: 1}}, "none, because type 'slow' has them"),
    ],
)
def test_types_that_do_not_fit_are_refused(types: Any, more: Any, said: str) -> None:
    with pytest.raises(InputError) as error:
        make_instance({"s0": 2, "s1": 2}, job("a", 1, 10, type="slow", **more), types=types)
    assert said in str(error.value)
