"""Quotas of groups: job by job the schedules of a plain simulation, cases by hand, invariants."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import NamedTuple

import numpy as np
import pytest
from check.trace.small import job, make_instance
from policies.trace.played import ends, played
from simulation.trace.drawn_instances import drawn, in_groups

from ringyard.analysis.check import check
from ringyard.instances import JobGroup, Limits, RefusedError, TraceInstance
from ringyard.methods import all_methods, find_method

LEVELS = {
    "arrival": lambda one: 0,
    "priority": lambda one: -one.priority,
    "gpus": lambda one: one.gpus,
}


class Task(NamedTuple):
    """A job in whole ticks."""

    name: str
    gpus: int
    duration: int
    arrival: int
    group: str | None
    priority: int


class Cohort:
    """Quotas tick by tick, on a cluster where only the number of GPUs matters."""

    def __init__(
        self, total: int, groups: list[JobGroup], tasks: list[Task], order: str, restart: int
    ) -> None:
        self.total, self.tasks, self.restart = total, tasks, restart
        self.quota = {None: 0} | {group.name: group.quota for group in groups}
        self.most = {None: total} | {group.name: group.most or total for group in groups}
        self.level, self.place = LEVELS[order], {task: k for k, task in enumerate(tasks)}
        self.left = {task: task.duration for task in tasks}
        self.running: dict[Task, tuple[int, int]] = {}
        """When it started, and when it works."""
        self.ends: dict[str, int] = {}
        self.stops = 0

    def held(self) -> Counter[str | None]:
        found: Counter[str | None] = Counter()
        for task in self.running:
            found[task.group] += task.gpus
        return found

    def idle(self) -> int:
        return self.total - sum(task.gpus for task in self.running)

    def play(self) -> dict[str, int]:
        now, started = 0, set[Task]()
        while len(self.ends) < len(self.tasks):
            for task, (_, works) in list(self.running.items()):
                if now - works >= self.left[task]:
                    del self.running[task]
                    self.ends[task.name] = now
            self.serve(now, started)
            now += 1
        return self.ends

    def serve(self, now: int, started: set[Task]) -> None:
        order = sorted(self.tasks, key=lambda t: (self.level(t), t.arrival, self.place[t]))
        for borrows in (False, True):
            again = True
            while again:
                again = False
                for task in order:
                    after = self.held()[task.group] + task.gpus
                    here = task.arrival <= now and task.name not in self.ends
                    if not here or task in self.running or after > self.most[task.group]:
                        continue
                    if (after <= self.quota[task.group]) == borrows:
                        continue
                    stops = self.stops
                    if not borrows:
                        self.reclaim(task.gpus, now)
                    if task.gpus <= self.idle():
                        self.running[task] = now, now + self.restart * (task in started)
                        started.add(task)
                    if self.stops > stops:
                        again = True
                        break

    def reclaim(self, need: int, now: int) -> None:
        free, held, chosen = self.idle(), self.held(), list[Task]()
        while free < need:
            over = [t for t in self.running if held[t.group] > self.quota[t.group]]
            over = [t for t in over if t not in chosen]
            if not over:
                return
            last = max(over, key=lambda t: (self.level(t), self.running[t][0], self.place[t]))
            chosen.append(last)
            held[last.group] -= last.gpus
            free += last.gpus
        for task in reversed(chosen):
            if free - task.gpus >= need:
                free -= task.gpus
            else:
                self.left[task] -= max(0, now - self.running.pop(task)[1])
                self.stops += 1


def draw(seed: int) -> tuple[TraceInstance, Cohort, str]:
    """Return a log with groups on one server, the same for the plain simulation, and an order."""
    rng = Random(seed)
    total, restart, order = rng.randint(2, 12), rng.choice([0, 0, 2]), rng.choice(list(LEVELS))
    jobs = []
    for k in range(rng.randint(2, 30)):
        gpus = rng.randint(1, rng.choice([1, 3, total]) if total > 3 else total)
        one = job(f"j{k}", gpus, rng.randint(1, rng.choice([5, 40])), rng.randint(0, 60))
        jobs.append(replace(one, priority=rng.randint(0, 2)))
    instance = in_groups(make_instance({"a0": total}, *jobs, restart_s=restart), rng)
    tasks = [
        Task(t.name, t.gpus, int(t.duration_s), int(t.arrival_s), t.group, t.priority)
        for t in instance.jobs
    ]
    return instance, Cohort(total, list(instance.groups), tasks, order, restart), order


def agree(seeds: range) -> None:
    stops = most = 0
    for seed in seeds:
        instance, cohort, order = draw(seed)
        assert ends(instance, f"quotas:order={order}") == cohort.play(), (seed, order)
        stops += cohort.stops > 0
        most += instance.limited is not None
    assert stops > len(seeds) / 5
    assert most > len(seeds) / 2


def test_the_schedules_of_a_plain_simulation() -> None:
    agree(range(60))


@pytest.mark.slow
def test_the_schedules_of_a_plain_simulation_on_many_logs() -> None:
    agree(range(60, 1060))


GROUPS = (JobGroup(name="g", quota=4), JobGroup(name="h", quota=2), JobGroup(name="i"))


def test_a_group_takes_its_quota_back_from_the_last_who_borrowed() -> None:
    """`h` borrows 4 GPUs of `g`. At 5 `g` wants 2 of them: `h3` started last, and waits."""
    jobs = [job(f"h{k}", 2, 20, k, group="h") for k in (1, 2, 3)]
    instance = make_instance({"a0": 6}, *jobs, job("g", 2, 5, 5, group="g"), groups=GROUPS)
    assert ends(instance, "quotas") == {"h1": 21, "h2": 22, "h3": 28, "g": 10}


def test_no_more_is_taken_than_helps() -> None:
    """`wide` started last, but its 4 GPUs are not needed beside those of `i2` once `i1` goes too.

    At 5 two GPUs are idle of eight. `g` needs 4: `i2` (1 GPU) and `i1` (2) are stopped in turn,
    but `i2` then keeps its GPU, because those of `i1` are enough.
    """
    jobs = [job("i1", 2, 20, 1, group="i"), job("i2", 1, 20, 2, group="i"), job("own", 3, 20)]
    jobs += [job("g", 4, 5, 5, group="g")]
    groups = (*GROUPS[:1], GROUPS[2])
    own = replace(jobs[2], group="own")
    groups = (*groups, JobGroup(name="own", quota=3))
    instance = make_instance({"a0": 8}, jobs[0], jobs[1], own, jobs[3], groups=groups)
    assert ends(instance, "quotas") == {"i1": 26, "i2": 22, "own": 20, "g": 10}


def test_who_exceeds_the_quota_takes_nothing_back() -> None:
    """`g2` would exceed the quota of `g`, so it waits for the end of `h`, and nobody is stopped."""
    jobs = [job("g1", 3, 20, group="g"), job("h", 3, 9, group="h"), job("g2", 2, 5, 1, group="g")]
    instance = make_instance({"a0": 6}, *jobs, groups=GROUPS)
    assert ends(instance, "quotas") == {"g1": 20, "h": 9, "g2": 14}


def test_the_quota_goes_before_borrowing() -> None:
    """All come at 0. `h2` would borrow and is the first in the file; `g` has its quota first."""
    jobs = [job("h1", 2, 9, group="h"), job("h2", 2, 9, group="h"), job("g", 4, 5, group="g")]
    instance = make_instance({"a0": 6}, *jobs, groups=GROUPS)
    assert ends(instance, "quotas") == {"h1": 9, "h2": 14, "g": 5}


def test_the_lowest_priority_gives_first_where_priorities_order() -> None:
    """`i1` has the lower priority, so it is stopped before `i2`, which started later."""
    first, second = job("i1", 3, 20, 0, group="i"), job("i2", 3, 20, 1, group="i")
    jobs = [first, replace(second, priority=1), job("g", 3, 5, 5, group="g")]
    instance = make_instance({"a0": 6}, *jobs, groups=GROUPS)
    assert ends(instance, "quotas:order=priority") == {"i1": 25, "i2": 21, "g": 10}
    assert ends(instance, "quotas") == {"i1": 20, "i2": 26, "g": 10}


def waits(instance: TraceInstance, method: str) -> list[tuple[int, dict[str, int], dict]]:
    """Return ticks with the jobs that wait there, and the GPUs that each group holds there."""
    verdict = check(instance, played(instance, method))
    assert verdict.violations == ()
    runs = [(held.run.job.name, held.start, held.stop) for held in verdict.held]
    found = []
    for now in sorted({tick for _, start, stop in runs for tick in (start, stop)}):
        running = {name for name, start, stop in runs if start <= now < stop}
        held: Counter[str | None] = Counter()
        waiting = {}
        for one in instance.jobs:
            end = verdict.ends[one.name] / Fraction(instance.tick_s)
            if one.name in running:
                held[one.group] += one.gpus
            elif one.arrival_s / instance.tick_s <= now < end:
                waiting[one.name] = one.gpus
        found.append((now, waiting, held))
    return found


@pytest.mark.parametrize("seed", range(15))
def test_no_job_waits_that_has_a_right_to_gpus_or_finds_them_idle(seed: int) -> None:
    """On clusters of several servers, with contention and costs of restarts."""
    instance = in_groups(drawn(seed, jobs=20), Random(seed))
    group = {one.name: one.group for one in instance.jobs}
    quota = {one.name: one.quota for one in instance.groups}
    most = {one.name: one.most or instance.gpus for one in instance.groups}
    for _, waiting, held in waits(instance, "quotas"):
        idle = instance.gpus - sum(held.values())
        for name, need in waiting.items():
            after = held[group[name]] + need
            assert after > quota.get(group[name], 0)
            assert need > idle or after > most.get(group[name], instance.gpus)


@pytest.mark.parametrize(
    ("method", "like"),
    [
        ("quotas", "backfill:promised=0"),
        ("quotas:order=priority", "backfill:promised=0:order=priority"),
    ],
)
def test_without_quotas_a_note_names_the_policy_with_the_same_schedules(
    method: str, like: str
) -> None:
    for seed in range(10):
        instance = in_groups(drawn(seed, jobs=20), Random(seed))
        groups = tuple(replace(group, quota=0) for group in instance.groups)
        free = replace(instance, groups=groups)
        assert ends(free, method) == ends(free, like)
        note = f"no group has a quota, so quotas serves like {like}"
        chosen = find_method(method, "trace")
        rng = np.random.default_rng(0)
        assert chosen.run(free, Limits(), rng).note == note
        owned = any(group.quota for group in instance.groups)
        assert (chosen.run(instance, Limits(), rng).note == "") == owned


def test_methods_obey_the_most_of_groups_or_refuse() -> None:
    refused, obeyed = set(), set()
    for seed in range(2):
        instance = in_groups(drawn(seed), Random(seed), always=True)
        for method in all_methods("trace"):
            try:
                if method.refuses(instance):
                    raise RefusedError
                schedule = played(instance, method.name)
            except RefusedError:
                refused.add(method.name)
            else:
                assert check(instance, schedule).violations == (), (seed, method.name)
                obeyed.add(method.name)
    assert not refused & obeyed
    assert obeyed >= {"fifo", "backfill", "quotas", "srsf", "2d-las", "tiresias-g", "2d-gittins"}
    assert refused >= {"gavel", "gandiva", "weight-search", "state-search", "tickwise"}


def test_a_job_over_the_most_of_its_group_is_passed_over() -> None:
    """`g2` waits for `g1`. `other` does not, even under fifo, which lets nobody pass otherwise."""
    groups = (JobGroup(name="g", most=2),)
    jobs = [job("g1", 2, 9, group="g"), job("g2", 1, 3, 1, group="g"), job("other", 2, 4, 2)]
    instance = make_instance({"a0": 4}, *jobs, groups=groups)
    for method in ("fifo", "best-effort", "backfill", "sjf", "quotas"):
        assert ends(instance, method) == {"g1": 9, "g2": 12, "other": 6}, method
    assert ends(instance, "srtf") == {"g1": 12, "g2": 4, "other": 6}
    with pytest.raises(RefusedError, match=r"more than 1, but group 'g' has `most`. Drop it"):
        played(instance, "backfill:promised=2")
    with pytest.raises(RefusedError, match=r"group 'g' has `most`, which the method does not"):
        played(instance, "gavel")


def test_a_promise_counts_the_most_of_the_group() -> None:
    """`wide` may start at 10 if group g holds at most one GPU then: only one of two may overtake.

    Without groups both overtake, and five of eight GPUs are free at 10.
    """
    jobs = [job("running", 5, 10, limit_s=10), job("wide", 4, 5, 1, limit_s=5, group="g")]
    jobs += [job(name, 1, 30, 2, limit_s=30, group="g") for name in ("one", "two")]
    groups = (JobGroup(name="g", most=5),)
    free = {"running": 10, "wide": 15, "one": 32, "two": 32}
    assert ends(make_instance({"a0": 8}, *jobs), "backfill") == free
    limited = make_instance({"a0": 8}, *jobs, groups=groups)
    assert ends(limited, "backfill") == {**free, "two": 45}
