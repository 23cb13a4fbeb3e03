"""The optimum of a tiny `trace` instance by every placement in every tick: slow, and on its own."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from heapq import heappop, heappush
from itertools import product
from math import floor
from typing import Any, NamedTuple

import numpy as np

from ringyard.instances import Outage, RackServer, ServerUplink, TraceInstance, TraceJob, Width
from ringyard.instances.trace.phases import with_types

Place = tuple[tuple[int, ...], int]
"""GPUs on each server, and the halves taken of each."""


class At(NamedTuple):
    """What a job is at: its last place, whether it is there now, ticks until it works.

    With checkpoints, also the ticks since the last one, and the work that was left then.
    """

    left: int
    place: Place | None = None
    running: bool = False
    wait: int = 0
    since: int = 0
    saved: int = 0


def job(name: str, gpus: int, ticks: int, arrival: int = 0, **more: Any) -> TraceJob:
    """Return a job whose times are numbers of seconds."""
    times = {"duration_s": Decimal(ticks), "arrival_s": Decimal(arrival)}
    return TraceJob(name=name, gpus=gpus, **times, **more)


def cluster(jobs: list[TraceJob], *gpus: int, **more: Any) -> TraceInstance:
    """Return an instance on servers of so many GPUs."""
    servers = tuple(RackServer(name=f"s{i}", gpus=count) for i, count in enumerate(gpus))
    return TraceInstance(name="tiny", servers=servers, jobs=tuple(jobs), **more)


def tiny(seed: int) -> TraceInstance:
    """Draw two or three short jobs with whatever the family allows."""
    rng = np.random.default_rng(seed)
    gpus = [[2], [3], [1, 1], [2, 1]][int(rng.integers(4))]
    jobs = []
    for name in "abc"[: int(rng.integers(2, 4))]:
        width = int(rng.integers(1, sum(gpus) + 1))
        other = int(rng.integers(1, sum(gpus) + 1))
        speed = Decimal(int(rng.integers(5, 19))) / 10
        more: dict[str, Any] = {
            "communication": Decimal(int(rng.integers(3))) / 2,
            "packed_speed": Decimal("0.7") if rng.random() < 0.3 else None,
            "speeds": (Width(gpus=other, speed=speed),) if other != width else (),
        }
        more = {key: value for key, value in more.items() if rng.random() < 0.5}
        jobs.append(job(name, width, int(rng.integers(1, 4)), int(rng.integers(3)), **more))
    return cluster(
        jobs,
        *gpus,
        contention=ServerUplink(degradation=Decimal("0.5")) if rng.random() < 0.3 else None,
        restart_s=Decimal(int(rng.integers(2))),
        resume_s=Decimal(0) if rng.random() < 0.3 else None,
    )


def tiny_mixed(seed: int) -> TraceInstance:
    """Draw two or three short jobs on servers with two kinds of GPUs."""
    rng = np.random.default_rng((5, seed))
    gpus = [[1, 1], [2, 1], [1, 1, 1], [2, 2]][int(rng.integers(4))]
    kinds = ["a", "b", str(rng.choice(["a", "b"]))][: len(gpus)]
    rooms = {kind: sum(n for n, k in zip(gpus, kinds, strict=True) if k == kind) for kind in "ab"}
    jobs = []
    count = int(rng.integers(2, 4)) if gpus in ([1, 1], [2, 1]) else 2
    for name in "xyz"[:count]:
        own = [None, "a", "b"][int(rng.integers(3))]
        width = int(rng.integers(1, (max(rooms.values()) if own is None else rooms[own]) + 1))
        speeds: dict[tuple[int, str | None], Width] = {}
        for _ in range(int(rng.integers(3))):
            kind = [None, "a", "b"][int(rng.integers(3))]
            most = rooms.get(kind or own or "", max(rooms.values()))
            key = int(rng.integers(1, most + 1)), kind or own
            if key != (width, own):
                speed = Decimal(int(rng.integers(3, 19))) / 10
                speeds[key] = Width(gpus=key[0], speed=speed, gpu=kind)
        more: dict[str, Any] = {
            "communication": Decimal(int(rng.integers(3))) / 2,
            "packed_speed": Decimal("0.7") if count == 2 and rng.random() < 0.3 else None,
            "speeds": tuple(speeds.values()),
        }
        ticks, arrival = int(rng.integers(1, 6 - count)), int(rng.integers(3))
        jobs.append(job(name, width, ticks, arrival, gpu=own, **more))
    servers = tuple(
        RackServer(name=f"s{i}", gpus=n, gpu=kind)
        for i, (n, kind) in enumerate(zip(gpus, kinds, strict=True))
    )
    restart = Decimal(int(rng.integers(2)))
    return TraceInstance(name="tiny", servers=servers, jobs=tuple(jobs), restart_s=restart)


def tiny_phased(seed: int) -> TraceInstance:
    """Draw short jobs, most of which go through two or three phases, some on two kinds of GPUs."""
    made = tiny_mixed(seed) if seed % 3 == 0 else tiny(seed)
    return with_types(made, seed, 2 + seed % 2, 0.8)


def with_outages(instance: TraceInstance, seed: int) -> TraceInstance:
    """Draw one to three outages in the first ticks, and checkpoints or none."""
    rng = np.random.default_rng((6, seed))
    outages, back = [], [0] * len(instance.servers)
    for _ in range(int(rng.integers(1, 4))):
        s = int(rng.integers(len(back)))
        start = back[s] + int(rng.integers(3))
        back[s] = start + int(rng.integers(1, 3))
        times = {"from_s": Decimal(start), "until_s": Decimal(back[s])}
        outages.append(Outage(server=instance.servers[s].name, **times))
    every = [None, Decimal(1), Decimal(2), Decimal(9)][int(rng.integers(4))]
    return replace(instance, outages=tuple(outages), checkpoint_s=every)


@cache
def optimum(instance: TraceInstance) -> Fraction:
    """Return the least mean completion time; ticks are seconds."""
    return Fraction(_least(instance, lambda _, present: present), len(instance.jobs))


@cache
def shortest(instance: TraceInstance) -> int:
    """Return the least makespan, from the first arrival on; ticks are seconds."""
    first = min(int(job.arrival_s) for job in instance.jobs)
    return _least(instance, lambda tick, _: int(tick >= first))


def _least(instance: TraceInstance, cost_of: Callable[[int, int], int]) -> int:
    """Return the least sum over ticks of a cost of the tick and the number of present jobs."""
    jobs = instance.jobs
    last = max(int(job.arrival_s) for job in jobs)
    last = max(last, *(int(outage.until_s) for outage in instance.outages), 0)
    start = 0, tuple(At(10**6 * int(job.duration_s)) for job in jobs)
    heap, seen, count = [(0, 0, start)], set(), 0
    while True:
        cost, _, state = heappop(heap)
        if state in seen:
            continue
        seen.add(state)
        tick, lives = state
        if not any(at.left for at in lives):
            return cost
        lives = tuple(_struck(instance, tick, at) for at in lives)
        present = [i for i, at in enumerate(lives) if at.left and jobs[i].arrival_s <= tick]
        for chosen in _choices(instance, present, tick):
            for begun in _begun(instance, lives, chosen):
                after = min(tick + 1, last), tuple(_after(instance, lives, chosen, begun))
                count += 1
                heappush(heap, (cost + cost_of(tick, len(present)), count, after))


def _struck(instance: TraceInstance, tick: int, at: At) -> At:
    """Return what a job is at after the outages that begin at a tick."""
    begin = {outage.server for outage in instance.outages if outage.from_s == tick}
    used = at.place[0] if at.running and at.place else ()
    if not any(n and s.name in begin for n, s in zip(used, instance.servers, strict=False)):
        return at
    left = at.left if instance.checkpoint_s is None else at.saved
    return at._replace(left=left, running=False, wait=0, since=0, saved=0)


def _begun(
    instance: TraceInstance, lives: tuple[At, ...], chosen: dict[int, Place]
) -> Iterator[set[int]]:
    """Yield every set of jobs that begin another run on their GPUs, which saves their work."""
    stay = [i for i, place in chosen.items() if lives[i].running and place == lives[i].place]
    if instance.checkpoint_s is None or not instance.outages:
        stay = []
    for new in product((False, True), repeat=len(stay)):
        yield {i for i, one in zip(stay, new, strict=True) if one}


def _choices(instance: TraceInstance, present: list[int], tick: int) -> Iterator[dict[int, Place]]:
    """Yield every way to place some of the jobs that are there."""
    out = {one.server for one in instance.outages if one.from_s <= tick < one.until_s}
    rooms = [0 if server.name in out else 2 * server.gpus for server in instance.servers]
    ways = [[None, *_places(instance, instance.jobs[i])] for i in present]
    for places in product(*ways):
        chosen = {i: place for i, place in zip(present, places, strict=True) if place}
        if all(
            sum(pieces[s] * halves for pieces, halves in chosen.values()) <= room
            for s, room in enumerate(rooms)
        ):
            yield chosen


def _phase(instance: TraceInstance, job: TraceJob, left: int) -> tuple[TraceJob, int]:
    """Return a job with the speeds of its phase, and the work that is left when this ends."""
    own, share = [one for one in instance.types if one.name == job.type], Fraction(0)
    whole = 10**6 * int(job.duration_s)
    for phase in own[0].phases if own else ():
        share += Fraction(phase.share)
        if whole - left < (end := floor(whole * share)):
            return replace(job, type=None, speeds=phase.speeds), whole - end
    return job, 0


def _speed(instance: TraceInstance, job: TraceJob, pieces: tuple[int, ...]) -> Fraction | None:
    """Return the speed on GPUs of one kind inside a server, or None if it may not run there."""
    used = {server.gpu for server, n in zip(instance.servers, pieces, strict=True) if n}
    if len(used) > 1:
        return None
    (kind,) = used
    known = {(width.gpus, width.gpu): Fraction(width.speed) for width in job.speeds}
    at_home = {(job.gpus, None): Fraction(1), **known} if job.gpu in (None, kind) else {}
    return known.get((sum(pieces), kind), at_home.get((sum(pieces), None)))


def _places(instance: TraceInstance, job: TraceJob) -> Iterator[Place]:
    for halves in (2, 1) if job.packed_speed is not None else (2,):
        own = job.allowed_regions
        most = [
            2 * server.gpus if own is None or server.region in own else 0
            for server in instance.servers
        ]
        for pieces in product(*(range(count + 1) for count in most)):
            now, _ = _phase(instance, job, 10**6 * int(job.duration_s))
            if sum(pieces) and _speed(instance, now, pieces) is not None:
                yield pieces, halves


def _after(
    instance: TraceInstance, lives: tuple[At, ...], chosen: dict[int, Place], begun: set[int]
) -> Iterator[At]:
    """Yield what jobs are at after a tick, in which some begin another run on their GPUs."""
    restart, resume = int(instance.restart_s), int(instance.resume)
    every = int(instance.checkpoint_s or 0) if instance.outages else 0
    for i, at in enumerate(lives):
        if i not in chosen:
            idle = at._replace(running=False, wait=0, since=0, saved=0)
            yield idle if at.left else At(0)
            continue
        place = chosen[i]
        wait = at.wait
        if at.place is None:
            wait = 0
        elif place != at.place:
            wait = restart
        elif not at.running or i in begun:
            wait = resume
        now, end = _phase(instance, instance.jobs[i], at.left)
        left = at.left if wait else max(end, at.left - _rate(instance, i, chosen, now))
        new = not at.running or place != at.place or i in begun
        since, saved = (0, at.left) if new else (at.since, at.saved)
        since += not wait
        if every and since == every:
            since, saved = 0, left
        saved = left if left == end and not wait else saved
        kept = (since, saved) if every else (0, 0)
        yield At(left, place, True, max(0, wait - 1), *kept) if left else At(0)


def _rate(instance: TraceInstance, i: int, chosen: dict[int, Place], job: TraceJob) -> int:
    pieces, halves = chosen[i]
    given = _speed(instance, job, pieces)
    assert given is not None
    speed = given
    if halves == 1:
        speed *= Fraction(job.packed_speed)
    if sum(map(bool, pieces)) > 1:
        speed /= 1 + Fraction(job.communication) * _slowdown(instance, i, chosen)
    return max(1, round(10**6 * speed))


def _slowdown(instance: TraceInstance, i: int, chosen: dict[int, Place]) -> Fraction:
    model = instance.contention
    if not isinstance(model, ServerUplink):
        return Fraction(1)
    rings = [
        pieces
        for j, (pieces, _) in chosen.items()
        if sum(map(bool, pieces)) > 1 and instance.jobs[j].communication
    ]
    here = [s for s, count in enumerate(chosen[i][0]) if count]
    most = max(sum(bool(ring[s]) for ring in rings) for s in here)
    share = max(Fraction(1), Fraction(model.share) * most)
    return share + Fraction(model.degradation) * (share - 1)
