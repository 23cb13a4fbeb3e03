"""Random jobs that have begun before time 0."""

from dataclasses import replace
from decimal import Decimal
from random import Random

from ..regions import may_run
from . import WORK, TraceInstance, TraceJob, speed_on, work_left


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
