"""Gandiva: jobs take turns on servers of their width. Packing and migration are tried out.

Lengths are unknown. The worth of a job on shared GPUs, or inside one server, is known once it has
run there for a turn (Xiao et al., OSDI 2018). The sets of servers follow the simulator that was
published with Tiresias.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from heapq import heapify, heappop, heappush
from math import ceil
from operator import attrgetter
from typing import Annotated, Literal

from ...instances import Outcome, TraceInstance
from ...instances.reading.vocabulary import Positive
from ...simulation.trace.views import (
    NONE,
    ClusterView,
    GrantedGpus,
    JobView,
    LiveJobs,
    TraceDecider,
    TraceSetting,
)
from ..request import Request
from .node_sets import NodeSet, NodeSetKind, NodeSets, Unit, servers_for, slots_of
from .serve import ServiceOptions, refuses_groups_and_kinds, serve

Switch = Literal["yes", "no"]

TURNS = 10
"""Least length of a turn, in multiples of the time to restart on the same GPUs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(ServiceOptions):
    """Length of a turn, and the mechanisms to try."""

    interval_s: Annotated[Positive, "shortest turn"] = Decimal(60)
    packing: Annotated[Switch, "whether two jobs may share GPUs if jobs take turns"] = "yes"
    migration: Annotated[Switch, "whether jobs are moved to fewer servers"] = "yes"
    rules: Annotated[
        Literal["paper", "released"],
        "`released`: like Tiresias' public simulator, which neither packs nor moves, on equal "
        "servers",
    ] = "paper"


def _kind(job: JobView) -> NodeSetKind:
    return NodeSetKind(job.gpus, job.reach)


