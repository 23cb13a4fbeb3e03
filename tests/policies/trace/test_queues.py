"""Tiresias' queues: who leaves them, who goes first in them, and who comes back."""

from check.trace.small import job, make_instance
from policies.trace.played import ends, turns

ROOM = {"a0": 2}


def test_a_job_leaves_its_queue_when_it_has_had_the_threshold() -> None:
    """Two GPUs for three ticks are six GPU-seconds; then whoever is new goes first."""
    instance = make_instance(ROOM, job("old", 2, 5), job("new", 2, 2, arrival=1))
    order = ["old"] * 3 + ["new"] * 2 + ["old"] * 2
    assert turns(instance, "tiresias-l:thresholds=[6]") == order


def test_time_without_work_is_no_service() -> None:
    """`old` is back at 6, works from 8, and leaves the second queue after two ticks of work."""
    jobs = job("old", 2, 7), job("new", 2, 3, arrival=1), job("last", 2, 3, arrival=7)
    instance = make_instance(ROOM, *jobs, restart_s=2)
    assert turns(instance, "tiresias-l:thresholds=[6,10]") == (
        ["old"] * 3 + ["new"] * 3 + ["old"] * 1 + ["last"] * 3 + ["old"] * 6
    )


def test_in_a_queue_the_first_start_counts() -> None:
    """Both have had the threshold when the second turn begins; `one` started before `two`."""
    instance = make_instance(ROOM, job("one", 2, 5), job("two", 2, 5, arrival=1))
    order = ["one"] * 3 + ["two"] * 3 + ["one"] * 2 + ["two"] * 2
    assert turns(instance, "tiresias-l:thresholds=[6]") == order


def test_those_that_have_not_started_come_last_by_arrival() -> None:
    """`wide` waits for both GPUs; `small` starts past it and stays in front of it from then on."""
    jobs = (
        job("first", 1, 2),
        job("wide", 2, 3, arrival=1),
        job("small", 1, 4, arrival=1),
    )
    assert ends(make_instance(ROOM, *jobs), "tiresias-l") == {"first": 2, "wide": 8, "small": 5}


def test_a_job_that_waited_long_enough_comes_back() -> None:
    """It worked for 2 of the first 8 ticks: without work for 3 times as long at tick 8."""
    news = [job(f"new{k}", 2, 2, arrival=2 * k) for k in range(1, 7)]
    instance = make_instance(ROOM, job("old", 2, 4), *news)
    waits = ["old"] * 2 + [f"new{k}" for k in range(1, 7) for _ in range(2)]
    assert turns(instance, "tiresias-l:thresholds=[4]") == [*waits, "old", "old"]
    order = turns(instance, "tiresias-l:thresholds=[4]:promote=3")
    assert order == [*waits[:8], "old", "old", *waits[8:]]


def test_all_is_counted_anew_for_a_job_that_comes_back() -> None:
    """It leaves the first queue again after another threshold, not at once."""
    news = [job(f"new{k}", 2, 1, arrival=k) for k in range(1, 12)]
    instance = make_instance(ROOM, job("old", 2, 3), *news)
    order = turns(instance, "tiresias-l:thresholds=[2]:promote=2")
    assert [tick for tick, name in enumerate(order) if name == "old"] == [0, 3, 6]


def test_the_index_orders_the_first_queue() -> None:
    """Three of four past jobs took 4 GPU-seconds; whoever has had that is behind who has not."""
    instance = make_instance(ROOM, job("old", 2, 4), job("new", 2, 4, arrival=1), law=(4, 4, 4, 40))
    by_index = turns(instance, "tiresias-g:thresholds=[30]:interval_s=1")
    assert by_index == ["old"] * 2 + ["new"] * 2 + ["old"] * 2 + ["new"] * 2
    assert turns(instance, "tiresias-l:thresholds=[30]") == ["old"] * 4 + ["new"] * 4


def test_in_order_of_entry_running_jobs_do_not_go_first() -> None:
    """Job b does not fit beside a. When a ends, c keeps its GPU, or b goes before it."""
    jobs = job("a", 1, 10), job("b", 2, 10, arrival=1), job("c", 1, 100, arrival=2)
    instance = make_instance(ROOM, *jobs)
    assert ends(instance, "tiresias-released") == {"a": 10, "b": 112, "c": 102}
    assert ends(instance, "tiresias-released:order=entry") == {"a": 10, "b": 20, "c": 112}
