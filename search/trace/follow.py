"""Plans followed as far as they are possible: runs start late, or elsewhere, if their GPUs are out.

Source: right-shift rescheduling, as in Abumaizar and Svestka 1997, with moves of chosen jobs. A run
starts on its planned GPUs as soon as its planned start has come and they are free. Of several
waiting runs, the one with the earliest planned start goes first. A job that may move takes other
idle GPUs if its own are out of service or in use. Its last run goes on until its work is done.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

from ...instances import RackServer, RefusedError, TraceInstance, TraceJob, TraceSchedule
from ...instances.cluster import tightest_fit
from ...instances.regions import may_run
from ...instances.trace import in_first_phase, named_types, rooms_by_kind, speed_on
from ...simulation.trace import ClusterView, GrantedGpus, LiveJobs, Service, TraceDecider, simulate
from ...simulation.trace.build import whole_ticks
from ...simulation.trace.records import to_schedule
from .weight_search import mean_jct


class Followed(NamedTuple):
    """A schedule, and its mean completion time in seconds."""

    mean: float
    schedule: TraceSchedule


def follow(
    instance: TraceInstance, plan: TraceSchedule, movable: Collection[str], name: str
) -> Followed | None:
    """Return the schedule that follows a plan, or None if some job then never runs.

    Jobs without runs in the plan wait behind it, in order of arrival: they get GPUs that no run
    of the plan still needs.
    """
    try:
        played = simulate(instance, _Follower(instance, plan, movable), Service(interval=1))
    except RefusedError:
        return None
    return Followed(mean_jct(instance, played), to_schedule(instance, played.trace, name))


@dataclass(slots=True)
class _Stage:
    """A planned run: its start, its length unless it is the last of its job, and its GPUs."""

    start: int
    length: int | None
    grant: GrantedGpus | None
    """None for any GPUs."""


class _Follower(TraceDecider):
    """Decides by a plan."""

    obeys_most = knows_kinds = follows_outages = True

    def __init__(
        self, instance: TraceInstance, plan: TraceSchedule, movable: Collection[str]
    ) -> None:
        """Read the plan. Servers that the instance lacks are out of service for ever."""
        types = named_types(instance)
        self._jobs = [in_first_phase(types, job) for job in instance.jobs]
        self._servers = instance.servers
        numbers = {server.name: k for k, server in enumerate(instance.servers)}
        entries = {entry.job: entry for entry in plan.jobs}
        self._stages: list[list[_Stage]] = []
        for job in instance.jobs:
            own, entry = [], entries.get(job.name)
            for run in entry.runs if entry else ():
                pieces = {numbers.get(name, -1): count for name, count in run.gpus}
                grant = GrantedGpus(sum(pieces.values()), pieces, run.share == "half")
                start = whole_ticks(instance, run.start_s)
                stop = None if run.stop_s is None else whole_ticks(instance, run.stop_s)
                own.append(_Stage(start, None if stop is None else stop - start, grant))
            own = own or [_Stage(2**60, None, None)]
            own[-1].length = None
            self._stages.append(own)
        self._movable = [job.name in movable for job in instance.jobs]
        self._outages = [
            (
                numbers[one.server],
                whole_ticks(instance, one.from_s),
                whole_ticks(instance, one.until_s),
            )
            for one in instance.outages
        ]
        self._most = {group.name: 2 * group.most for group in instance.groups if group.most}
        self._running: dict[int, tuple[GrantedGpus, int]] = {}
        """The grant of each running job, and when it began."""
        self._ended = set[int]()

    def decide(self, jobs: LiveJobs, cluster: ClusterView) -> Mapping[int, GrantedGpus]:
        """Keep what runs as planned, then start what is due."""
        live = [job.number for job in jobs]
        now = jobs[0].now if live else 0
        out = {server for server, start, end in self._outages if start <= now < end}
        for number in self._running.keys() - set(live):
            del self._running[number]
            self._ended.add(number)
        for number, (grant, began) in list(self._running.items()):
            stage = self._stages[number][0]
            if stage.length is not None and now - began >= stage.length:
                del self._running[number]
                self._stages[number].pop(0)
            elif not out.isdisjoint(grant.pieces or ()):
                del self._running[number]
                if stage.length is not None:
                    stage.length -= now - began
        room = _Room(self._servers, out, self._most)
        for number, (grant, _) in self._running.items():
            room.take(self._jobs[number], grant)
        self._start(live, now, room)
        self.again = self._next(now)
        return {number: grant for number, (grant, _) in self._running.items()}

    def _start(self, live: Iterable[int], now: int, room: "_Room") -> None:
        """Start what is due: on its planned GPUs, then elsewhere if it may move."""
        due = [n for n in live if n not in self._running]
        due = [n for n in due if self._stages[n][0].start <= now or not self._stages[n][0].grant]
        due.sort(key=lambda n: (self._stages[n][0].start, n))
        for planned in (True, False):
            for number in [n for n in due if n not in self._running]:
                job, own = self._jobs[number], self._stages[number][0].grant
                grant = own if planned else None
                if own and not planned and self._movable[number]:
                    grant = room.other(job, own)
                if grant is not None and room.fits(job, grant):
                    room.take(job, grant)
                    self._running[number] = grant, now
        self._start_behind([n for n in due if not self._stages[n][0].grant], now, room)

    def _start_behind(self, numbers: Sequence[int], now: int, room: "_Room") -> None:
        """Start jobs without runs in the plan on GPUs that no run of the plan still needs."""
        left = self._behind(room) if numbers else room
        for number in numbers:
            job = self._jobs[number]
            grant = left.other(job, None)
            if grant is not None and left.fits(job, grant):
                left.take(job, grant)
                self._running[number] = grant, now

    def _behind(self, room: "_Room") -> "_Room":
        """Return what is left if every job also took the GPUs of its coming runs."""
        left = room.copy()
        for number, stages in enumerate(self._stages):
            coming = [one.grant for one in stages[number in self._running :] if one.grant]
            if coming and number not in self._ended:
                left.keep(self._jobs[number], coming)
        return left

    def _next(self, now: int) -> float:
        """Return the next tick at which the plan or an outage changes something."""
        moments = [moment for _, *span in self._outages for moment in span]
        moments += [
            began + length
            for number, (_, began) in self._running.items()
            if (length := self._stages[number][0].length) is not None
        ]
        moments += [
            own[0].start for n, own in enumerate(self._stages) if n not in self._running and own
        ]
        return min((moment for moment in moments if moment > now), default=inf)


class _Room:
    """Free halves of GPUs by server and by group."""

    def __init__(
        self, servers: Sequence[RackServer], out: Collection[int], most: Mapping[str, int]
    ) -> None:
        """Begin with all GPUs but those of servers that are out of service."""
        self._servers, self._left = servers, dict(most)
        self._free = [0 if k in out else 2 * one.gpus for k, one in enumerate(servers)]

    def fits(self, job: TraceJob, grant: GrantedGpus) -> bool:
        """Return True if these GPUs are free."""
        each = 1 if grant.half else 2
        if grant.width * each > self._left.get(job.group or "", grant.width * each):
            return False
        pieces = (grant.pieces or {}).items()
        return all(server >= 0 and count * each <= self._free[server] for server, count in pieces)

    def take(self, job: TraceJob, grant: GrantedGpus) -> None:
        """Use GPUs."""
        each = 1 if grant.half else 2
        for server, count in (grant.pieces or {}).items():
            self._free[server] -= count * each
        if job.group in self._left:
            self._left[job.group] -= grant.width * each

    def copy(self) -> "_Room":
        """Return the same room, to be changed on its own."""
        same = _Room(self._servers, (), self._left)
        same._free = list(self._free)
        return same

    def keep(self, job: TraceJob, grants: Sequence[GrantedGpus]) -> None:
        """Use the most that a job takes of each server, of several grants."""
        most, width = Counter[int](), 0
        for grant in grants:
            each = 1 if grant.half else 2
            width = max(width, grant.width * each)
            for server, count in (grant.pieces or {}).items():
                most[server] = max(most[server], count * each)
        for server, halves in most.items():
            if server >= 0:
                self._free[server] = max(0, self._free[server] - halves)
        if job.group in self._left:
            self._left[job.group] = max(0, self._left[job.group] - width)

    def other(self, job: TraceJob, own: GrantedGpus | None) -> GrantedGpus | None:
        """Return other free GPUs for a job, or None if there are too few.

        It gets as many as planned, or as it requests if no servers have so many. Of the kinds of
        GPUs the fastest in its first phase is tried first.
        """
        width, half = (job.gpus, False) if own is None else (own.width, own.half)
        rooms = rooms_by_kind(self._servers, job)
        each = 1 if half else 2
        kinds = _kinds(job, width, rooms)
        if not any(width * each <= 2 * rooms[gpu] for gpu in kinds):
            width, each = job.gpus, 2
            kinds = _kinds(job, width, rooms)
        for gpu in kinds:
            free = {
                k: self._free[k] // each
                for k, server in enumerate(self._servers)
                if server.gpu == gpu and may_run(job, server) and self._free[k] >= each
            }
            if pieces := tightest_fit(free, width):
                return GrantedGpus(width, pieces, each == 1)
        return None


def _kinds(job: TraceJob, width: int, rooms: Mapping[str | None, int]) -> list[str | None]:
    """Return the kinds of GPUs on which a job has a speed, the fastest first."""
    speeds = {gpu: speed_on(job, width, gpu) for gpu in rooms}
    return sorted((gpu for gpu in rooms if speeds[gpu]), key=lambda gpu: -(speeds[gpu] or 0))
