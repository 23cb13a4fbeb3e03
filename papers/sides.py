"""Gap diagnosis of open instances: is the bound or the schedule known to be loose?

A *blind* instance has all its GPUs in one server. Only the GPUs of a job and its least duration
matter there. If a blind schedule ends by the certified bound, no bound that ignores servers can
rise. A proof that no blind schedule does raises the bound.
"""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import NamedTuple

from ..analysis.tables import Cell, columns_of, numbers, texts
from ..campaigns.reproductions import Answers, Known, Results, Run, Settings
from ..instances import BoundKind, MakespanInstance, Server, ServerUplink
from ..instances.catalogue import Entry, entries
from ..run import ContradictionError
from ..search.makespan.annealing.blocks import cut
from ..search.makespan.bounds.counting import tasks_of
from ..search.makespan.bounds.load import gpus_needed
from ..search.makespan.diving import block_dive
from ..search.makespan.diving.dive import in_fractions
from .study import named, ours, table_of

FAMILIES = ("mobihoc", "knot", "large")

PROVER = "cp-sat"
"""Tests if a blind schedule ends by the bound, and by a slot before the best known."""

DIVES = 3
"""Number of roundings of fractions. The one that gets farthest is used."""

UNCERTIFIED = (None, BoundKind.NONE, BoundKind.SOLVER)


class GapSide(NamedTuple):
    """Values known of an instance.

    No blind schedule ends before `least`, and one ends at `most`.
    """

    entry: Entry
    best: int
    bound: int
    least: int
    most: int

    @property
    def weak(self) -> str:
        """Name the side that is known to be weak."""
        if self.least > self.bound:
            return "below"
        if self.most > self.bound:
            return "unknown"
        return "above" if self.most == self.bound else "servers"


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield the runs on blind instances."""
    for entry in _open(settings):
        yield from _runs(entry, settings)


def report(settings: Settings, answers: Answers) -> Results:
    """Make one table of all open instances."""
    found = [_side(entry, settings, answers) for entry in _open(settings)]
    columns = (
        *texts("instance"),
        *numbers("best", "bound", "blind, least", "blind, most", "GPUs"),
        *columns_of({"needed for best - 1": 2, "idle GPU-slots": 0}),
        *texts("fractions", "weak"),
    )
    caption = "Open instances, and on which side they are weak"
    lines = tuple(_line(side, _fractions(side)) for side in found)
    table = table_of(caption, columns, lines)
    return Results(tables={"sides": table})


def blind(instance: MakespanInstance) -> MakespanInstance:
    """Return the instance with all GPUs in one server, where jobs take their least slots."""
    slots = {task.name: int(task.slots) for task in tasks_of(instance)}
    gpus = sum(server.gpus for server in instance.cluster.servers)
    server = Server(name="all", gpus=gpus)
    jobs = tuple(
        replace(
            job,
            iterations=slots[job.name],
            gradient_gb=Decimal(0),
            batch_samples=1,
            forward_s_per_sample=Decimal(0),
            backward_s=instance.slot_s,
        )
        for job in instance.jobs
    )
    return replace(
        instance,
        name=f"{instance.name}-blind",
        cluster=replace(instance.cluster, servers=(server,)),
        jobs=jobs,
        contention=ServerUplink(),
        overhead_s=Decimal(0),
    )


def _open(settings: Settings) -> list[Entry]:
    known = [one for one in entries().values() if one.family in FAMILIES and not one.closed]
    known.sort(key=lambda one: (FAMILIES.index(one.family), one.jobs, one.name))
    return settings.some(known)


def _ends(entry: Entry) -> tuple[int, int]:
    """Return the best known makespan and the certified bound."""
    return int(entry.upper[0].value), int(entry.lower[0].value)


def _runs(entry: Entry, settings: Settings) -> list[Run]:
    best, bound = _ends(entry)
    one, limit = blind(named(entry.name)), settings.time_limit
    asked = [
        Run(instance=one, method=PROVER, threads=2, horizon=slot, time_limit=limit)
        for slot in dict.fromkeys((bound, best - 1))
    ]
    return [*asked, Run(instance=one, method=ours(), threads=2, time_limit=limit)]


def _side(entry: Entry, settings: Settings, answers: Answers) -> GapSide:
    best, bound = _ends(entry)
    rows = [answers(run) for run in _runs(entry, settings)]
    least = [int(row["bound"]) for row in rows if row["bound_kind"] not in UNCERTIFIED]
    most = [best, *(int(row["objective"]) for row in rows if row["valid"])]
    side = GapSide(entry, best, bound, max(least, default=0), min(most))
    if side.least > best:
        why = f"a valid {best}, and no blind schedule ends before {side.least}"
        raise ContradictionError(f"{entry.name}: {why}")
    return side


def _fractions(side: GapSide) -> str:
    """Return which jobs of nested blocks are in fractions that cover all by the bound."""
    instance = named(side.entry.name)
    blocks = None if block_dive.refuses(instance) else cut(instance)
    if blocks is None:
        return "not asked"
    found = [in_fractions(blocks, side.bound, seed) for seed in range(DIVES)]
    sizes = [size for size in found if size is not None]
    return f"up to {min(sizes)} GPUs" if sizes else "none found"


def _line(side: GapSide, fractions: str) -> tuple[Cell, ...]:
    instance = named(side.entry.name)
    gpus, before = side.entry.gpus, side.best - 1
    work = sum(task.gpus * int(task.slots) for task in tasks_of(instance))
    needed = gpus_needed(instance, before)
    idle = gpus * before - work
    ends = side.best, side.bound, side.least, side.most
    return side.entry.name, *ends, gpus, needed, idle, fractions, side.weak
