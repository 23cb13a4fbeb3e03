"""EASY backfill: job by job the schedules of a plain simulation written here, and cases by hand."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from math import floor
from random import Random
from typing import Any, NamedTuple

import pytest
from check.trace.small import job, make_instance
from policies.trace.played import ends, played

from ringyard.analysis.check import check
from ringyard.instances import JobGroup, RefusedError, TraceInstance
from ringyard.instances.errors import InputError
from ringyard.simulation.trace.ranks import half_power

YEAR = 365 * 24 * 3600

KEYS: dict[str, Callable[["Task"], int]] = {
    "arrival": lambda task: 0,
    "priority": lambda task: -task.priority,
    "gpus": lambda task: task.gpus,
    "limit": lambda task: task.limit,
}


class Task(NamedTuple):
    """A job in whole ticks."""

    number: int
    gpus: int
    duration: int
    arrival: int
    limit: int
    priority: int
    group: str | None


class Run:
    """A run of a job. It works from some tick on and would end at another one."""

    def __init__(self, task: Task, start: int, works: int, left: int) -> None:
        self.task, self.start, self.works, self.end = task, start, works, works + left


class Plain:
    """Backfill by the rules on the page, on a cluster where only the number of GPUs matters."""

    def __init__(self, instance: TraceInstance, tasks: list[Task], **options: Any) -> None:
        self.total, self.tasks, self.options = instance.gpus, tasks, options
        self.shares = {group.name: float(group.share) for group in instance.groups}
        self.stops = options.get("stops") == "lower"
        self.running: list[Run] = []
        self.past: list[tuple[Task, int, int]] = []
        """All that has run: who, from when, until when."""
        self.done: dict[Task, int] = {}
        """Ticks of work of the jobs that have run before."""
        self.ends: dict[int, int] = {}
        self.now = -1

    def play(self, serve: Callable[["Plain"], None], restart: int = 0) -> dict[int, int]:
        """Return when each job ends."""
        self.restart = restart
        while len(self.ends) < len(self.tasks):
            coming = [task.arrival for task in self.tasks if task.arrival > self.now]
            self.now = min(coming + [run.end for run in self.running])
            for run in [run for run in self.running if run.end == self.now]:
                self.ends[run.task.number] = self.now
                self.leave(run)
            serve(self)
        return self.ends

    def leave(self, run: Run) -> None:
        self.running.remove(run)
        self.past.append((run.task, run.start, self.now))
        self.done[run.task] = self.done.get(run.task, 0) + max(0, self.now - run.works)

    def left(self, task: Task) -> int:
        return max(1, task.limit - self.done.get(task, 0))

    def estimate(self, task: Task) -> int:
        return self.restart * (task in self.done) + self.left(task)

    def expected(self, run: Run) -> int:
        return max(self.now + 1, run.works + self.left(run.task))

    def counts(self, run: Run, task: Task) -> bool:
        """Return True if a job cannot stop the run."""
        return not self.stops or run.task.priority >= task.priority

    def queue(self) -> list[Task]:
        """Return the waiting jobs in order."""
        busy = {run.task for run in self.running}
        there = [t for t in self.tasks if t.arrival <= self.now and t.number not in self.ends]
        waiting = [task for task in there if task not in busy]
        key = self.points if self.options["order"] == "multifactor" else KEYS[self.options["order"]]
        place = {t: (-t.priority * self.stops, key(t), t.arrival, t.number) for t in waiting}
        return sorted(waiting, key=lambda task: place[task])

    def points(self, task: Task) -> int:
        """Return a job's multifactor priority below 0. Usage is a sum over all runs."""
        o, now = self.options, self.now
        spans = self.past + [(run.task, run.start, now) for run in self.running]

        def used(a: int, b: int) -> float:
            half_life = o["half_life_s"]
            if half_life == 0:
                return b - a
            return 2.0 ** ((b - now) / half_life) - 2.0 ** ((a - now) / half_life)

        usage = sum(who.gpus * used(a, b) for who, a, b in spans)
        own = sum(who.gpus * used(a, b) for who, a, b in spans if who.group == task.group)
        shares = dict.fromkeys({task.group for task in self.tasks}, 1.0) | self.shares
        part = shares[task.group] / sum(shares.values())
        share = 2.0 ** -(own / usage / part if usage else 0.0)
        stopped = [b for who, _, b in self.past if who == task]
        waited = now - max([task.arrival, *stopped])
        size = task.gpus / self.total
        top = max(1, *(other.priority for other in self.tasks))
        fixed = o["size"] * (size if o["favor"] == "large" else 1 - size)
        fixed += o["priority"] * (max(0, task.priority) / top)
        aged = o["age"] * min(1.0, waited / o["max_age_s"])
        return -max(1, floor(aged + o["fair"] * share + fixed))

    def idle(self) -> int:
        return self.total - sum(run.task.gpus for run in self.running)

    def fits(self, task: Task) -> bool:
        fixed = sum(run.task.gpus for run in self.running if self.counts(run, task))
        return fixed + task.gpus <= self.total

    def start(self, task: Task) -> None:
        """Start a job, and stop others for it: the lowest and latest, as few as it needs."""
        lower = [run for run in self.running if not self.counts(run, task)]
        lower.sort(key=lambda run: (run.task.priority, -run.start, -run.task.number))
        chosen: list[Run] = []
        while self.idle() + sum(run.task.gpus for run in chosen) < task.gpus:
            chosen.append(lower.pop(0))
        spare = self.idle() + sum(run.task.gpus for run in chosen) - task.gpus
        for run in reversed(chosen):
            if run.task.gpus <= spare:
                spare -= run.task.gpus
            else:
                self.leave(run)
        works = self.now + self.restart * (task in self.done)
        self.running.append(Run(task, self.now, works, task.duration - self.done.get(task, 0)))