class Gandiva(TraceDecider):
    """Keeps sets of servers, one width each, and lets their jobs take turns."""

    def __init__(self, packing: bool = True, migration: bool = True) -> None:
        """Record the mechanisms that may be tried."""
        self._packing, self._migration = packing, migration
        self._shared: dict[int, float] = {}
        """Speeds on shared GPUs, of jobs that have tried them."""
        self._gained: dict[int, bool] = {}
        """True if jobs moved to fewer servers became faster."""
        self._views: dict[int, JobView] = {}
        self._waiting: dict[NodeSetKind, list[tuple[int, int]]] = {}
        """Places in line of the jobs in no set, a heap for each kind."""
        self._asked = Counter[NodeSetKind]()
        """GPUs that the jobs of each kind request."""

    def begin(self, setting: TraceSetting) -> None:
        """Record the sizes of the servers, and start without sets."""
        self._setting = setting
        sizes = {s: server.gpus for s, server in enumerate(setting.servers)}
        self._nodes = NodeSets(sizes, setting.sets)

    def decide(self, jobs: LiveJobs, _: ClusterView) -> Mapping[int, GrantedGpus]:
        """Return whose turn it is."""
        self._update(jobs)
        if self._setting.now % self._setting.interval == 0:
            self._next_turn()
        self._admit(jobs.arrived)
        if self._migration:
            self._move(self._views)
        holds: dict[int, GrantedGpus] = {}
        for own in self._nodes.sets:
            holds |= self._granted(own)
        return holds

    def _update(self, jobs: LiveJobs) -> None:
        """Drop ended jobs, with the sets that have none left, and note new jobs."""
        kinds = set[NodeSetKind]()
        for number in jobs.ended:
            job = self._views.pop(number)
            self._asked[_kind(job)] -= job.gpus
            kinds.add(_kind(job))
        for job in jobs.arrived:
            self._views[job.number] = job
            self._asked[_kind(job)] += job.gpus
        for own in self._nodes.sets:
            if own.kind in kinds:
                own.forget(set(jobs.ended))
        self._nodes.give_back()

    def _admit(self, arrived: Sequence[JobView]) -> None:
        """Put jobs in sets: those with fewer servers first, then by number.

        When a job has to wait, so do the others of its kind, until another kind changes servers.
        """
        for job in arrived:
            line = self._waiting.setdefault(_kind(job), [])
            heappush(line, (len(self._setting.sets[job.reach]), job.number))
        firsts = [(line[0], kind) for kind, line in self._waiting.items()]
        heapify(firsts)
        stuck: list[tuple[tuple[int, int], NodeSetKind]] = []
        while firsts:
            first = heappop(firsts)
            (_, number), kind = first
            if not self._nodes.admit(number, kind):
                stuck.append(first)
                continue
            heappop(self._waiting[kind])
            if self._waiting[kind]:
                heappush(firsts, (self._waiting[kind][0], kind))
            else:
                del self._waiting[kind]
            for again in [one for one in stuck if self._nodes.may_find(one[1])]:
                stuck.remove(again)
                heappush(firsts, again)

    def _next_turn(self) -> None:
        """Measure jobs that shared GPUs, start the next turn, and allocate the servers."""
        views = self._views
        for own in self._nodes.sets:
            for unit in own.units:
                if len(unit.jobs) == 2 and all(views[number].running for number in unit.jobs):
                    self._shared.update((n, views[n].packed_speed) for n in unit.jobs)
                    own.grants = None
            own.rotate()
        if views:
            self._nodes.share_out({kind: gpus for kind, gpus in self._asked.items() if gpus})
        if self._migration:
            self._nodes.balance()

    def _gains(self, pair: Sequence[int]) -> bool:
        """Return True if two jobs do more together than in turns, as far as was tried."""
        return sum(self._shared.get(number, 1.0) for number in pair) > 1.0

    def _granted(self, own: NodeSet) -> Mapping[int, GrantedGpus]:
        """Return the GPUs of those whose turn it is in a set."""
        if own.grants is None:
            self._pack(own, self._views)
            own.grants = {
                number: GrantedGpus(own.width, pieces, half=len(unit.jobs) == 2)
                for unit, pieces in own.running()
                for number in unit.jobs
            }
        return own.grants

    def _pack(self, own: NodeSet, views: Mapping[int, JobView]) -> None:
        """Let jobs share GPUs while some wait for a turn. Split pairs that lose or need not."""
        for unit in [unit for unit in own.units if len(unit.jobs) == 2]:
            if len(own.units) < len(own.slots) or not self._gains(unit.jobs):
                own.units.append(Unit([unit.jobs.pop()]))
        if not self._packing or not own.crowded:
            return
        alone = [u for u in own.units if len(u.jobs) == 1 and views[u.jobs[0]].packed_speed > 0]
        while own.crowded and alone:
            one = alone.pop(0)
            for two in alone:
                if self._gains(one.jobs + two.jobs):
                    one.jobs += two.jobs
                    alone.remove(two)
                    own.units.remove(two)
                    break

    def _move(self, views: Mapping[int, JobView]) -> None:
        """Move sets to fewer servers if these are free, unless moving gained their jobs nothing."""
        for own in self._nodes.sets:
            if len(own.slots) > 1 or len(own.sizes) == 1:
                continue
            sizes = servers_for(self._nodes.open_to(own.kind), own.width)
            if sizes is None or len(sizes) >= len(own.sizes):
                continue
            numbers = [number for unit in own.units for number in unit.jobs]
            if any(self._gained.get(number, True) for number in numbers):
                self._nodes.move(own, sizes)
                self._gained.update((n, views[n].communication > 0) for n in numbers)


def refuses(instance: TraceInstance, options: Options) -> str | None:
    """Return why the policy, or the rules of the public simulator, do not apply, or None."""
    if (reason := refuses_groups_and_kinds(instance)) is not None:
        return reason
    bound = any(job.allowed_regions for job in instance.jobs)
    if options.rules == "paper" or (not bound and len({s.gpus for s in instance.servers}) == 1):
        return None
    return "rules=released needs equal servers and jobs that may run everywhere. Use rules=paper."


