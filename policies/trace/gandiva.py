"""Gandiva: jobs take turns on servers of their width; sharing GPUs and moving are tried out.

Nothing is known of lengths. What a job is worth on shared GPUs, or inside one server, is known once
it has run there for a turn (Xiao et al., OSDI 2018). The sets of servers follow the simulator that
was published with Tiresias.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Annotated, Literal

from ...instances import Outcome, TraceInstance
from ...instances.reading.vocabulary import Positive
from ...simulation.trace import ClusterView, GrantedGpus, JobView, TraceDecider, TraceSetting
from ..request import Request
from .gandiva_released import ReleasedGandiva
from .node_sets import NodeSet, NodeSetKind, NodeSets, Unit, servers_for
from .serve import ServiceOptions, serve

Switch = Literal["yes", "no"]

TURNS = 10
"""A turn is at least this many times as long as it costs to run again on the same GPUs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(ServiceOptions):
    """The length of a turn, and what is tried out."""

    interval_s: Annotated[Positive, "the length of a turn, at least"] = Decimal(60)
    packing: Annotated[Switch, "whether two jobs may share GPUs where jobs take turns"] = "yes"
    migration: Annotated[Switch, "whether jobs are moved to fewer servers"] = "yes"
    rules: Annotated[
        Literal["paper", "released"],
        "`released`: as Tiresias' public simulator, which neither packs nor moves; equal servers",
    ] = "paper"


class Gandiva(TraceDecider):
    """Keeps sets of servers, one width each, and lets their jobs take turns."""

    def __init__(self, packing: bool = True, migration: bool = True) -> None:
        """Remember what may be tried."""
        self._packing, self._migration = packing, migration
        self._shared: dict[int, float] = {}
        """Speeds on shared GPUs, of jobs that have tried it."""
        self._gained: dict[int, bool] = {}
        """Whether jobs became faster, of those that were moved to fewer servers."""

    def begin(self, setting: TraceSetting) -> None:
        """Learn the sizes of the servers; none belongs to a set."""
        self._setting = setting
        sizes = {s: server.gpus for s, server in enumerate(setting.servers)}
        self._nodes = NodeSets(sizes, setting.sets)

    def decide(self, jobs: Sequence[JobView], _: ClusterView) -> Mapping[int, GrantedGpus]:
        """Return whose turn it is."""
        views, places = {job.number: job for job in jobs}, self._nodes
        for own in places.sets:
            own.forget(views)
        places.give_back()
        if self._setting.now % self._setting.interval == 0:
            self._next_turn(views)
        placed = {number for own in places.sets for unit in own.units for number in unit.jobs}
        for job in jobs:
            if job.number not in placed:
                places.admit(job.number, NodeSetKind(job.gpus, job.reach))
        if self._migration:
            self._move(views)
        for own in places.sets:
            self._pack(own, views)
        return {
            number: GrantedGpus(own.width, pieces, half=len(unit.jobs) == 2)
            for own in places.sets
            for unit, pieces in own.running()
            for number in unit.jobs
        }

    def _next_turn(self, views: Mapping[int, JobView]) -> None:
        """Measure who shared GPUs, let others have their turn, and share out the servers."""
        asked = defaultdict[NodeSetKind, int](int)
        for job in views.values():
            asked[NodeSetKind(job.gpus, job.reach)] += job.gpus
        for own in self._nodes.sets:
            for unit in own.units:
                if len(unit.jobs) == 2 and all(views[number].running for number in unit.jobs):
                    self._shared.update((n, views[n].packed_speed) for n in unit.jobs)
            own.rotate()
        if asked:
            self._nodes.share_out(asked)
        if self._migration:
            self._nodes.balance()

    def _gains(self, pair: Sequence[int]) -> bool:
        """Say whether two jobs do more together than in turns, as far as was tried."""
        return sum(self._shared.get(number, 1.0) for number in pair) > 1.0

    def _pack(self, own: NodeSet, views: Mapping[int, JobView]) -> None:
        """Let jobs share GPUs while some wait for a turn; pairs part that lose or need not."""
        for unit in [unit for unit in own.units if len(unit.jobs) == 2]:
            if len(own.units) < len(own.slots) or not self._gains(unit.jobs):
                own.units.append(Unit([unit.jobs.pop()]))
        alone = [u for u in own.units if len(u.jobs) == 1 and views[u.jobs[0]].packed_speed > 0]
        while self._packing and own.crowded and alone:
            one = alone.pop(0)
            for two in alone:
                if self._gains(one.jobs + two.jobs):
                    one.jobs += two.jobs
                    alone.remove(two)
                    own.units.remove(two)
                    break

    def _move(self, views: Mapping[int, JobView]) -> None:
        """Move sets to fewer servers where these are free, unless their jobs gained nothing so."""
        for own in self._nodes.sets:
            sizes = servers_for(self._nodes.open_to(own.kind), own.width)
            if len(own.slots) > 1 or sizes is None or len(sizes) >= len(own.sizes):
                continue
            numbers = [number for unit in own.units for number in unit.jobs]
            if any(self._gained.get(number, True) for number in numbers):
                self._nodes.move(own, sizes)
                self._gained.update((n, views[n].communication > 0) for n in numbers)


def refuses(instance: TraceInstance, options: Options) -> str | None:
    """Say that the public simulator has equal servers that are open to all jobs."""
    bound = any(job.allowed_regions for job in instance.jobs)
    if options.rules == "paper" or (not bound and len({s.gpus for s in instance.servers}) == 1):
        return None
    return "rules=released needs equal servers and jobs that may run everywhere; take rules=paper"


def run(instance: TraceInstance, request: Request[Options]) -> Outcome:
    """Return the schedule; nothing is random."""
    options = request.options
    if options.rules == "released":
        released = ReleasedGandiva(float(options.interval_s))
        often = replace(options, interval_s=instance.tick_s)
        return serve(instance, request.limits, "gandiva", released, often)
    options = replace(options, interval_s=max(options.interval_s, TURNS * instance.resume))
    policy = Gandiva(options.packing == "yes", options.migration == "yes")
    return serve(instance, request.limits, "gandiva", policy, options)