def easy(plain: Plain) -> None:
    """Serve the queue with a promise to the first job that waits."""
    head, promise = None, 0

    def idle_at(tick: int, task: Task) -> int:
        """Return the GPUs that a job can have at a later tick, by the estimates."""
        still = [r for r in plain.running if plain.counts(r, task) and plain.expected(r) > tick]
        return plain.total - sum(run.task.gpus for run in still)

    for task in plain.queue():
        if head:
            harmless = plain.now + plain.estimate(task) <= promise
            beside = idle_at(promise, task) - head.gpus >= task.gpus
            if plain.fits(task) and (harmless or beside):
                plain.start(task)
        elif plain.fits(task):
            plain.start(task)
        elif plain.options["promised"] > 0:
            head = task
            ticks = sorted(plain.expected(run) for run in plain.running if plain.counts(run, head))
            promise = next(tick for tick in ticks if idle_at(tick, head) >= head.gpus)


def planned(plain: Plain) -> None:
    """Serve the queue with a reserved time for the first jobs that wait."""
    left, now = plain.options["promised"], plain.now
    later: list[tuple[int, int, int]] = []
    for task in plain.queue():
        rows = [run for run in plain.running if plain.counts(run, task)]
        length = plain.estimate(task)
        held = later + [(now, plain.expected(run), run.task.gpus) for run in rows]
        for tick in sorted({now, *(until for _, until, _ in held)}):
            stop = tick + length
            moments = [tick, *(a for a, _, _ in held if tick < a < stop)]
            busy = [sum(g for a, b, g in held if a <= m < b) for m in moments]
            if max(busy) + task.gpus <= plain.total:
                break
        if tick == now:
            plain.start(task)
        elif left > 0:
            left -= 1
            later.append((tick, stop, task.gpus))


