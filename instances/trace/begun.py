"""Jobs that have begun before time 0: problems of their fields, and random ones."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from random import Random

from ..errors import Problem, unknown
from ..reading.vocabulary import tick_problems
from ..regions import may_run
from . import MOST_TICKS, WORK, RackServer, TraceInstance, TraceJob, speed_on, work_left


def begun_problems(instance: TraceInstance) -> Iterator[Problem]:
    """Yield problems of jobs that have begun, and of GPUs that several of them hold at time 0."""
    servers = {server.name: server for server in instance.servers}
    used, groups = dict.fromkeys(servers, 0), dict[str | None, int]()
    for i, job in enumerate(instance.jobs):
        path = f"jobs[{i}]"
        yield from tick_problems(f"{path}.held_s", job.held_s, instance.tick_s, MOST_TICKS)
        yield from _work_problems(path, job, instance.tick_s)
        if job.held is None:
            for name in ("held_s", "stopped"):
                if value := getattr(job, name):
                    yield Problem(f"{path}.{name}", value, "nothing without `held`", "leave it out")
            continue
        yield from _place_problems(path, job, servers)
        if job.stopped:
            continue
        each = 1 if job.held_share == "half" else 2
        for name, count in job.held:
            used[name] = used.get(name, 0) + each * count
            if name in servers and used[name] > 2 * servers[name].gpus:
                room = max(0, 2 * servers[name].gpus - used[name] + each * count) // each
                expected = f"at most {room}, because jobs before it hold the others"
                yield Problem(f"{path}.held[{name!r}]", count, expected, "correct one of them")
            groups[job.group] = groups.get(job.group, 0) + each * count
    for k, group in enumerate(instance.groups):
        if group.most is not None and groups.get(group.name, 0) > 2 * group.most:
            expected = f"at least {Decimal(groups[group.name]) / 2}, which its jobs hold at time 0"
            advice = "raise it, or set `stopped` of some jobs"
            yield Problem(f"groups[{k}].most", group.most, expected, advice)


def _work_problems(path: str, job: TraceJob, tick_s: Decimal) -> Iterator[Problem]:
    """Yield why work cannot have been done before time 0."""
    if job.arrival_s and (job.done_s or job.held is not None):
        expected, advice = (
            "0, because the job has begun",
            "correct it, or leave out done_s and held",
        )
        yield Problem(f"{path}.arrival_s", job.arrival_s, expected, advice)
    if job.done_s >= job.duration_s:
        expected = f"less than its duration_s, {job.duration_s}"
        yield Problem(f"{path}.done_s", job.done_s, expected, "leave out jobs that are done")
    if (WORK * Fraction(job.done_s) / Fraction(tick_s)).denominator > 1:
        expected = f"a multiple of {tick_s / WORK:f}, a millionth of tick_s"
        yield Problem(f"{path}.done_s", job.done_s, expected, "round it")


def _place_problems(
    path: str, job: TraceJob, servers: Mapping[str, RackServer]
) -> Iterator[Problem]:
    """Yield why a job cannot have run on the GPUs that it held."""
    held = job.held or ()
    if not held and not job.stopped:
        expected = "GPUs, because it holds them at time 0"
        yield Problem(f"{path}.held", {}, expected, "set `stopped` if they are gone")
    if job.stopped and job.held_s:
        expected = "0, because a stopped job pays resume_s or restart_s"
        yield Problem(f"{path}.held_s", job.held_s, expected, "leave it out")
    if job.held_share == "half" and job.packed_speed is None:
        expected = "'whole', because the job has no packed_speed"
        yield Problem(f"{path}.held_share", job.held_share, expected, "correct it")
    for name, count in held:
        if name not in servers:
            yield unknown(f"{path}.held", name, servers, "correct it")
            return
        if not may_run(job, servers[name]):
            expected = "a server in the regions of the job"
            yield Problem(f"{path}.held", name, expected, "correct it")
        if count > 2 * servers[name].gpus:
            expected = f"at most {servers[name].gpus}, or twice as many halves"
            yield Problem(f"{path}.held[{name!r}]", count, expected, "correct it")
    kinds = {servers[name].gpu for name, _ in held}
    width = sum(count for _, count in held)
    if held and (len(kinds) > 1 or speed_on(job, width, next(iter(kinds))) is None):
        expected = f"GPUs of one kind, {job.gpus} or a number in its `speeds`"
        yield Problem(f"{path}.held", dict(held), expected, "correct it")


def with_begun(instance: TraceInstance, part: Decimal, seed: int) -> TraceInstance:
    """Let a part of the jobs have begun before time 0, most with a run.

    Of the runs for which there is room, most hold their GPUs at time 0. The random numbers are
    separate, so all other data stay the same.
    """
    rng = Random(f"begun {seed}")
    out = {one.server for one in instance.outages if not one.from_s}
    free = {one.name: 2 * one.gpus * (one.name not in out) for one in instance.servers}
    most = {group.name: 2 * group.most for group in instance.groups if group.most}
    jobs = []
    for job in instance.jobs:
        chance, kind, order, done, cost = (rng.random() for _ in range(5))
        if chance >= part:
            jobs.append(job)
            continue
        worked = int(done * work_left(job, instance.tick_s)) * instance.tick_s / WORK
        begun = replace(job, arrival_s=Decimal(0), done_s=worked.normalize())
        half = job.packed_speed is not None and order < 0.3
        held = _drawn_place(instance, job, half, Random(order))
        need = sum(count for _, count in held) * (1 if half else 2)
        fits = all(count * (1 if half else 2) <= free[name] for name, count in held)
        fits = fits and bool(held) and need <= most.get(job.group or "", need)
        runs = fits and kind < 0.7
        if kind < 0.9:
            ticks = int(cost * (1 + float(instance.restart_s / instance.tick_s)))
            begun = replace(
                begun,
                held=held,
                held_share="half" if half else "whole",
                held_s=ticks * instance.tick_s if runs else Decimal(0),
                stopped=not runs,
            )
        if runs:
            for name, count in held:
                free[name] -= count * (1 if half else 2)
            if job.group in most:
                most[job.group] -= need
        jobs.append(begun)
    return replace(instance, jobs=tuple(jobs))


def _drawn_place(
    instance: TraceInstance, job: TraceJob, half: bool, rng: Random
) -> tuple[tuple[str, int], ...]:
    """Return GPUs of one kind on which a job may run, or none."""
    kinds = [gpu for gpu in instance.kinds if speed_on(job, job.gpus, gpu) is not None]
    gpu, left = kinds[int(rng.random() * len(kinds))], job.gpus
    own = [server for server in instance.servers if server.gpu == gpu and may_run(job, server)]
    own.sort(key=lambda _: rng.random())
    held = {}
    for server in own:
        count = min(left, server.gpus * (2 if half else 1))
        if count:
            held[server.name] = count
        left -= count
    return () if left else tuple(sorted(held.items()))
