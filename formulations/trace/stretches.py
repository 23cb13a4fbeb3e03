"""Between schedules and stretches of time in which a job has some number of GPUs, wherever."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from ...instances import JobRuns, RackServer, TraceInstance, TraceRun, TraceSchedule
from ...instances.errors import InputError
from .demand import Mode, cost, demands, matched, pools, ticks

Pieces = tuple[tuple[str, int], ...]


class ModeStretch(NamedTuple):
    """A job runs in a mode from one tick to another. Its work may be done before."""

    job: int
    mode: Mode
    start: int
    stop: int


def ends(instance: TraceInstance, stretches: Iterable[ModeStretch]) -> dict[int, int]:
    """Return when jobs end, without jobs that never end."""
    jobs, again = demands(instance), cost(instance)
    left: dict[int, int] = {}
    found: dict[int, int] = {}
    for one in sorted(stretches, key=lambda one: one.start):
        if one.job in found:
            continue
        pause = again if one.job in left else 0
        work = left.setdefault(one.job, jobs[one.job].work)
        end = one.start + pause - (-work // one.mode.rate)
        if end <= one.stop:
            found[one.job] = end
        left[one.job] = work - one.mode.rate * max(0, one.stop - one.start - pause)
    return found


def total(instance: TraceInstance, stretches: Iterable[ModeStretch]) -> int | None:
    """Return the sum of completion times in ticks, from release, None if a job has no end."""
    found, jobs = ends(instance, stretches), demands(instance)
    if len(found) < len(jobs):
        return None
    return sum(found[job] - one.release for job, one in enumerate(jobs))


def stretches_of(instance: TraceInstance, schedule: TraceSchedule) -> list[ModeStretch]:
    """Return the stretches of a schedule, each run until the next of its job or its end.

    Raises:
        InputError: If the schedule names a job or a number of GPUs that there is not.
    """
    numbers, jobs = {job.name: i for i, job in enumerate(instance.jobs)}, demands(instance)
    found = []
    for entry in schedule.jobs:
        if entry.job not in numbers:
            expected, advice = "the name of a job", "correct it"
            raise InputError.of(schedule.instance, "job", entry.job, expected, advice)
        job = numbers[entry.job]
        slowest = min(mode.rate for mode in jobs[job].modes)
        longest = cost(instance) - (-jobs[job].work // slowest)
        for run in entry.runs:
            mode = _mode(instance, job, run)
            start = ticks(instance, run.start_s)
            stop = start + longest if run.stop_s is None else ticks(instance, run.stop_s)
            found.append(ModeStretch(job, mode, start, stop))
    last = ends(instance, found)
    cut = (one._replace(stop=min(one.stop, last.get(one.job, one.stop))) for one in found)
    return [one for one in cut if one.start < one.stop]


def _mode(instance: TraceInstance, job: int, run: TraceRun) -> Mode:
    gpus = sum(count for _, count in run.gpus)
    halves = gpus if run.share == "half" else 2 * gpus
    kinds = {instance.kinds.index(s.gpu) for s in instance.servers if s.name in dict(run.gpus)}
    for mode in demands(instance)[job].modes:
        if (mode.gpus, mode.halves, {mode.kind}) == (gpus, halves, kinds):
            return mode
    expected, advice = "a number of GPUs that the job may have", "correct it"
    where = f"{instance.name}, job {instance.jobs[job].name!r}"
    raise InputError.of(where, "gpus", f"{gpus} ({run.share})", expected, advice)


def schedule_of(
    instance: TraceInstance, stretches: Iterable[ModeStretch], method: str
) -> TraceSchedule:
    """Return the schedule on chosen GPUs, where counting them is enough.

    A job that continues keeps its place if the other jobs then find room. Otherwise all are placed
    from scratch.

    Raises:
        ValueError: If the jobs that run at some moment do not fit on the servers.
    """
    last = ends(instance, stretches)
    moments = sorted({at for one in stretches for at in (one.start, one.stop)})
    parts: list[list[tuple[int, int, ModeStretch, Pieces]]] = [[] for _ in instance.jobs]
    placed: dict[ModeStretch, Pieces] = {}
    for now, after in pairwise(moments):
        present = [
            one
            for one in stretches
            if one.start <= now < min(one.stop, last.get(one.job, one.stop))
        ]
        staying = {one: placed[one] for one in present if one in placed}
        fitting = _placed(instance, present, staying)
        if fitting is None:
            fitting = _placed(instance, present, {})
        if fitting is None:
            raise ValueError("the stretches fit by number of GPUs, and not on the servers")
        placed = fitting
        for one in present:
            parts[one.job].append((now, after, one, placed[one]))
    entries = (
        JobRuns(job=job.name, runs=tuple(_runs(instance, own)))
        for job, own in zip(instance.jobs, parts, strict=True)
        if own
    )
    return TraceSchedule(instance=instance.name, method=method, jobs=tuple(entries))


def _runs(
    instance: TraceInstance, parts: list[tuple[int, int, ModeStretch, Pieces]]
) -> Iterator[TraceRun]:
    """Yield the runs of a job. The last one reaches its end."""
    joined: list[tuple[int, int, ModeStretch, Pieces]] = []
    for start, stop, one, pieces in parts:
        if joined and joined[-1][1:] == (start, one, pieces):
            joined[-1] = (joined[-1][0], stop, one, pieces)
        else:
            joined.append((start, stop, one, pieces))
    for place, (start, stop, one, pieces) in enumerate(joined):
        yield TraceRun(
            start_s=start * instance.tick_s,
            stop_s=None if place == len(joined) - 1 else stop * instance.tick_s,
            gpus=pieces,
            share="half" if one.mode.halves == one.mode.gpus else "whole",
        )


def _placed(
    instance: TraceInstance, present: list[ModeStretch], staying: dict[ModeStretch, Pieces]
) -> dict[ModeStretch, Pieces] | None:
    """Place the widest first, each into the fullest fitting server. Return None if one fails.

    A job for which it matters has no more servers than it needs. If jobs may run in some regions
    only, no job has to stay.
    """
    kinds: list[list[RackServer]] = [
        [server for server in instance.servers if server.gpu == gpu] for gpu in instance.kinds
    ]
    if len(pools(instance)) > 1:
        names = [server.name for server in instance.servers]
        held = matched(instance, {one.job: one.mode for one in present})
        return {one: tuple((names[s], n) for s, n in held[one.job].items()) for one in present}
    room = {server.name: 2 * server.gpus for server in instance.servers}
    for one, pieces in staying.items():
        for server, count in pieces:
            room[server] -= count * one.mode.halves // one.mode.gpus
    found = dict(staying)
    for one in sorted(present, key=lambda one: one.mode.gpus, reverse=True):
        if one in found:
            continue
        each, wanted = one.mode.halves // one.mode.gpus, one.mode.gpus
        own = [server.name for server in kinds[one.mode.kind]]
        whole = [server for server in own if room[server] >= one.mode.halves]
        roomiest = sorted(own, key=room.__getitem__, reverse=True)
        order = [min(whole, key=room.__getitem__)] if whole else roomiest
        taken = list[tuple[str, int]]()
        for server in order:
            count = min(wanted, room[server] // each)
            if count:
                taken.append((server, count))
                room[server] -= count * each
                wanted -= count
        servers = -(-one.mode.gpus // max(server.gpus for server in kinds[one.mode.kind]))
        if wanted or (instance.jobs[one.job].communication and len(taken) > servers):
            return None
        found[one] = tuple(taken)
    return found