def draw(seed: int, *, whole: bool = False) -> tuple[TraceInstance, list[Task], dict[str, Any]]:
    """Return a log, the same for the plain simulation, and options.

    Some jobs overrun their limits, and in some logs jobs or all jobs have none. A `whole` cluster
    is one server, so that only numbers of GPUs decide who has to be stopped.
    """
    rng = Random(seed)
    servers = {f"s{k}": rng.randint(1, 8) for k in range(rng.randint(1, 5))}
    total, tasks, jobs = sum(servers.values()), list[Task](), []
    missing, overrun, gap = rng.choice([0, 0, 0.3, 1]), rng.choice([0, 0.3]), rng.randint(0, 12)
    rows = []
    for _ in range(rng.randint(2, 40)):
        duration = rng.randint(1, rng.choice([5, 60]))
        longer = duration * rng.choice([1, 1, 2, 5]) + rng.randint(0, 3)
        limit = max(1, duration // 3) if rng.random() < overrun else longer
        width = rng.randint(1, rng.choice([1, 4, total]) if total > 3 else total)
        arrival, priority = rng.randint(0, gap * 10), rng.randint(-1, 2)
        given = None if rng.random() < missing else limit
        rows.append((width, duration, arrival, given, priority, rng.choice([None, "a", "b"])))
    longest = max((row[3] for row in rows if row[3] is not None), default=YEAR)
    for k, (width, duration, arrival, given, priority, group) in enumerate(rows):
        limit = longest if given is None else given
        tasks.append(Task(k, width, duration, arrival, limit, priority, group))
        one = job(f"j{k}", width, duration, arrival, limit_s=given)
        jobs.append(replace(one, priority=priority, group=group))
    restart = rng.choice([0, 1, 7])
    shares = {"a": rng.choice([1, 3]), "b": 1, "idle": 2} if rng.random() < 0.5 else {}
    groups = tuple(JobGroup(name=name, share=Decimal(share)) for name, share in shares.items())
    cluster = {"s0": total} if whole else servers
    made = make_instance(cluster, *jobs, restart_s=restart, groups=groups)
    order = rng.choice([*KEYS, "multifactor", "multifactor"])
    weights = {
        "age": rng.choice([0, 10, 1000]),
        "max_age_s": rng.choice([30, 500]),
        "fair": rng.choice([0, 100, 10_000]),
        "half_life_s": rng.choice([0, 20, 300]),
        "size": rng.choice([0, 1000]),
        "favor": rng.choice(["large", "small"]),
        "priority": rng.choice([0, 1000]),
    }
    return made, tasks, {"order": order, **(weights if order == "multifactor" else {})}


def compare(
    instance: TraceInstance, tasks: list[Task], serve: Callable[[Plain], None], **options: Any
) -> dict[int, int]:
    """Return when jobs end by the method, which is the same in the plain simulation."""
    method = ":".join(["backfill", *(f"{key}={value}" for key, value in options.items())])
    expected = Plain(instance, tasks, **options).play(serve, int(instance.restart_s))
    found = {int(name[1:]): int(end) for name, end in ends(instance, method).items()}
    assert found == expected, method
    return expected


def agree(seeds: range) -> None:
    """Compare all variants with their plain simulations, and see that each one matters."""
    different = dict.fromkeys(("overtaken", "tighter", "stopped", "free"), 0)
    for seed in seeds:
        instance, tasks, options = draw(seed)
        whole, _, _ = draw(seed, whole=True)
        many = (2, 3, 1000)[seed % 3]
        once = compare(instance, tasks, easy, promised=1, **options)
        assert Plain(instance, tasks, promised=1, **options).play(planned) == once
        profile = compare(instance, tasks, planned, promised=many, **options)
        options["stops"] = "lower"
        stopped = compare(whole, tasks, easy, promised=1, **options)
        compare(whole, tasks, planned, promised=many, **options)
        free = compare(whole, tasks, easy, promised=0, **options)
        fifo = ends(instance, "fifo")
        different["overtaken"] += any(fifo[f"j{k}"] != end for k, end in once.items())
        different["tighter"] += profile != once
        different["stopped"] += stopped != once
        different["free"] += free != stopped
    assert min(different.values()) > len(seeds) / 10, different


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


FAIR_ONLY = "backfill:order=multifactor:age=0:size=0:priority=0"


def grouped(*rows: tuple[str, str | None, int, int, int], **more: Any) -> TraceInstance:
    """Return jobs by name, group, GPUs, duration and arrival on one server."""
    jobs = [replace(job(*row[:1], *row[2:], limit_s=row[3]), group=row[1]) for row in rows]
    return make_instance({"a0": more.pop("gpus", 1)}, *jobs, **more)


def test_two_to_a_power_below_zero() -> None:
    """Whole powers are exact, and others right to 15 digits."""
    assert [half_power(float(k)) for k in (0, 1, 2, 1000)] == [1.0, 0.5, 0.25, 2.0**-1000]
    for k in range(400):
        assert half_power(k / 37) == pytest.approx(2.0 ** (-k / 37), rel=4e-16)
    assert half_power(1e9) == 0.0


@pytest.mark.parametrize(("age", "first"), [(120, "new"), (125, "old"), (130, "old")])
def test_age_against_fair_share(age: int, first: str) -> None:
    """All use is of group a: its factor is 2 ** -(1 / (1 / 2)), a quarter, and that of b is 1.

    At 100, `old` has 1.0 * age + 25 and `new` 0.4 * age + 100. With 125 both have 150, and `old`
    came first.
    """
    instance = grouped(("on", "a", 1, 100, 0), ("old", "a", 1, 10, 0), ("new", "b", 1, 10, 60))
    method = f"{FAIR_ONLY}:fair=100".replace("age=0", f"age={age}:max_age_s=100")
    assert ends(instance, method)[first] == 110


def test_use_loses_half_its_weight_in_a_half_life() -> None:
    """Both groups used the same GPU-time. With decay, that of a counts half as much as that of b.

    So a is ahead, and without decay b, whose job came first.
    """
    rows = [("a", "a", 1, 50, 0), ("b", "b", 1, 50, 0)]
    rows += [("next of b", "b", 1, 5, 51), ("next of a", "a", 1, 5, 52)]
    instance = grouped(*rows)
    assert ends(instance, f"{FAIR_ONLY}:half_life_s=50")["next of a"] == 105
    assert ends(instance, f"{FAIR_ONLY}:half_life_s=0")["next of b"] == 105


def test_points_are_whole_numbers() -> None:
    """A quarter of 3 is below 1, and so is 0.9: with `fair=3`, the new job of b has 3 points."""
    instance = grouped(("on", "a", 1, 100, 0), ("old", "a", 1, 10, 0), ("new", "b", 1, 10, 60))
    assert ends(instance, f"{FAIR_ONLY}:fair=1")["old"] == 110
    assert ends(instance, f"{FAIR_ONLY}:fair=3")["new"] == 110


@pytest.mark.parametrize(
    ("options", "order"),
    [
        ("size=100", ["wide", "high", "narrow"]),
        ("size=100:favor=small", ["narrow", "high", "wide"]),
        ("size=100:priority=100", ["high", "wide", "narrow"]),
    ],
)
def test_size_and_priority(options: str, order: list[str]) -> None:
    """Factors of size are 1, 1/2 and 3/4. Of priorities, 7 counts 1, the others 0."""
    jobs = [job("on", 4, 9), job("wide", 4, 9), job("narrow", 2, 9), job("high", 3, 9)]
    jobs = [replace(one, priority=k) for one, k in zip(jobs, (7, 0, -5, 7), strict=True)]
    rest = "".join(
        f":{name}=0" for name in ("age", "fair", "size", "priority") if name not in options
    )
    found = ends(make_instance({"a0": 4}, *jobs), f"backfill:order=multifactor:{options}{rest}")
    assert sorted(order, key=found.__getitem__) == order


def test_without_weights_jobs_go_by_arrival() -> None:
    for seed in range(20):
        instance, _, _ = draw(seed)
        assert ends(instance, f"{FAIR_ONLY}:fair=0") == ends(instance, "backfill")


def test_whom_a_job_stops() -> None:
    """`high` needs 4 of 7 GPUs. `least` would be the first to stop, then `late`, which is enough.

    As `least` is not needed then, it stays. `late` worked from 5 to 10, waits until `high` ends at
    20, spends 3 on its restart and works for another 15. `soon` is no lower than `early`.
    """
    rows = [("early", 2, 90, 0, 0), ("late", 4, 20, 5, 0), ("least", 1, 90, 0, -1)]
    rows += [("high", 4, 10, 10, 1), ("soon", 2, 10, 11, 0)]
    jobs = [replace(job(*row[:4], limit_s=row[2]), priority=row[4]) for row in rows]
    instance = make_instance({"a0": 7}, *jobs, restart_s=3)
    found = ends(instance, "backfill:stops=lower")
    assert found == {"early": 90, "late": 38, "least": 90, "high": 20, "soon": 48}
    assert ends(instance, "backfill")["high"] == 35


def test_nobody_is_stopped_for_a_job_that_still_cannot_start() -> None:
    jobs = [job("low", 2, 50), replace(job("same", 2, 20), priority=1)]
    jobs.append(replace(job("high", 3, 10, 5), priority=1))
    found = ends(make_instance({"a0": 4}, *jobs, restart_s=3), "backfill:stops=lower")
    assert found == {"low": 63, "same": 20, "high": 30}


def test_a_promise_counts_jobs_that_can_be_stopped() -> None:
    """`wide` can start at 10, when it stops `low`. `later` would end at 12, and `in time` at 10.

    Without stops, `wide` is promised 50, and `later` delays nobody.
    """
    rows = [("low", 2, 50, 0, 0), ("same", 3, 10, 0, 1), ("wide", 6, 10, 1, 1)]
    rows += [("later", 1, 10, 2, 1), ("in time", 1, 8, 2, 1)]
    jobs = [replace(job(*row[:4], limit_s=row[2]), priority=row[4]) for row in rows]
    instance = make_instance({"a0": 6}, *jobs, restart_s=0)
    assert ends(instance, "backfill")["later"] == 12
    found = ends(instance, "backfill:stops=lower")
    assert found == {"low": 60, "same": 10, "wide": 20, "later": 30, "in time": 10}


@pytest.mark.parametrize("placement", ["pack", "consolidate", "least-fragmentation", "contention"])
def test_stops_are_for_jobs_of_higher_priority_on_the_same_server(placement: str) -> None:
    """On several servers, where the restart on other GPUs costs more, the judge agrees too."""
    stops = 0
    for seed in range(12):
        instance, _, options = draw(seed)
        instance = replace(instance, restart_s=Decimal(5), resume_s=Decimal(1))
        method = f"backfill:stops=lower:order={options['order']}:placement={placement}"
        schedule = played(instance, method)
        assert check(instance, schedule).violations == ()
        priority = {one.name: one.priority for one in instance.jobs}
        runs = [(entry.job, run) for entry in schedule.jobs for run in entry.runs]
        for name, run in runs:
            if run.stop_s is not None:
                starts = [(who, one) for who, one in runs if one.start_s == run.stop_s]
                higher = [one for who, one in starts if priority[who] > priority[name]]
                assert any(dict(one.gpus).keys() & dict(run.gpus).keys() for one in higher)
                stops += 1
    assert stops > 10


def test_options_without_an_effect_are_refused() -> None:
    instance, _, _ = draw(0)
    for options, message in {
        "backfill:idle=offered": r"idle: found 'offered', expected kept, .*\. Drop it\.",
        "quotas:idle=offered": r"idle: found 'offered', expected kept, .*\. Drop it\.",
        "backfill:fair=5": r"fair: found 5, expected order=multifactor with it\. Drop it\.",
    }.items():
        with pytest.raises(InputError, match=message):
            played(instance, options)


@pytest.mark.parametrize(
    ("shares", "first"),
    [({}, "new"), ({"a": 5, "b": 1}, "old"), ({"a": 5, "b": 1, "idle": 4}, "new")],
)
def test_shares_of_groups(shares: dict[str, int], first: str) -> None:
    """All use is of a, with a half, 5/6 or again a half of the shares, also of groups without jobs.

    At 100, `old` of a has 97 points for its age, and 25 or 43 for its share. `new` of b has 138.
    """
    instance = grouped(("on", "a", 1, 100, 0), ("old", "a", 1, 10, 0), ("new", "b", 1, 10, 60))
    groups = tuple(JobGroup(name=name, share=Decimal(share)) for name, share in shares.items())
    method = f"{FAIR_ONLY}:fair=100".replace("age=0", "age=97:max_age_s=100")
    assert ends(replace(instance, groups=groups), method)[first] == 110


def test_stops_are_refused_if_jobs_are_bound_to_regions() -> None:
    bound = job("bound", 1, 5, allowed_regions=("east",))
    instance = make_instance({"a0": 2, "b0": 2}, bound, regions={"a0": "east"})
    with pytest.raises(RefusedError, match="stops is lower, but jobs are bound to regions"):
        played(instance, "backfill:stops=lower")


def test_stops_are_refused_if_a_group_has_most() -> None:
    groups = (JobGroup(name="a", most=1),)
    instance = make_instance({"a0": 2}, replace(job("one", 1, 5), group="a"), groups=groups)
    with pytest.raises(RefusedError, match="stops is lower, but group 'a' has `most`"):
        played(instance, "backfill:stops=lower")
