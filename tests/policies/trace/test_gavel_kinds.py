"""`gavel` on kinds of GPUs: cases whose ends follow by hand from the rules of its simulator."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from check.trace.small import job, make_instance, number
from policies.trace.played import ends
from simulation.trace.drawn_instances import drawn, in_kinds

from ringyard.instances import TraceInstance, TraceJob, Width
from ringyard.instances.errors import InputError
from ringyard.methods import find_method
from ringyard.search.trace.gavel import halved


def on(name: str, gpus: int, duration: float, elsewhere: Any = None, **more: Any) -> TraceJob:
    """Return a job for GPUs of kind x, with its speeds on as many GPUs of other kinds."""
    speeds = ((kind, number(speed)) for kind, speed in (elsewhere or {}).items())
    widths = tuple(Width(gpus=gpus, gpu=kind, speed=speed) for kind, speed in speeds)
    return replace(job(name, gpus, duration, gpu="x", **more), speeds=widths)


def two_kinds(*jobs: TraceJob, gpus: int = 1, **more: Any) -> TraceInstance:
    """Return jobs on a server of kind x and one of kind y."""
    return make_instance({"a0": gpus, "a1": gpus}, *jobs, kinds={"a0": "x", "a1": "y"}, **more)


def test_fifo_gives_each_job_its_fastest_free_kind() -> None:
    """The second job would rather have x. The third waits until 100, the end of the round."""
    jobs = (on("a", 1, 100, {"y": 0.5}), on("b", 1, 40, {"y": 0.5}), on("c", 1, 30, {"y": 2}))
    found = ends(two_kinds(*jobs), "gavel:shares=fifo")
    assert found == {"a": 100, "b": 80, "c": 115}


def test_with_kinds_alike_fifo_takes_the_first_kind() -> None:
    slow = on("a", 1, 100, {"y": 2})
    assert ends(two_kinds(slow), "gavel:shares=fifo") == {"a": 50}
    assert ends(two_kinds(slow), "gavel:shares=fifo:kinds=alike") == {"a": 100}


def test_a_job_that_cannot_use_the_idle_kind_holds_up_nobody() -> None:
    """The second job has no speed on y, the third starts there at once."""
    jobs = (on("a", 1, 100), on("b", 1, 40), on("c", 1, 30, {"y": 0.5}))
    assert ends(two_kinds(*jobs), "gavel:shares=fifo") == {"a": 100, "b": 140, "c": 60}


def test_a_job_for_which_no_kind_has_room_holds_up_the_job_behind() -> None:
    """One GPU of x is idle until 100. Then c has x, and d y."""
    jobs = (
        on("a", 1, 100),
        on("b", 2, 40, {"y": 1}),
        on("c", 2, 30, {"y": 1}),
        on("d", 1, 10, {"y": 1}),
    )
    found = ends(two_kinds(*jobs, gpus=2), "gavel:shares=fifo")
    assert found == {"a": 100, "b": 40, "c": 130, "d": 110}


@pytest.mark.parametrize("shares", ["duration", "throughput"])
def test_each_job_is_on_the_kind_that_only_it_is_slow_without(shares: str) -> None:
    jobs = (on("a", 1, 900, {"y": 0.9}), on("b", 1, 900, {"y": 0.1}))
    assert ends(two_kinds(*jobs), f"gavel:shares={shares}") == {"a": 1000, "b": 900}


@pytest.mark.parametrize("shares", ["las", "fairness", "duration"])
def test_equal_jobs_end_together_at_the_least_time(shares: str) -> None:
    """Three jobs of 3600 s on GPUs that do the work of 1.5: all of it takes 7200 s."""
    jobs = [on(name, 1, 3600, {"y": 0.5}) for name in "abc"]
    found = ends(two_kinds(*jobs), f"gavel:shares={shares}:round_s=20:least_s=100")
    assert max(found.values()) < 7200 * 1.02
    assert min(found.values()) > 7200 * 0.98


def test_known_speeds_help_the_job_that_needs_them() -> None:
    """With kinds alike both jobs have half of each: b has done some 500 s when a ends at 900."""
    jobs = (on("a", 1, 900, {"y": 1}), on("b", 1, 900, {"y": 0.1}))
    known = ends(two_kinds(*jobs), "gavel:shares=duration:round_s=20")
    assert known == {"a": 900, "b": 900}
    alike = ends(two_kinds(*jobs), "gavel:shares=duration:kinds=alike:round_s=20")
    assert alike["a"] == 900
    assert alike["b"] > 900 + 200


def test_prices_decide_which_job_has_the_better_kind() -> None:
    """The first job does 2 steps in a second, the second job 1, and on y four fifths of that.

    Equal prices: 2 + 0.8 is more than 1 + 1.6. With y at half price, 2 + 1.6 is less than 1 + 3.2.
    """
    jobs = (on("a", 1, 800, {"y": 0.8}, model="m"), on("b", 1, 800, {"y": 0.8}))
    rule = 'gavel:shares=cost:steps={"m@1": 0.5}:prices='
    assert ends(two_kinds(*jobs), rule + '{"x": 1, "y": 1}') == {"a": 800, "b": 1000}
    assert ends(two_kinds(*jobs), rule + '{"x": 1, "y": 0.5}') == {"a": 1000, "b": 800}


@pytest.mark.parametrize("shares", ["fifo", "las", "fairness", "duration", "throughput", "cost"])
def test_schedules_on_drawn_kinds_are_valid(shares: str) -> None:
    """Some jobs know few kinds, and some kinds have few GPUs. The judge finds no broken rule."""
    for seed in range(6):
        instance = in_kinds(drawn(seed), Random(seed))
        tick, prices = instance.tick_s, "".join(f', "{kind}": 2' for kind in instance.kinds)
        times = f"round_s={20 * tick}:least_s={50 * tick}:interval_s={2 * tick}"
        rule = f"{shares}:prices={{{prices[2:]}}}" if shares == "cost" else shares
        alike = ":kinds=alike" * (seed % 2)
        assert ends(instance, f"gavel:shares={rule}{alike}:{times}").keys() == {
            one.name for one in instance.jobs
        }


def test_a_price_for_every_kind() -> None:
    refuses = find_method('gavel:shares=cost:prices={"x": 1}', "trace").refuses
    assert refuses(two_kinds(on("a", 1, 9))) == "shares=cost needs `prices` of x, y. Add them."
    assert refuses(make_instance({"a0": 1}, job("a", 1, 9))) is None


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ("close=1.05", "shares=duration"),
        ('prices={"x": 1}', "shares=cost"),
        ("close=0.5", "at least 1"),
    ],
)
def test_options_without_an_effect(options: str, named: str) -> None:
    with pytest.raises(InputError, match=named):
        find_method(f"gavel:{options}", "trace")


def test_halving_ends_near_the_least_duration() -> None:
    """From 100 and 1e6 s, and beyond that if all jobs take longer."""
    for least in (50.0, 101.0, 7200.0, 999_999.0, 3e6):
        found = halved(least, 1.05)
        assert max(100, least) <= found <= 1.05 * max(100, least) + 1
    assert halved(7200.0, 1.0001) < halved(7200.0, 1.05)
