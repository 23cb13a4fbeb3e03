"""The `trace` family: preemptible gang jobs that arrive over time (Tiresias).

Time advances in ticks of ``tick_s`` seconds, from 0. Jobs arrive, start, stop and end at ticks.
Work is in millionths of a tick's work at full speed. Only speeds are rounded, and only once.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Annotated, Any, Literal

from ...families.family import Places
from ..building import Rows, built, rows_of, short
from ..cluster import FluidLinks, Leaf, ServerUplink
from ..errors import Problem, unknown
from ..reading.vocabulary import (
    Amount,
    AnySchedule,
    Count,
    Instance,
    Label,
    Later,
    NonEmpty,
    Pieces,
    Positive,
    Whole,
    repeats,
    tick_problems,
)
from ..regions import Regions, may_run, region_problems
from .jobs import (
    HeldPieces,
    JobPhase,
    LossCurve,
    Phase,
    TraceJob,
    TraceType,
    Width,
    in_first_phase,
    named_types,
    phases_of,
    speed_on,
    work_left,
)
from .problems import (
    MOST_TICKS,
    WORK,
    begun_problems,
    group_problems,
    outage_problems,
    type_problems,
)

__all__ = [
    "MOST_TICKS",
    "WORK",
    "HeldPieces",
    "JobGroup",
    "JobPhase",
    "JobRuns",
    "LossCurve",
    "Outage",
    "Phase",
    "RackLinks",
    "RackServer",
    "TraceContention",
    "TraceInstance",
    "TraceJob",
    "TraceRun",
    "TraceSchedule",
    "TraceType",
    "Width",
    "in_first_phase",
    "named_types",
    "phases_of",
    "rooms_by_kind",
    "speed_on",
    "trace",
    "work_left",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RackServer:
    """A machine with identical GPUs, in a rack."""

    name: Annotated[Label, "unique name"]
    gpus: Annotated[Count, "GPUs in this server"]
    gpu: Annotated[
        Label | None, Later(), "kind of its GPUs, such as v100, or null if all servers are alike"
    ] = None
    rack: Annotated[Label, "name of its rack"] = "rack"
    region: Annotated[Label | None, Later(), "its region, if any"] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RackLinks:
    """Max-min fair sharing of the links from servers to their rack and between racks.

    All servers have uplinks of the same capacity. A rack's uplink has the sum of its servers'
    capacities, divided by ``oversubscription``.
    """

    model: Annotated[Literal["racks"], "the model"] = "racks"
    oversubscription: Annotated[
        Positive, "bandwidth below a rack divided by bandwidth above it"
    ] = Decimal(1)


TraceContention = ServerUplink | RackLinks


def rooms_by_kind(
    servers: Iterable[RackServer], job: TraceJob | None = None
) -> dict[str | None, int]:
    """Return the GPUs of each kind, or of each kind in the regions of a job."""
    rooms: dict[str | None, int] = {}
    for server in servers:
        open_to = job is None or may_run(job, server)
        rooms[server.gpu] = rooms.get(server.gpu, 0) + (server.gpus if open_to else 0)
    return rooms


@dataclass(frozen=True, slots=True, kw_only=True)
class JobGroup:
    """A tenant, account or team, with its part of the cluster."""

    name: Annotated[Label, "unique name, as in the `group` of its jobs"]
    share: Annotated[Positive, "weight of its claim to GPU-time, relative to other groups"] = (
        Decimal(1)
    )
    quota: Annotated[Whole, "GPUs of its own, which others may only borrow"] = 0
    most: Annotated[Count | None, "GPUs that its jobs never exceed together, or null"] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """A time in which a server is out of service."""

    server: Annotated[Label, "name of the server"]
    from_s: Annotated[Amount, "when it begins, a multiple of tick_s"]
    until_s: Annotated[Positive, "when the server is back, a multiple of tick_s"]
    known: Annotated[
        bool, Later(), "true if it is announced, as maintenance is, false for a failure"
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceInstance(Instance):
    """Jobs that arrive over time on servers in racks. The objective is the mean completion time.

    A job has speed 1 inside one server of the kind that it requests. Over two servers or more it
    has the speed ``1 / (1 + communication * f)``. The contention model gives f, which is 1 without
    contention. On another number or kind of GPUs, or with half a GPU for each worker, this is
    multiplied by the speed there. All servers of a run have GPUs of one kind. Speeds are rounded to
    millionths. A stopped job that resumes holds its GPUs but first does no work: for ``resume_s``
    on the GPUs of its previous run, else for ``restart_s``. A job with `held` has had a run before
    time 0. If this run goes on at time 0, it first does no work for `held_s`, and its last
    checkpoint was `unsaved_s` of work ago. A job with a type has the speeds of its present phase. A
    phase ends at the first tick at which its share of the job's work is done, and any rest of the
    tick before is lost. What was done by then is never lost.

    * `resume_s` is a multiple of `tick_s`, too. Such times have at most 1e9 ticks.
    * `limit_s` is an estimate. No job is stopped at it.
    * No job requests more GPUs than the cluster has, and no entry of its `speeds` has more.
    * `speeds` has each number of GPUs of a kind at most once. The entry of the requested number and
      kind, if any, is 1.
    * A job with a `type` has no `speeds` of its own. All phases of a type name the same GPUs, at
      any speeds, and their shares add up to 1.
    * If a server has a kind of GPUs (`gpu`), all have one, and `speeds` name only these. Every job
      has a speed for its requested number of GPUs on some kind with that many GPUs.
    * No job holds GPUs of a server during an outage. A run that stops as one begins loses the work
      since its last checkpoint, if `checkpoint_s` is given. Outages of a server do not overlap.
    * A job with `done_s` or `held` arrives at 0, and `done_s` is less than its duration. It may run
      on its `held` GPUs. There is room for those of all jobs that are not `stopped`.
    * With `groups`, every `group` of a job is one of them. All quotas together have room in the
      cluster. No `quota` exceeds its `most`, and no job requests more than that of its group.
    """

    kind: Annotated[Literal["trace"], "the problem family"] = "trace"
    servers: Annotated[tuple[RackServer, ...], NonEmpty(), "the servers"]
    jobs: Annotated[tuple[TraceJob, ...], NonEmpty(), "jobs that arrive"]
    contention: Annotated[
        TraceContention | None,
        ("how jobs across servers slow each other down, or null if they do not"),
    ] = None
    tick_s: Annotated[Positive, "length of a tick"] = Decimal(1)
    restart_s: Annotated[Amount, "cost of a restart elsewhere, a multiple of tick_s"] = Decimal(0)
    resume_s: Annotated[
        Amount | None, "cost of a restart on the same GPUs, or null for restart_s"
    ] = None
    types: Annotated[
        tuple[TraceType, ...], Later(), "types of jobs that go through phases, or empty for none"
    ] = ()
    groups: Annotated[
        tuple[JobGroup, ...], Later(), "groups with shares, quotas or limits, or empty for none"
    ] = ()
    outages: Annotated[
        tuple[Outage, ...], Later(), "when servers are out of service, or empty for never"
    ] = ()
    checkpoint_s: Annotated[
        Positive | None,
        Later(),
        "time worked in a run between its checkpoints, a multiple of tick_s, or null if an outage "
        "costs no work",
    ] = None
    law: Annotated[
        tuple[Positive, ...],
        "GPU-seconds of past jobs, for policies that know them, or empty for the jobs of this "
        "trace",
    ] = ()

    @property
    def gpus(self) -> int:
        """All GPUs of the cluster."""
        return sum(server.gpus for server in self.servers)

    @property
    def kinds(self) -> tuple[str | None, ...]:
        """The kinds of GPUs, in the order of the servers: only None if all are alike."""
        return tuple(dict.fromkeys(server.gpu for server in self.servers))

    @property
    def resume(self) -> Decimal:
        """The cost of resuming on the same GPUs."""
        return self.restart_s if self.resume_s is None else self.resume_s

    @property
    def limited(self) -> JobGroup | None:
        """The first group that may not use all GPUs of the cluster, if any."""
        few = (group for group in self.groups if group.most and group.most < self.gpus)
        return next(few, None)

    @property
    def fluid(self) -> FluidLinks | None:
        """The links between racks as a tree, under fair sharing."""
        if not isinstance(self.contention, RackLinks):
            return None
        racks: dict[str, list[str]] = {}
        for server in self.servers:
            racks.setdefault(server.rack, []).append(server.name)
        return FluidLinks(
            leaves=tuple(Leaf(name=rack, servers=tuple(own)) for rack, own in racks.items()),
            leaf_oversubscription=self.contention.oversubscription,
        )

    def problems(self) -> Iterator[Problem]:
        """Yield every problem that involves several fields."""
        yield from repeats("servers", [server.name for server in self.servers])
        yield from repeats("jobs", [job.name for job in self.jobs])
        yield from region_problems(self.servers, self.jobs)
        if self.groups or self.outages or any(job.begun for job in self.jobs):
            yield from group_problems(self)
            yield from outage_problems(self)
            yield from begun_problems(self, lambda job, *at: speed_on(self._known(job), *at))
        for name in ("restart_s", "resume_s", "checkpoint_s"):
            yield from self._ticks(name, getattr(self, name))
        kinds = self.kinds
        if len(kinds) > 1 and None in kinds:
            i = [server.gpu for server in self.servers].index(None)
            expected = "the kind of its GPUs, because other servers have one"
            yield Problem(f"servers[{i}].gpu", None, expected, "name it")
        yield from type_problems(self)
        rooms: dict[Regions | None, dict[str | None, int]] = {}
        seen: set[tuple[object, ...]] = set()
        for i, job in enumerate(self.jobs):
            yield from self._ticks(f"jobs[{i}].arrival_s", job.arrival_s)
            yield from self._ticks(f"jobs[{i}].duration_s", job.duration_s)
            for name in ("predicted_s", "limit_s", "due_s", "waited_s"):
                yield from self._ticks(f"jobs[{i}].{name}", getattr(job, name))
            if job.allowed_regions not in rooms:
                rooms[job.allowed_regions] = rooms_by_kind(self.servers, job)
            room = rooms[job.allowed_regions]
            if any(room.values()):
                yield from self._room_problems(i, self._known(job), room)
            if job.speeds:
                yield from self._width_problems(f"jobs[{i}].speeds", job, room)
            elif job.type and (key := (job.type, job.gpu, job.allowed_regions)) not in seen:
                seen.add(key)
                k = (
                    [one.name for one in self.types].index(job.type)
                    if self._known(job).speeds
                    else 0
                )
                path = f"types[{k}].phases[0].speeds"
                yield from self._width_problems(path, self._known(job), room, typed=True)

    def _known(self, job: TraceJob) -> TraceJob:
        """Return a job as it is in its first phase, if its type is known."""
        if job.type is None:
            return job
        types = named_types(self)
        return in_first_phase(types, job) if job.type in types else replace(job, type=None)

    def _room_problems(
        self, i: int, job: TraceJob, room: dict[str | None, int]
    ) -> Iterator[Problem]:
        """Yield why no kind has a speed and enough GPUs for the requested number."""
        own = {gpu: n for gpu, n in room.items() if speed_on(job, job.gpus, gpu) is not None}
        most = max(own.values(), default=0)
        if most < job.gpus and job.gpu is not None and job.gpu not in room:
            yield _unknown_kind(f"jobs[{i}].gpu", job.gpu, room)
        elif most < job.gpus:
            of = "the cluster" if job.allowed_regions is None else "its regions"
            kind = "" if None in own or len(own) > 1 else f" {next(iter(own), job.gpu)}"
            which = "all GPUs of a kind" if len(own) > 1 else f"all{kind} GPUs"
            expected = f"at most {most}, {which} of {of}, for job {job.name!r}"
            advice = "drop the job or enlarge the cluster"
            yield Problem(f"jobs[{i}].gpus", job.gpus, expected, advice)

    def _ticks(self, path: str, seconds: Decimal | None) -> Iterator[Problem]:
        return tick_problems(path, seconds, self.tick_s, MOST_TICKS)

    def _width_problems(
        self, path: str, job: TraceJob, room: dict[str | None, int], *, typed: bool = False
    ) -> Iterator[Problem]:
        of = "the cluster" if job.allowed_regions is None else "its regions"
        seen: set[tuple[int, str | None]] = set()
        for k, width in enumerate(job.speeds):
            if width.gpu is not None and width.gpu not in room:
                yield _unknown_kind(f"{path}[{k}].gpu", width.gpu, room)
                continue
            one = width.gpus, width.gpu or job.gpu
            if one in seen:
                expected = "each number of GPUs of a kind once"
                yield Problem(f"{path}[{k}].gpus", width.gpus, expected, "remove one")
            seen.add(one)
            total = max(room.values()) if one[1] is None else room.get(one[1], 0)
            if width.gpus > total > 0 or (width.gpu and not total and any(room.values())):
                kind = "" if one[1] is None else f" {one[1]}"
                expected = f"at most {total}, all{kind} GPUs of {of}"
                yield Problem(f"{path}[{k}].gpus", width.gpus, expected, "leave it out")
            if not typed and one == (job.gpus, job.gpu) and width.speed != 1:
                found: Any = width.speed
                expected = f"1 on the {job.gpus} requested GPUs"
                yield Problem(f"{path}[{k}].speed", found, expected, "divide all speeds by it")


def _unknown_kind(path: str, name: str, known: dict[str | None, int]) -> Problem:
    """Return the problem of a kind of GPUs that no server has."""
    if None in known:
        advice = "give the servers their `gpu`, or leave it out"
        return Problem(path, name, "null: no server has a kind of GPUs", advice)
    return unknown(path, name, [kind for kind in known if kind], "correct it or add such servers")


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRun:
    """A period in which a job holds the same GPUs."""

    start_s: Annotated[Amount, "start, a multiple of tick_s"]
    stop_s: Annotated[Amount | None, "stop, or null if it runs until the job is done"] = None
    gpus: Annotated[Pieces, "GPUs on each server that it uses"]
    share: Annotated[Literal["whole", "half"], "share of a GPU that each worker takes"] = "whole"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRuns:
    """All runs of one job."""

    job: Annotated[Label, "name of the job"]
    runs: Annotated[tuple[TraceRun, ...], NonEmpty(), "its runs, in order of time"]
    end_s: Annotated[Decimal | None, "claimed end, compared with the judge's"] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceSchedule(AnySchedule):
    """The runs of an instance's jobs, with the claimed mean completion time.

    * A run ends when its job is done. With a `stop_s`, it ends at this time at the latest.
    """

    kind: Annotated[Literal["trace-schedule"], "the kind of file"] = "trace-schedule"
    mean_jct_s: Annotated[Decimal | None, "claimed mean time from arrival to end"] = None
    jobs: Annotated[tuple[JobRuns, ...], "one entry per job"]


def _fits(one: Any, job: Any, servers: tuple[Any, ...]) -> bool:
    rooms, job = rooms_by_kind(servers), in_first_phase(named_types(one), job)
    needs = [(job.gpus, None), *((width.gpus, width.gpu) for width in job.speeds)]
    return all(
        width <= (max(rooms.values()) if gpu is None else rooms.get(gpu, 0)) for width, gpu in needs
    ) and any(
        speed_on(job, job.gpus, gpu) is not None and job.gpus <= room for gpu, room in rooms.items()
    )


PLACES = Places(
    read=lambda one: one.servers,
    put=lambda one, servers: replace(one, servers=servers),
    fits=_fits,
)


def trace(jobs: Rows, servers: Rows, *, name: str = "trace", **more: Any) -> TraceInstance:
    """Return an instance of preemptible gang jobs that arrive over time.

    Args:
        jobs: At least `gpus` and `duration_s`. They arrive at `arrival_s`, or at 0.
        servers: A number is a server's GPUs: ``[8, 8]``, ``{"left": 8, "right": 8}``.
        name: Name of the instance.
        **more: Other fields of the format: `restart_s`, `tick_s`, `contention`, ..

    Raises:
        InputError: With all problems, as for a file.
    """
    made: TraceInstance = built(
        "trace",
        name=name,
        servers=rows_of(servers, "s", short(lambda gpus: {"gpus": gpus})),
        jobs=rows_of(jobs, "j"),
        **more,
    )
    return made