def run(instance: TraceInstance, request: Request[Options]) -> Outcome:
    """Return the schedule (deterministic)."""
    options = request.options
    if options.rules == "released":
        released = ReleasedGandiva(float(options.interval_s))
        often = replace(options, interval_s=instance.tick_s)
        return serve(instance, request.limits, "gandiva", released, often)
    options = replace(options, interval_s=max(options.interval_s, TURNS * instance.resume))
    policy = Gandiva(options.packing == "yes", options.migration == "yes")
    return serve(instance, request.limits, "gandiva", policy, options)


ORDER = (16, 1, 2, 4, 24, 32, 8, 64, 12)
"""The order of widths, as in the simulator's table in Python 2. Other widths follow."""

STEP_S = 10


@dataclass(slots=True)
class ReleasedSet:
    """Servers of a set, the places for a job on them, and jobs in the order of their turns."""

    servers: list[int]
    slots: list[GrantedGpus]
    jobs: list[int] = field(default_factory=list)
    load: int = 0
    """The number of jobs assigned to it, which falls only when they are redistributed."""


_load = attrgetter("load")


class ReleasedGandiva(TraceDecider):
    """`gandiva` of Tiresias' public simulator: every job ends in the same step as there.

    Whole servers belong to sets for jobs of one width, and a set runs up to `slots` jobs side by
    side. Jobs are neither packed nor moved for their own sake.

    - The simulator checks every 10 s, and when a job arrives, which restarts the 10 s. A job that
      ends in between keeps its place until the next check.
    - A check drops ended jobs and frees the servers of empty sets. If it falls on a minute, the
      jobs that ran go behind the waiting jobs of their set. Then new jobs are admitted. If servers
      became free, the waiting jobs are retried. After each one admitted the next is skipped.
    - A job goes to the first set of its width if that has fewer than `slots - 1` jobs; else to a
      new set on free servers, in order; else to the next set, however full. Sets are sorted by
      jobs, but one that was passed over goes to the end.
    - Restarts take no time there. If they take 10 s or more, the next check is 10 s after they end,
      because jobs that every check moves would never work.
    - In the end each width is compared with its share of the GPUs, proportional to the requests of
      its jobs and at most their sum. A width below its share gets new sets on free servers. It
      redistributes its jobs only if the last set was refused or has several servers. A width above
      its share gives its first sets away, but keeps one.
    """

    information = NONE

    def __init__(self, turn_s: float) -> None:
        """Start empty. At multiples of a turn, running jobs go behind waiting jobs."""
        self._turn_s = turn_s
        self._sets: dict[int, list[ReleasedSet]] = {width: [] for width in ORDER}
        self._waiting: list[JobView] = []
        self._gone = set[int]()
        """Jobs that have ended since the last check."""
        self._grants: dict[int, GrantedGpus] = {}

    def begin(self, setting: TraceSetting) -> None:
        """Learn the servers, which are all alike."""
        self._setting, self._free = setting, list(range(len(setting.servers)))
        self._size = setting.servers[0].gpus
        step = max(1, round(STEP_S / setting.tick_s))
        self._step = step if setting.restart < step else step + ceil(setting.restart)
        self._turn = max(1, round(self._turn_s / setting.tick_s))

    def decide(self, jobs: LiveJobs, _: ClusterView) -> Mapping[int, GrantedGpus]:
        """Return whose turn it is."""
        self._gone.update(jobs.ended)
        if jobs.arrived or self._setting.now >= self.again:
            self._look(jobs.arrived)
            self._gone.clear()
            self.again = self._setting.now + self._step
            self._grants = {
                number: hold
                for sets in self._sets.values()
                for own in sets
                for number, hold in zip(own.jobs, own.slots, strict=False)
            }
        return self._grants

    def _look(self, new: Sequence[JobView]) -> None:
        freed = self._let_go()
        self._waiting += [job for job in new if not self._admit(job)]
        at = 0
        while freed and at < len(self._waiting):
            if self._admit(self._waiting[at]):
                del self._waiting[at]
            at += 1
        self._share_out()

    def _let_go(self) -> bool:
        """Drop ended jobs and start the next turns, and return True if servers became free."""
        freed = False
        turn = self._setting.now % self._turn == 0
        for sets in self._sets.values():
            for own in list(sets):
                if turn and len(own.jobs) > len(own.slots):
                    own.jobs += [own.jobs.pop(0) for _ in own.slots]
                if self._gone:
                    own.jobs = [number for number in own.jobs if number not in self._gone]
                if not own.jobs:
                    self._free += own.servers
                    sets.remove(own)
                    freed = True
        return freed

    def _admit(self, job: JobView) -> bool:
        """Put a job into a set, if there is one or can be."""
        sets = self._sets.setdefault(job.gpus, [])
        first = _next_of(sets)
        if first is None or first.load + 1 >= len(first.slots):
            new = self._new(job.gpus)
            if new is not None:
                sets.append(new)
            first = new or _next_of(sets)
        if first is not None:
            self._add(sets, first, job.number)
        return first is not None

    def _add(self, sets: list[ReleasedSet], own: ReleasedSet, number: int) -> None:
        own.jobs.append(number)
        own.load += 1
        sets.sort(key=_load)

    def _new(self, width: int) -> ReleasedSet | None:
        """Return a set on free servers, if these are enough."""
        count = ceil(width / self._size)
        if count > len(self._free):
            return None
        servers, self._free = self._free[:count], self._free[count:]
        slots = slots_of(dict.fromkeys(servers, self._size), width)
        return ReleasedSet(servers, [GrantedGpus(width, pieces) for pieces in slots])

    def _share_out(self) -> None:
        """Compare the servers of widths with the requests of their jobs."""
        asked = {w: w * sum([len(own.jobs) for own in sets]) for w, sets in self._sets.items()}
        total = sum(asked.values())
        for width in [width for width in self._sets if asked[width]]:
            share = int(asked[width] / total * self._setting.gpus)
            held = sum([len(own.servers) for own in self._sets[width]])
            more = min(share, asked[width]) - held * self._size
            if more > 0:
                self._grow(width, ceil(more / width))
            elif more < 0:
                self._shrink(self._sets[width], ceil(-more / width))

    def _grow(self, width: int, count: int) -> None:
        """Add sets on free servers, and redistribute the jobs, or omit it as the simulator does."""
        sets, again = self._sets[width], False
        for _ in range(count):
            new = self._new(width)
            again = new is None or len(new.servers) > 1
            if new is not None:
                sets.append(new)
        if again:
            jobs = [number for own in sets for number in own.jobs]
            for own in sets:
                own.jobs, own.load = [], 0
            self._deal(sets, jobs)

    def _shrink(self, sets: list[ReleasedSet], count: int) -> None:
        """Give the first sets away, and distribute their jobs over the other sets."""
        count = min(count, len(sets) - 1)
        gone = sets[:count]
        del sets[:count]
        self._free += [server for own in gone for server in own.servers]
        self._deal(sets, [number for own in gone for number in own.jobs])

    def _deal(self, sets: list[ReleasedSet], jobs: Sequence[int]) -> None:
        """Give each job to the set with the fewest, of equal ones to the set dealt to last."""
        for number in jobs[:1]:
            self._add(sets, sets[0], number)
        for number in jobs[1:]:  # The sets are in order, so only the first has to move.
            own = sets.pop(0)
            own.jobs.append(number)
            own.load += 1
            sets.insert(bisect_left(sets, own.load, key=_load), own)


def _next_of(sets: list[ReleasedSet]) -> ReleasedSet | None:
    """Return the first set, if there is one, and move it to the end."""
    if not sets:
        return None
    sets.append(sets.pop(0))
    return sets[-1]
