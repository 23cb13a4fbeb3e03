"""The semantics of trace schedules once more, tick by tick in fractions of a job's work."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor

from ringyard.instances import (
    ServerUplink,
    TraceInstance,
    TraceJob,
    TraceRun,
    TraceSchedule,
    Width,
)

Where = tuple[int, int]
"""Which entry of the schedule, which of its runs."""


@dataclass
class Story:
    """What happened: ticks in which runs held and worked, ends in ticks, work left, faults."""

    held: dict[Where, list[int]] = field(default_factory=dict)
    worked: dict[Where, list[int]] = field(default_factory=dict)
    ends: dict[str, int] = field(default_factory=dict)
    left: dict[str, Fraction] = field(default_factory=dict)
    early: dict[Where, int] = field(default_factory=dict)
    late: set[Where] = field(default_factory=set)
    lost: dict[Where, Fraction] = field(default_factory=dict)


@dataclass
class Actor:
    """A job on stage: its runs still to come, and the one it is in."""

    job: TraceJob
    entry: int
    queue: list[tuple[int, TraceRun]]
    left: Fraction
    now: tuple[int, TraceRun] | None = None
    before: TraceRun | None = None
    stall: int = 0
    worked: int = 0
    saved: Fraction = Fraction(0)


def servers_of(run: TraceRun) -> dict[str, int]:
    found: dict[str, int] = {}
    for server, count in run.gpus:
        found[server] = found.get(server, 0) + max(0, count)
    return {server: count for server, count in found.items() if count}


def tick_of(instance: TraceInstance, seconds: object) -> int:
    return ceil(Fraction(seconds) / Fraction(instance.tick_s))  # type: ignore[call-overload]


def usable(instance: TraceInstance, run: TraceRun) -> bool:
    known = {server.name for server in instance.servers}
    if not servers_of(run) or any(server not in known for server in servers_of(run)):
        return False
    return run.stop_s is None or tick_of(instance, run.start_s) < tick_of(instance, run.stop_s)


def actors_of(instance: TraceInstance, schedule: TraceSchedule) -> list[Actor]:
    jobs = {job.name: job for job in instance.jobs}
    actors = []
    for i, entry in enumerate(schedule.jobs):
        if entry.job in jobs:
            job = jobs.pop(entry.job)
            queue = [(k, run) for k, run in enumerate(entry.runs) if usable(instance, run)]
            left = (Fraction(job.duration_s) - Fraction(job.done_s)) / Fraction(instance.tick_s)
            actors.append(Actor(job, i, queue, left))
    return actors


def fair(crossed: dict[int, list[str]], width: dict[str, Fraction]) -> dict[int, Fraction]:
    """Raise all rings together; whoever meets a full link stays where it is."""
    rate = dict.fromkeys(crossed, Fraction(0))
    rising = set(crossed)
    while rising:
        users = {link: [r for r in crossed if link in crossed[r]] for link in width}
        room = {link: width[link] - sum(rate[r] for r in users[link]) for link in width}
        step = min(
            room[link] / sum(r in rising for r in users[link])
            for link in width
            if any(r in rising for r in users[link])
        )
        for ring in rising:
            rate[ring] += step
        full = {link for link in width if sum(rate[ring] for ring in users[link]) == width[link]}
        rising = {ring for ring in rising if not full & set(crossed[ring])}
    return rate


def slowdowns(instance: TraceInstance, rings: dict[int, list[str]]) -> dict[int, Fraction]:
    """Return f of every ring; `rings` are their servers."""
    model = instance.contention
    if model is None:
        return dict.fromkeys(rings, Fraction(1))
    if isinstance(model, ServerUplink):
        found = {}
        for ring, servers in rings.items():
            p = max(sum(s in other for other in rings.values()) for s in servers)
            k = max(Fraction(1), Fraction(model.share) * p)
            found[ring] = k + Fraction(model.degradation) * (k - 1)
        return found
    rack = {server.name: server.rack for server in instance.servers}
    width = {f"server {name}": Fraction(1) for name in rack}
    for name in set(rack.values()):
        below = sum(other == name for other in rack.values())
        width[f"rack {name}"] = below / Fraction(model.oversubscription)
    crossed = {}
    for ring, servers in rings.items():
        racks = {rack[server] for server in servers}
        crossed[ring] = [f"server {server}" for server in servers]
        crossed[ring] += [f"rack {name}" for name in racks if len(racks) > 1]
    return {ring: 1 / rate for ring, rate in fair(crossed, width).items()}


def phase_of(instance: TraceInstance, actor: Actor) -> tuple[tuple[Width, ...], Fraction]:
    """Return the speeds of the present phase, and what is left of the job when it ends."""
    job = actor.job
    whole = Fraction(job.duration_s) / Fraction(instance.tick_s)
    (phases,) = [one.phases for one in instance.types if one.name == job.type] or [()]
    done, share = whole - actor.left, Fraction(0)
    for phase in phases:
        share += Fraction(phase.share)
        end = Fraction(floor(10**6 * whole * share), 10**6)
        if done < end:
            return phase.speeds, whole - end
    return job.speeds, Fraction(0)


def rate_of(job: TraceJob, speeds: Sequence[Width], run: TraceRun, f: Fraction) -> Fraction:
    gpus = sum(servers_of(run).values())
    speed = Fraction(1)
    for width in speeds:
        if width.gpus == gpus:
            speed = Fraction(width.speed)
    if run.share == "half":
        speed *= Fraction(job.packed_speed or 1)
    if len(servers_of(run)) > 1:
        speed /= 1 + Fraction(job.communication) * f
    return Fraction(max(1, round(speed * 10**6)), 10**6)


def strikes(instance: TraceInstance, run: TraceRun, tick: int) -> bool:
    """Return whether a server of a run fails at a tick."""
    return any(
        tick_of(instance, outage.from_s) == tick and outage.server in servers_of(run)
        for outage in instance.outages
    )


def depart(instance: TraceInstance, story: Story, actor: Actor, tick: int) -> None:
    """Let go of the GPUs if the work is done or the time is up."""
    if actor.now is None:
        return
    k, run = actor.now
    done = actor.left <= 0
    if done or (run.stop_s is not None and tick >= tick_of(instance, run.stop_s)):
        actor.now, actor.before = None, run
        if not done and instance.checkpoint_s is not None and strikes(instance, run, tick):
            story.lost[actor.entry, k] = actor.saved - actor.left
            actor.left = actor.saved
        for other, waiting in actor.queue:
            early = tick - tick_of(instance, waiting.start_s)
            if early > 0 and done:
                story.early[actor.entry, other] = early
            elif done:
                story.late.add((actor.entry, other))
    if done:
        story.ends[actor.job.name] = tick
        actor.queue = []


def board(instance: TraceInstance, story: Story, actor: Actor, tick: int) -> None:
    """Take the GPUs of the next run if its time has come."""
    while actor.now is None and actor.queue:
        k, run = actor.queue[0]
        start = tick_of(instance, run.start_s)
        if start > tick:
            return
        actor.queue.pop(0)
        if start < tick:
            story.early[actor.entry, k] = tick - start
        if run.stop_s is not None and tick_of(instance, run.stop_s) <= tick:
            continue
        actor.now, actor.worked, actor.saved = (k, run), 0, actor.left
        if actor.before is not None:
            same = servers_of(actor.before) == servers_of(run) and actor.before.share == run.share
            cost = instance.restart_s
            if same and instance.resume_s is not None:
                cost = instance.resume_s
            actor.stall = tick_of(instance, cost)
        elif actor.job.held is not None:
            held, resume = dict(actor.job.held), instance.resume_s
            cost = instance.restart_s
            if held == servers_of(run) and actor.job.held_share == run.share:
                cost = instance.restart_s if resume is None else resume
                if tick == 0 and not actor.job.stopped:
                    cost = actor.job.held_s
                    actor.worked = tick_of(instance, actor.job.unsaved_s)
                    actor.saved += Fraction(actor.job.unsaved_done_s) / Fraction(instance.tick_s)
            actor.stall = tick_of(instance, cost)


def tell(instance: TraceInstance, schedule: TraceSchedule, horizon: int) -> Story:
    story = Story()
    actors = actors_of(instance, schedule)
    for tick in range(horizon):
        for actor in actors:
            depart(instance, story, actor, tick)
        for actor in actors:
            board(instance, story, actor, tick)
        active = [actor for actor in actors if actor.now is not None]
        rings = {
            actor.entry: list(servers_of(actor.now[1]))
            for actor in active
            if actor.now and len(servers_of(actor.now[1])) > 1 and actor.job.communication > 0
        }
        f = slowdowns(instance, rings)
        for actor in active:
            assert actor.now is not None
            where = actor.entry, actor.now[0]
            story.held.setdefault(where, []).append(tick)
            if actor.stall:
                actor.stall -= 1
            else:
                story.worked.setdefault(where, []).append(tick)
                speeds, end = phase_of(instance, actor)
                pace = f.get(actor.entry, Fraction(0))
                actor.left -= rate_of(actor.job, speeds, actor.now[1], pace)
                actor.worked += 1
                every = instance.checkpoint_s
                if every is not None and actor.worked % tick_of(instance, every) == 0:
                    actor.saved = actor.left
                if actor.left <= end:
                    actor.left = actor.saved = end
                    actor.worked = 0
    assert all(actor.now is None and not actor.queue for actor in actors), "a longer horizon"
    story.left = {actor.job.name: actor.left for actor in actors}
    return story


def crowding(
    instance: TraceInstance, schedule: TraceSchedule, story: Story
) -> set[tuple[str, int, int, Fraction]]:
    """Return server or group, first and last tick, GPUs over, of every stretch with too many."""
    found = set()
    limits = {f"server {server.name}": server.gpus for server in instance.servers}
    limits |= {f"group {group.name}": group.most for group in instance.groups if group.most}
    groups = {job.name: job.group for job in instance.jobs}
    for name, limit in limits.items():
        over: dict[int, Fraction] = {}
        for (i, k), ticks in story.held.items():
            run = schedule.jobs[i].runs[k]
            gpus = sum(
                count
                for server, count in servers_of(run).items()
                if name in (f"server {server}", f"group {groups[schedule.jobs[i].job]}")
            )
            part = Fraction(gpus, 2 if run.share == "half" else 1)
            for tick in ticks:
                over[tick] = over.get(tick, Fraction(-limit)) + part
        bad = {tick for tick, amount in over.items() if amount > 0}
        for first in sorted(tick for tick in bad if tick - 1 not in bad):
            last = first
            while last + 1 in bad:
                last += 1
            found.add((name, first, last, max(over[t] for t in range(first, last + 1))))
    return found


def intrusions(instance: TraceInstance, schedule: TraceSchedule, story: Story) -> dict[str, int]:
    """Return the ticks in which runs hold GPUs of servers that are out of service, by place."""
    found: dict[str, int] = {}
    for (i, k), ticks in story.held.items():
        for outage in instance.outages:
            span = range(tick_of(instance, outage.from_s), tick_of(instance, outage.until_s))
            here = len(set(span).intersection(ticks))
            if here and outage.server in servers_of(schedule.jobs[i].runs[k]):
                where = f"jobs[{i}], job {schedule.jobs[i].job}, runs[{k}], server {outage.server}"
                found[where] = found.get(where, 0) + here
    return found
