"""Servers that differ in more than their GPUs: random options for `makespan` instances."""

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from random import Random

from ringyard.instances import InputError, MakespanInstance, Schedule, validate
from ringyard.instances.makespan import KindSpeed
from ringyard.instances.regions import may_run
from ringyard.simulation import make_plan, to_schedule

SPEEDS = ("0.1", "0.5", "0.333333333333", "1", "1.3", "2", "7")
WIDTHS = ("1", "1", "0.5", "0.25", "0.3", "0.333333333333", "0.1", "0.7", "1e-3")


def unlike(instance: MakespanInstance, rng: Random) -> MakespanInstance:
    """Return the instance with other servers."""
    made = instance
    while made is instance:
        made = with_uplinks(made, rng) if rng.random() < 0.5 else made
        made = with_kinds(made, rng) if rng.random() < 0.5 else made
        try:
            validate(made)
        except InputError:  # A smaller ring may have nothing to do.
            made = instance
    return made


def random_schedule(instance: MakespanInstance, rng: Random) -> Schedule:
    """Return any starts and GPUs, each job on one kind. Servers may be overbooked."""
    servers, starts, spots = instance.cluster.servers, [], []
    for job in instance.jobs:
        kind = rng.choice([kind for kind in instance.kinds if job.speed_on(kind) is not None])
        own = [s for s, one in enumerate(servers) if one.gpu == kind]
        held = Counter(rng.choice(own) for _ in range(job.gpus))
        starts.append(float(job.release_slot) + rng.randint(0, 6))
        spots.append(sorted(held.items()))
    return to_schedule(instance, make_plan(starts, spots), "random")


def with_kinds(instance: MakespanInstance, rng: Random) -> MakespanInstance:
    """Return the instance with two or three kinds of GPUs, and jobs that fit on one of them."""
    names = ("v", "p", "k")[: rng.randint(2, 3)]
    servers = tuple(replace(one, gpu=rng.choice(names)) for one in instance.cluster.servers)
    kinds = list(dict.fromkeys(one.gpu for one in servers))
    jobs = []
    for job in instance.jobs:
        own = rng.choice([None, *kinds])
        speeds = tuple(
            KindSpeed(gpu=kind, speed=Decimal(rng.choice(SPEEDS)))
            for kind in kinds
            if kind != own and rng.random() < 0.5
        )
        made = replace(job, gpu=own, speeds=speeds)
        room = max(
            sum(one.gpus for one in servers if one.gpu == kind and may_run(job, one))
            for kind in kinds
            if made.speed_on(kind) is not None
        )
        # If no kind that it may have is in its regions, any kind will do.
        if room == 0:
            made, room = replace(made, gpu=None, speeds=()), 1
        jobs.append(replace(made, gpus=min(job.gpus, room)))
    return replace(instance, cluster=replace(instance.cluster, servers=servers), jobs=tuple(jobs))


def with_uplinks(instance: MakespanInstance, rng: Random) -> MakespanInstance:
    """Return the instance with unequal uplinks."""
    servers = tuple(
        replace(one, uplink=Decimal(rng.choice(WIDTHS))) for one in instance.cluster.servers
    )
    return replace(instance, cluster=replace(instance.cluster, servers=servers))
