"""EASY backfill: job by job the schedules of a plain simulation written here, and cases by hand."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import NamedTuple

import pytest
from check.trace.small import job, make_instance
from policies.trace.played import ends, played

from ringyard.instances import RefusedError, TraceInstance

YEAR = 365 * 24 * 3600

KEYS: dict[str, Callable[["Task"], int]] = {
    "arrival": lambda task: 0,
    "priority": lambda task: -task.priority,
    "gpus": lambda task: task.gpus,
    "limit": lambda task: task.limit,
}


class Task(NamedTuple):
    """A job in whole ticks."""

    name: str
    gpus: int
    duration: int
    arrival: int
    limit: int
    priority: int


def easy(total: int, tasks: list[Task], order: str) -> dict[str, int]:
    """Return when each job starts on a cluster of which only the number of GPUs matters."""
    place = {task: k for k, task in enumerate(tasks)}
    starts: dict[str, int] = {}
    running: list[Task] = []
    waiting: list[Task] = []

    def idle() -> int:
        return total - sum(task.gpus for task in running)

    def start(task: Task) -> None:
        waiting.remove(task)
        running.append(task)
        starts[task.name] = now

    def idle_at(tick: int) -> int:
        """Return the GPUs that are expected to be idle at a later tick."""
        still = [t for t in running if max(starts[t.name] + t.limit, now + 1) > tick]
        return total - sum(task.gpus for task in still)

    now = -1
    while len(starts) < len(tasks):
        coming = [task.arrival for task in tasks if task.arrival > now]
        now = min(coming + [starts[t.name] + t.duration for t in running])
        running = [task for task in running if starts[task.name] + task.duration > now]
        waiting += [task for task in tasks if task.arrival == now]
        waiting.sort(key=lambda task: (KEYS[order](task), task.arrival, place[task]))
        while waiting and waiting[0].gpus <= idle():
            start(waiting[0])
        if not waiting:
            continue
        head = waiting[0]
        expected = sorted(max(starts[t.name] + t.limit, now + 1) for t in running)
        promise = next(tick for tick in expected if idle_at(tick) >= head.gpus)
        for task in waiting[1:]:
            if task.gpus <= idle():
                harmless = now + task.limit <= promise
                if harmless or idle_at(promise) - head.gpus >= task.gpus:
                    start(task)
    return starts


def planned(total: int, tasks: list[Task], order: str, promised: int) -> dict[str, int]:
    """Return when each job starts if the first `promised` of the queue have a reserved time."""
    place = {task: k for k, task in enumerate(tasks)}
    starts: dict[str, int] = {}
    now = -1
    while len(starts) < len(tasks):
        ends = [starts[t.name] + t.duration for t in tasks if t.name in starts]
        now = min(tick for tick in (*ends, *(t.arrival for t in tasks)) if tick > now)
        held = [
            (now, max(now + 1, starts[t.name] + t.limit), t.gpus)
            for t in tasks
            if t.name in starts and starts[t.name] + t.duration > now
        ]
        waiting = [t for t in tasks if t.name not in starts and t.arrival <= now]
        waiting.sort(key=lambda task: (KEYS[order](task), task.arrival, place[task]))
        left = promised
        for task in waiting:
            for tick in sorted({now, *(until for _, until, _ in held)}):
                moments = [tick, *(a for a, _, _ in held if tick < a < tick + task.limit)]
                busy = [sum(g for a, b, g in held if a <= m < b) for m in moments]
                if max(busy) + task.gpus <= total:
                    break
            if tick == now:
                starts[task.name] = now
            elif left == 0:
                continue
            else:
                left -= 1
            held.append((tick, tick + task.limit, task.gpus))
    return starts


def draw(seed: int) -> tuple[TraceInstance, list[Task], str]:
    """Return a log, the same for the plain simulation, and an order.

    Some jobs overrun their limits, and in some logs jobs or all jobs have none.
    """
    rng = Random(seed)
    servers = {f"s{k}": rng.randint(1, 8) for k in range(rng.randint(1, 5))}
    total, tasks, jobs = sum(servers.values()), list[Task](), []
    missing, overrun, gap = rng.choice([0, 0, 0.3, 1]), rng.choice([0, 0.3]), rng.randint(0, 12)
    rows = []
    for k in range(rng.randint(2, 40)):
        duration = rng.randint(1, rng.choice([5, 60]))
        longer = duration * rng.choice([1, 1, 2, 5]) + rng.randint(0, 3)
        limit = max(1, duration // 3) if rng.random() < overrun else longer
        width = rng.randint(1, rng.choice([1, 4, total]) if total > 3 else total)
        arrival, priority = rng.randint(0, gap * 10), rng.randint(-1, 2)
        given = None if rng.random() < missing else limit
        rows.append((f"j{k}", width, duration, arrival, given, priority))
    longest = max((row[4] for row in rows if row[4] is not None), default=YEAR)
    for name, width, duration, arrival, given, priority in rows:
        limit = longest if given is None else given
        tasks.append(Task(name, width, duration, arrival, limit, priority))
        one = job(name, width, duration, arrival, limit_s=given)
        jobs.append(replace(one, priority=priority))
    return make_instance(servers, *jobs), tasks, rng.choice(list(KEYS))


def agree(seeds: range) -> None:
    overtaken = tighter = 0
    for seed in seeds:
        instance, tasks, order = draw(seed)
        found = ends(instance, f"backfill:order={order}")
        starts = easy(instance.gpus, tasks, order)
        assert found == {t.name: starts[t.name] + t.duration for t in tasks}, (seed, order)
        assert planned(instance.gpus, tasks, order, 1) == starts
        promised = (2, 3, 1000)[seed % 3]
        starts = planned(instance.gpus, tasks, order, promised)
        many = ends(instance, f"backfill:order={order}:promised={promised}")
        assert many == {t.name: starts[t.name] + t.duration for t in tasks}, (seed, promised)
        tighter += many != found
        overtaken += found != ends(instance, "fifo")
    assert overtaken > len(seeds) / 2
    assert tighter > len(seeds) / 10


def test_the_schedules_of_a_plain_simulation() -> None:
    agree(range(100))


@pytest.mark.slow
def test_the_schedules_of_a_plain_simulation_on_many_logs() -> None:
    agree(range(100, 1100))


def test_a_job_overtakes_if_it_ends_by_the_promise_or_leaves_enough() -> None:
    """`wide` is promised tick 10, at which one of six GPUs stays free."""
    jobs = [
        job("running", 3, 10, limit_s=10),
        job("wide", 5, 5, 1, limit_s=5),
        job("ends in time", 2, 7, 2, limit_s=8),
        job("too late", 2, 5, 2, limit_s=9),
        job("beside it", 1, 30, 3, limit_s=90),
        job("nothing left", 1, 5, 9, limit_s=5),
    ]
    found = ends(make_instance({"a0": 6}, *jobs), "backfill")
    starts = {one.name: found[one.name] - int(one.duration_s) for one in jobs}
    assert starts == {
        "running": 0,
        "wide": 10,
        "ends in time": 2,
        "too late": 15,
        "beside it": 3,
        "nothing left": 15,
    }


def test_several_promises() -> None:
    """`small` would start at 2 and delay `second`, which is promised tick 15, but not `wide`."""
    jobs = [
        job("running", 3, 10, limit_s=10),
        job("wide", 3, 5, 1, limit_s=5),
        job("second", 4, 5, 1, limit_s=5),
        job("small", 1, 30, 2, limit_s=30),
    ]
    instance = make_instance({"a0": 4}, *jobs)
    alone = {"running": 10, "wide": 15, "small": 32, "second": 37}
    assert ends(instance, "backfill") == alone
    both = {"running": 10, "wide": 15, "second": 20, "small": 50}
    assert ends(instance, "backfill:promised=2") == both
    bound = replace(jobs[0], allowed_regions=("east",))
    instance = make_instance({"a0": 4, "b0": 1}, bound, *jobs[1:], regions={"a0": "east"})
    with pytest.raises(RefusedError, match="promised is more than 1, but jobs are bound"):
        played(instance, "backfill:promised=2")


def test_nobody_is_stopped_at_a_limit() -> None:
    """After 5 the first job may end at any tick, so only a job of one tick overtakes."""
    jobs = [job("longer", 3, 20, limit_s=5), job("wide", 4, 5, 1, limit_s=5)]
    jobs += [job("two", 1, 2, 6, limit_s=2), job("one", 1, 1, 6, limit_s=1)]
    found = ends(make_instance({"a0": 4}, *jobs), "backfill")
    assert found == {"longer": 20, "wide": 25, "two": 27, "one": 7}


@pytest.mark.parametrize(("limit", "end"), [(20, 2), (30, 32), (None, 2)])
def test_a_job_without_a_limit_has_the_longest(limit: int | None, end: int) -> None:
    """`wide` is promised tick 20, by which `unknown` ends unless the longest limit is 30."""
    jobs = [job("running", 3, 25, limit_s=limit and 20), job("wide", 4, 5, limit_s=limit)]
    found = ends(make_instance({"a0": 4}, *jobs, job("unknown", 1, 2)), "backfill")
    assert found["unknown"] == end


def test_promises_count_the_servers_that_a_job_may_use() -> None:
    """`wide` waits for all of a0 until tick 10. In the meantime, long jobs run on b0 only."""
    here, there = {"allowed_regions": ("east",)}, {"allowed_regions": ("west",)}
    jobs = [
        job("first", 1, 10, limit_s=10, **here),
        job("wide", 2, 5, 1, limit_s=5, **here),
        job("long", 1, 30, 2, limit_s=30, **here),
        job("short", 1, 3, 2, limit_s=3, **here),
        job("elsewhere", 1, 50, 2, limit_s=50, **there),
    ]
    regions = {"a0": "east", "b0": "west"}
    found = ends(make_instance({"a0": 2, "b0": 2}, *jobs, regions=regions), "backfill")
    assert found == {"first": 10, "wide": 15, "long": 45, "short": 5, "elsewhere": 52}


def test_a_job_without_a_place_is_promised_the_next_end() -> None:
    """A GPU is free on each server. From tick 10 on, `both` could use one more, so one is spare."""
    jobs = [
        job("narrow", 1, 10, limit_s=10),
        job("other", 2, 20, limit_s=20),
        job("both", 2, 5, 1, limit_s=5),
        job("spare", 1, 30, 2, limit_s=30),
        job("long", 1, 30, 2, limit_s=30),
        job("short", 1, 3, 3, limit_s=7),
    ]
    instance = make_instance({"a0": 2, "b0": 3}, *jobs)
    found = ends(instance, "backfill:placement=consolidate")
    assert found == {"narrow": 10, "other": 20, "both": 25, "spare": 32, "long": 40, "short": 6}
