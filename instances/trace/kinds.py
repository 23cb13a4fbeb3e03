"""Where jobs may run if GPUs are of several kinds, and the kinds and speeds of generated traces."""

import csv
from dataclasses import replace
from decimal import Decimal
from functools import cache
from itertools import accumulate
from operator import mul
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from ..draw import KINDS, exact, names_of_kinds
from ..regions import may_run, reach_of
from . import TraceInstance, Width, in_first_phase, named_types, rooms_by_kind, speed_on


class KindReach(NamedTuple):
    """Sets of servers by number, 0 for all servers, and where jobs may run."""

    sets: tuple[frozenset[int], ...]
    jobs: tuple[int, ...]
    """The set of each job: all servers on which it may run on its requested number of GPUs."""
    rows: tuple[tuple[tuple[int, int], ...], ...]
    """For each job its kinds of GPUs, the fastest first: a set of servers and the kind's number.

    Empty if there is one kind only.
    """


def reach_by_kind(instance: TraceInstance) -> KindReach:
    """Return the servers that jobs may use, and on each kind.

    A job is on servers of one kind at a time. Its kinds are in the order of the speed on the
    requested number of GPUs in their first phase, then in the order of the servers.
    """
    kinds = instance.kinds
    if len(kinds) == 1:
        sets, numbers = reach_of(instance.servers, instance.jobs)
        return KindReach(sets, numbers, ())
    found = {frozenset(range(len(instance.servers))): 0}
    known: dict[Any, tuple[int, tuple[tuple[int, int], ...]]] = {}
    types = named_types(instance)
    jobs = [in_first_phase(types, job) for job in instance.jobs]
    keys = [(j.allowed_regions, j.gpu, j.gpus, j.speeds) for j in jobs]
    for job, key in zip(jobs, keys, strict=True):
        if key in known:
            continue
        widths = {job.gpus, *(entry.gpus for entry in job.speeds)}
        speeds = [speed_on(job, job.gpus, gpu) for gpu in kinds]
        order = sorted(range(len(kinds)), key=lambda k: (-(speeds[k] or 0), k))
        own = {
            k: frozenset(
                s
                for s, server in enumerate(instance.servers)
                if server.gpu == kinds[k] and may_run(job, server)
            )
            for k in order
            if any(speed_on(job, width, kinds[k]) is not None for width in widths)
        }
        whole = frozenset[int]().union(*(own[k] for k in own if speeds[k] is not None))
        number = found.setdefault(whole, len(found))
        rows = tuple((found.setdefault(one, len(found)), k) for k, one in own.items() if one)
        known[key] = number, rows
    return KindReach(
        tuple(found), tuple(known[key][0] for key in keys), tuple(known[key][1] for key in keys)
    )


SPEEDS = Path(__file__).with_name("gavel-speeds.csv")
"""Speeds on p100 and k80 over that on v100, by model and number of GPUs, empty if it does not fit.

They are quotients of the steps per second in `simulation_throughputs.json` of
https://github.com/stanford-futuredata/gavel (MIT licence), measured inside a server.
"""


@cache
def measured() -> dict[tuple[str, int], dict[str, Decimal]]:
    """Return the measured speeds by model and number of GPUs, then by kind."""
    with SPEEDS.open(encoding="utf-8", newline="") as file:
        return {
            (row["model"], int(row["gpus"])): {
                kind: Decimal(row[kind]) for kind in KINDS[1:] if row[kind]
            }
            for row in csv.DictReader(file)
        }


def measured_models(gpus: int) -> list[str]:
    """Return the models measured on this number of GPUs, or on the next smaller one."""
    most = max(width for _, width in measured() if width <= gpus)
    return [model for model, width in measured() if width == most]


def with_kinds(
    instance: TraceInstance, seed: int, count: int, slower: float, picky: float
) -> TraceInstance:
    """Deal kinds of GPUs to the servers, and give jobs speeds on them.

    A job requests the first kind. A picky one requests any kind with enough GPUs. Its speeds
    are those that were measured for its model. Other models have random ones, of at least `slower`
    relative to the kind before. The random numbers are separate, so all other data stay the same.
    """
    rng = Random(f"kinds {seed}")
    names = names_of_kinds(count)
    servers = tuple(
        replace(server, gpu=names[s % count]) for s, server in enumerate(instance.servers)
    )
    rooms = {str(gpu): room for gpu, room in rooms_by_kind(servers).items()}
    drawn = {
        model: _ratios(rng, names, slower)
        for model in dict.fromkeys(j.model for j in instance.jobs)
    }
    jobs = []
    for job in instance.jobs:
        picks, which = rng.random(), rng.random()
        widths = [Width(gpus=job.gpus, speed=Decimal(1)), *job.speeds]
        able = [name for name, room in rooms.items() if job.gpus <= room]
        own = able[int(which * len(able))] if picks < picky else names[0]
        entries = [replace(one, gpu=own) for one in widths[1:] if one.gpus <= rooms[own]]
        ratios = measured().get((job.model or "", job.gpus), drawn[job.model])
        for name, room in rooms.items():
            if picks >= picky and name in ratios:
                entries += [
                    Width(gpus=one.gpus, gpu=name, speed=exact(float(one.speed * ratios[name]), 4))
                    for one in widths
                    if one.gpus <= room
                ]
        jobs.append(replace(job, gpu=own, speeds=tuple(entries)))
    return replace(instance, servers=servers, jobs=tuple(jobs))


def _ratios(rng: Random, names: list[str], slower: float) -> dict[str, Decimal]:
    """Draw the speeds of a model on all kinds but the first."""
    parts = accumulate((slower + (1 - slower) * rng.random() for _ in names[1:]), mul)
    return {name: Decimal(part) for name, part in zip(names[1:], parts, strict=True)}
