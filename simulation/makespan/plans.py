"""Between schedules (names, exact numbers) and plans (flat arrays)."""

from collections.abc import Iterable, Sequence
from decimal import Decimal

import numpy as np

from ...instances import Assignment, MakespanInstance, Schedule, digest
from ..iteration import TICK
from .evaluate import PlacedStarts

EXACT_TICK = Decimal("1e-6")
"""`TICK` as an exact number."""


def to_plan(instance: MakespanInstance, schedule: Schedule) -> PlacedStarts:
    """Turn a schedule with one assignment for each job into arrays."""
    server_index = {server.name: s for s, server in enumerate(instance.cluster.servers)}
    given = {item.job: item for item in schedule.assignments}
    ordered = [given[job.name] for job in instance.jobs]
    placements = [[(server_index[name], count) for name, count in item.gpus] for item in ordered]
    return make_plan([float(item.start_slot) for item in ordered], placements)


def make_plan(
    starts: Sequence[float], placements: Sequence[Iterable[tuple[int, int]]]
) -> PlacedStarts:
    """Pack starts and (server, GPUs) pairs into arrays."""
    lists = [list(pairs) for pairs in placements]
    first = np.zeros(len(lists) + 1, dtype=np.int64)
    np.cumsum([len(pairs) for pairs in lists], out=first[1:])
    flat = np.array([pair for pairs in lists for pair in pairs], dtype=np.int64).reshape(-1, 2)
    return PlacedStarts(
        np.asarray(starts, dtype=np.float64), first, flat[:, 0].copy(), flat[:, 1].copy()
    )


def to_schedule(instance: MakespanInstance, plan: PlacedStarts, method: str) -> Schedule:
    """Turn arrays into a schedule; the judge adds the exact ends."""
    names = [server.name for server in instance.cluster.servers]
    bounds = plan.first.tolist()
    servers, pieces = plan.servers.tolist(), plan.pieces.tolist()
    assignments = []
    for j, job in enumerate(instance.jobs):
        own = range(bounds[j], bounds[j + 1])
        gpus = tuple(sorted((names[servers[k]], pieces[k]) for k in own))
        start = exact_start(instance, float(plan.start[j]))
        assignments.append(Assignment(job=job.name, start_slot=start, gpus=gpus))
    return Schedule(
        instance=instance.name,
        digest=digest(instance),
        method=method,
        assignments=tuple(assignments),
    )


def exact_start(instance: MakespanInstance, start: float) -> Decimal:
    """Return a start as the decimal that a schedule file holds."""
    if instance.progress != "continuous":
        return Decimal(round(start))
    return Decimal(round(start / TICK)) * EXACT_TICK
