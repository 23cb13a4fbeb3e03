"""Random small trace instances with good and bad schedules."""

from dataclasses import replace
from decimal import Decimal
from random import Random

from check.trace.small import job, make_instance, plan, run, schedule, with_unsaved

from ringyard.instances import (
    InputError,
    JobGroup,
    Outage,
    RackLinks,
    ServerUplink,
    TraceInstance,
    TraceRun,
    TraceSchedule,
    validate,
)
from ringyard.instances.trace.begun import with_begun
from ringyard.instances.trace.phases import with_types

MODELS = [
    None,
    ServerUplink(share=Decimal("0.75"), degradation=Decimal("0.2")),
    RackLinks(oversubscription=Decimal("1.5")),
]


def drawn_instance(rng: Random) -> TraceInstance:
    names = rng.sample(["a0", "a1", "b0", "b1"], rng.randint(1, 4))
    servers = {name: rng.randint(1, 3) for name in names}
    tick = rng.choice([Decimal(1), Decimal("0.5")])
    total = sum(servers.values())
    jobs = []
    for i in range(rng.randint(1, 4)):
        gpus = rng.randint(1, min(4, total))
        other = {gpus % total + 1: rng.choice([0.7, 1.3])} if total > 1 else {}
        jobs.append(
            job(
                f"j{i}",
                gpus,
                rng.randint(1, 8) * tick,
                rng.randint(0, 4) * tick,
                communication=rng.choice([0, 0.3, 1, 1]),
                packed_speed=rng.choice([None, 0.6, 0.55]),
                speeds=rng.choice([{}, other]),
            )
        )
    return make_instance(
        servers,
        *jobs,
        contention=rng.choice(MODELS),
        tick_s=tick,
        restart_s=rng.randint(0, 3) * tick,
        resume_s=rng.choice([None, 0 * tick, 1 * tick]),
    )


def in_groups(instance: TraceInstance, rng: Random) -> TraceInstance:
    """Return half of the instances with groups, whose jobs may hold a number of GPUs at most."""
    if rng.random() < 0.5:
        return instance
    jobs = tuple(replace(one, group=rng.choice([None, "g", "h"])) for one in instance.jobs)
    widest = {name: max([1, *(o.gpus for o in jobs if o.group == name)]) for name in "gh"}
    groups = (JobGroup(name="g", most=widest["g"]), JobGroup(name="h", most=widest["h"] + 1))
    return replace(instance, jobs=jobs, groups=groups)


def in_phases(instance: TraceInstance, rng: Random) -> TraceInstance:
    """Return a third of the instances with jobs that go through phases, at other speeds."""
    if rng.random() < 2 / 3:
        return instance
    return with_types(instance, rng.randint(0, 10**6), rng.randint(1, 4), 0.7)


def drawn_pieces(rng: Random, instance: TraceInstance, gpus: int) -> dict[str, int]:
    names = [server.name for server in instance.servers for _ in range(server.gpus)]
    chosen = rng.sample(names, min(gpus, len(names)))
    return {name: chosen.count(name) for name in sorted(set(chosen))}


def good_plan(rng: Random, instance: TraceInstance, i: int) -> list[TraceRun]:
    """Return runs that break no rule, unless others hold their GPUs or they start too late."""
    own, tick = instance.jobs[i], instance.tick_s
    share = "half" if own.packed_speed and rng.random() < 0.5 else "whole"
    widths = [own.gpus, *(width.gpus for width in own.speeds)]
    at, runs = int(own.arrival_s / tick) + rng.randint(0, 3), []
    for left in range(rng.randint(0, 2), -1, -1):
        stop = at + rng.randint(1, 3) if left else None
        pieces = drawn_pieces(rng, instance, rng.choice(widths))
        if runs and rng.random() < 0.5:
            pieces = dict(runs[-1].gpus)
        runs.append(run(at * tick, None if stop is None else stop * tick, share, **pieces))
        at = (stop or 0) + rng.randint(0, 2)
    return runs


def wild_plan(rng: Random, instance: TraceInstance, i: int) -> list[TraceRun]:
    """Return runs with any fault."""
    tick, runs = instance.tick_s, []
    at = rng.randint(0, 8)
    for _ in range(rng.randint(1, 4)):
        pieces = drawn_pieces(rng, instance, instance.jobs[i].gpus + rng.choice([0, 0, 1]))
        if rng.random() < 0.1:
            pieces["nowhere"] = 1
        stop = at + rng.choice([0, 1, 2, 3, 4, 5, 8]) if rng.random() < 0.7 else None
        shift = rng.choice([0] * 15 + [tick / 4])
        share = rng.choice(["whole", "whole", "half"])
        stop_s = None if stop is None else stop * tick
        runs.append(run(at * tick + shift, stop_s, share, **pieces))
        at = max(0, at + rng.randint(-1, 6))
    return runs


def with_outages(instance: TraceInstance, made: TraceSchedule, rng: Random) -> TraceInstance:
    """Return half of the instances with outages, most of which begin when a run stops."""
    tick, names = instance.tick_s, [server.name for server in instance.servers]
    if rng.random() < 0.5:
        return instance
    stops = [
        (server, one.stop_s // tick)
        for entry in made.jobs
        for one in entry.runs
        for server, _ in one.gpus
        if one.stop_s is not None and server in names
    ]
    spans: dict[str, list[tuple[int, int]]] = {}
    for _ in range(rng.randint(1, 3)):
        server, moment = rng.choice([(rng.choice(names), rng.randint(0, 8)), *stops])
        span = int(moment), int(moment) + rng.randint(1, 2)
        own = spans.setdefault(server, [])
        if all(span[1] <= start or span[0] >= end for start, end in own):
            own.append(span)
    outages = [
        Outage(server=server, from_s=start * tick, until_s=end * tick)
        for server, own in spans.items()
        for start, end in own
    ]
    every = rng.choice([None, tick, 2 * tick, 3 * tick, 50 * tick])
    return replace(instance, outages=tuple(outages), checkpoint_s=every)


def with_last_runs(instance: TraceInstance, made: TraceSchedule, rng: Random) -> TraceInstance:
    """Return jobs that have begun, in half of the cases, often where their plan goes on."""
    if rng.random() < 0.5:
        return instance
    begun = with_begun(instance, Decimal("0.7"), rng.randint(0, 10**6))
    first = {entry.job: entry.runs[0] for entry in made.jobs if entry.runs}
    for i, one in enumerate(begun.jobs):
        if one.name in first and one.held is not None and rng.random() < 0.6:
            run = first[one.name]
            cost = rng.randint(0, 3) * instance.tick_s
            near = replace(one, held=run.gpus, held_share=run.share, held_s=cost, stopped=False)
            near = with_unsaved(near, instance, rng)
            try:
                tried = replace(begun, jobs=(*begun.jobs[:i], near, *begun.jobs[i + 1 :]))
                validate(tried)
            except InputError:
                continue
            begun = tried
    return begun


def drawn_case(seed: int) -> tuple[TraceInstance, TraceSchedule]:
    rng = Random(seed)
    instance = in_groups(drawn_instance(rng), Random(f"groups {seed}"))
    drawn_plan = rng.choice([good_plan, wild_plan])
    plans = [
        plan(f"j{i}", *drawn_plan(rng, instance, i))
        for i in rng.sample(range(len(instance.jobs)), len(instance.jobs))
    ]
    made = schedule(*plans)
    phased = in_phases(instance, Random(f"types {seed}"))
    begun = with_last_runs(phased, made, Random(f"begun {seed}"))
    return with_outages(begun, made, Random(f"outages {seed}")), made
