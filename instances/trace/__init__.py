"""The `trace` family: preemptible gang jobs that arrive over time (Tiresias).

Time advances in ticks of ``tick_s`` seconds, from 0. Jobs arrive, start, stop and end at ticks.
Work is in millionths of a tick's work at full speed. Only speeds are rounded, and only once.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Literal

from ...families.family import Places
from ..building import Rows, built, rows_of, short
from ..cluster import FluidLinks, Leaf, ServerUplink
from ..errors import Problem, unknown
from ..reading.vocabulary import (
    Amount,
    AnySchedule,
    AsMap,
    Count,
    Fraction01,
    Instance,
    Label,
    Later,
    NonEmpty,
    Pieces,
    Positive,
    Rank,
    Whole,
    repeats,
    tick_problems,
)
from ..regions import Regions, may_run, region_problems
from .problems import (
    MOST_TICKS as MOST_TICKS,
)
from .problems import (
    WORK as WORK,
)
from .problems import (
    begun_problems,
    group_problems,
    outage_problems,
)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Width:
    """Speed of a job on another number or kind of GPUs."""

    gpus: Annotated[Count, "number of GPUs"]
    speed: Annotated[Positive, "its speed, relative to its speed on the requested GPUs"]
    gpu: Annotated[
        Label | None, Later(), "kind of these GPUs, or null for the kind that the job requests"
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LossCurve:
    """The loss after each epoch, ``1 / (decay * epoch + start) + floor``, to which noise is added.

    The job ends after the last of its epochs, which all have the same work.
    """

    epochs: Annotated[Count, "epochs until it has converged"]
    decay: Annotated[Positive, "how fast the loss falls"] = Decimal(1)
    start: Annotated[Positive, "1 divided by the total fall of the loss"] = Decimal(1)
    floor: Annotated[Amount, "the limit of the loss"] = Decimal(0)


HeldPieces = Annotated[
    tuple[tuple[Label, Count], ...], AsMap("server names to numbers of GPUs", '{"s0": 2}')
]


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceJob:
    """A preemptible training job that runs on all its GPUs at once or not at all."""

    name: Annotated[Label, "unique name"]
    arrival_s: Annotated[Amount, "arrival, a multiple of tick_s"] = Decimal(0)
    gpus: Annotated[Count, "GPUs that it requests (W_J)"]
    gpu: Annotated[
        Label | None,
        Later(),
        "kind of GPUs that it requests, for which its duration holds, or null for any kind",
    ] = None
    duration_s: Annotated[Positive, "duration at full speed, a multiple of tick_s"]
    predicted_s: Annotated[
        Positive | None,
        Later(),
        "the duration that is predicted at its arrival, a multiple of tick_s, or null for "
        "duration_s",
    ] = None
    model: Annotated[Label | None, "model that it trains, such as VGG16"] = None
    skew: Annotated[
        Fraction01 | None,
        "size of the largest tensor as a share of the model (S_J), or null for the known "
        "size of its model",
    ] = None
    communication: Annotated[
        Amount,
        "time of its exchange between servers, alone on its links, divided by its other time",
    ] = Decimal(0)
    packed_speed: Annotated[
        Fraction01 | None,
        "speed if each worker has half a GPU, or null if workers need whole GPUs",
    ] = None
    speeds: Annotated[tuple[Width, ...], "other numbers and kinds of GPUs on which it may run"] = ()
    curve: Annotated[LossCurve | None, "how its loss falls, for policies that use it"] = None
    allowed_regions: Annotated[
        Regions | None, Later(), "regions in which it may run, or null for all"
    ] = None
    group: Annotated[
        Label | None, Later(), "the tenant, account or team that it belongs to, if known"
    ] = None
    priority: Annotated[Rank, Later(), "its priority: a larger number goes first"] = 0
    limit_s: Annotated[
        Positive | None,
        Later(),
        "the longest run that its user expects, a multiple of tick_s, or null if unknown",
    ] = None
    due_s: Annotated[
        Positive | None,
        Later(),
        "when it should be done, after its arrival, a multiple of tick_s, or null for no deadline",
    ] = None
    waited_s: Annotated[
        Amount | None,
        Later(),
        "its wait from arrival to first start in the log, a multiple of tick_s, or null if unknown",
    ] = None
    done_s: Annotated[
        Amount, Later(), "its work before time 0 at full speed, a multiple of tick_s / 1e6"
    ] = Decimal(0)
    held: Annotated[
        HeldPieces | None,
        Later(),
        "GPUs of its last run before time 0, `{}` if they are gone, or null if it had no run",
    ] = None
    held_share: Annotated[
        Literal["whole", "half"], Later(), "share of these GPUs that each worker took"
    ] = "whole"
    held_s: Annotated[
        Amount,
        Later(),
        "what is left of the restart of that run at time 0, a multiple of tick_s",
    ] = Decimal(0)
    unsaved_s: Annotated[
        Amount,
        Later(),
        "time that this run has worked since its last checkpoint, a multiple of tick_s",
    ] = Decimal(0)
    unsaved_done_s: Annotated[
        Amount,
        Later(),
        "part of `done_s` that it did in this time, lost if an outage stops it then",
    ] = Decimal(0)
    stopped: Annotated[
        bool, Later(), "true if that run was stopped, false if it holds its GPUs at time 0"
    ] = False

    @property
    def begun(self) -> bool:
        """True if it had a run before time 0."""
        return self.held is not None or self.done_s > 0


def speed_on(job: TraceJob, width: int, gpu: str | None) -> Decimal | None:
    """Return the speed of a job on a number of GPUs of a kind, or None if it may not run there.

    An entry of `speeds` for this kind counts first. One without a kind is for the requested kind,
    or for all kinds if the job requests none.
    """
    own = job.gpu is None or gpu == job.gpu
    speed = Decimal(1) if own and width == job.gpus else None
    for entry in job.speeds:
        if entry.gpus == width:
            if entry.gpu is not None and entry.gpu == gpu:
                return entry.speed
            if entry.gpu is None and own:
                speed = entry.speed
    return speed


def work_left(job: TraceJob, tick_s: Decimal) -> int:
    """Return the work of a job from time 0 on, in millionths of a tick's work at full speed."""
    if tick_s == 1 and not job.done_s:
        return WORK * int(job.duration_s)
    left = Fraction(job.duration_s) - Fraction(job.done_s)
    return int(WORK * left / Fraction(tick_s))


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
    checkpoint was `unsaved_s` of work ago.

    * `resume_s` is a multiple of `tick_s`, too. Such times have at most 1e9 ticks.
    * `limit_s` is an estimate. No job is stopped at it.
    * No job requests more GPUs than the cluster has, and no entry of its `speeds` has more.
    * `speeds` has each number of GPUs of a kind at most once. The entry of the requested number and
      kind, if any, is 1.
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
            yield from begun_problems(self, speed_on)
        for name in ("restart_s", "resume_s", "checkpoint_s"):
            yield from self._ticks(name, getattr(self, name))
        kinds = self.kinds
        if len(kinds) > 1 and None in kinds:
            i = [server.gpu for server in self.servers].index(None)
            expected = "the kind of its GPUs, because other servers have one"
            yield Problem(f"servers[{i}].gpu", None, expected, "name it")
        rooms: dict[Regions | None, dict[str | None, int]] = {}
        for i, job in enumerate(self.jobs):
            yield from self._ticks(f"jobs[{i}].arrival_s", job.arrival_s)
            yield from self._ticks(f"jobs[{i}].duration_s", job.duration_s)
            for name in ("predicted_s", "limit_s", "due_s", "waited_s"):
                yield from self._ticks(f"jobs[{i}].{name}", getattr(job, name))
            if job.allowed_regions not in rooms:
                rooms[job.allowed_regions] = rooms_by_kind(self.servers, job)
            room = rooms[job.allowed_regions]
            if any(room.values()):
                yield from self._room_problems(i, job, room)
            if job.speeds:
                yield from self._width_problems(f"jobs[{i}].speeds", job, room)

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
        self, path: str, job: TraceJob, room: dict[str | None, int]
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
            if one == (job.gpus, job.gpu) and width.speed != 1:
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


def _fits(_: Any, job: Any, servers: tuple[Any, ...]) -> bool:
    rooms = rooms_by_kind(servers)
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
