"""The `makespan` family: gang ring-all-reduce jobs with contention (SJF-BCO, arXiv 2207.07817).

Times are in slots of ``slot_s`` seconds. With ``progress`` `floor` (as printed in the paper) and
`fractional`, a job starts at a whole slot, works whole slots and ends at a whole slot. With
`continuous` it may start and end at any moment.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Literal

from ...families.family import Places
from ..building import Number, Rows, built, rows_of, short
from ..cluster import (
    INTER,
    INTRA,
    REDUCE,
    Cluster,
    Contention,
    FluidLinks,
    Server,
    ServerUplink,
)
from ..errors import ABSENT, Problem, unknown
from ..reading.vocabulary import (
    Amount,
    AnySchedule,
    Count,
    Instance,
    Iterations,
    Label,
    Later,
    NonEmpty,
    Pieces,
    Positive,
    Whole,
    repeats,
)
from ..regions import Regions, may_run, region_problems

Progress = Literal["floor", "fractional", "continuous"]
Overhead = Literal["paper", "step", "max_workers_per_server"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KindSpeed:
    """How fast a job computes on another kind of GPUs."""

    gpu: Annotated[Label, "kind of GPUs"]
    speed: Annotated[Positive, "its speed, relative to the kind that it requests"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RingJob:
    """A training job that runs as one ring on a fixed number of GPUs, all or nothing."""

    name: Annotated[Label, "unique name"]
    gpus: Annotated[Count, "GPUs of its ring (G_j = w_j)"]
    gpu: Annotated[
        Label | None,
        Later(),
        "kind of GPUs that it requests, for which its times hold, or null for any kind",
    ] = None
    speeds: Annotated[
        tuple[KindSpeed, ...], Later(), "other kinds of GPUs on which it may run"
    ] = ()
    iterations: Annotated[Iterations, "training iterations (F_j), or what is left of them"]
    gradient_gb: Annotated[Amount, "size of the gradient (m_j)"] = Decimal(0)
    batch_samples: Annotated[Whole, "samples per mini-batch (M_j)"] = 1
    forward_s_per_sample: Annotated[
        Amount, "time of the forward pass for one sample (Delta f_j)"
    ] = Decimal(0)
    backward_s: Annotated[Amount, "time of the backward pass (Delta b_j)"] = Decimal(0)
    release_slot: Annotated[Amount, "earliest start, whole unless progress is continuous"] = (
        Decimal(0)
    )
    allowed_regions: Annotated[
        Regions | None, Later(), "regions in which it may run, or null for all"
    ] = None
    held: Annotated[
        Pieces | None,
        Later(),
        "GPUs that it holds at slot 0, where it runs and stays, or null if it has not begun",
    ] = None

    def speed_on(self, gpu: str | None) -> Decimal | None:
        """Return its speed on a kind of GPUs, or None if it may not run there."""
        for entry in self.speeds:
            if entry.gpu == gpu:
                return entry.speed
        return Decimal(1) if self.gpu is None or self.gpu == gpu else None

    def compute_s(self, speed: Decimal) -> Fraction:
        """Return the seconds of the passes of an iteration, which a faster GPU shortens.

        The exchange and the reduction depend on links, and the overhead on neither.
        """
        forward_s = Fraction(self.forward_s_per_sample) * self.batch_samples
        return (forward_s + Fraction(self.backward_s)) / (1 if speed == 1 else Fraction(speed))

    @property
    def best_speed(self) -> Decimal:
        """Its largest speed on any kind, at least 1."""
        return max([Decimal(1), *(entry.speed for entry in self.speeds)])


@dataclass(frozen=True, slots=True, kw_only=True)
class MakespanInstance(Instance):
    """Ring jobs to be placed and started once. The objective is the end of the last one.

    An iteration of a job takes
    ``tau = (m/w) 2(w-1)/B + (m/w)(w-1)/C + gamma + Delta_f M + Delta_b`` seconds (equation 8), with
    m, w, M and Delta as in `RingJob`. B is b^i for a ring inside one server. For other rings it is
    the bandwidth that the contention model leaves of b^e. The overhead gamma is ``overhead_s``
    times a number that ``overhead`` selects:

    * `paper`: the number of servers of the ring
    * `step`: 1 if the ring has two servers or more, else 0
    * `max_workers_per_server`: the largest number of its GPUs on one server if it has two servers
      or more, else 0

    A slot has ``floor(slot_s / tau)`` iterations under `floor`, else ``slot_s / tau`` (9).

    All servers of a ring have GPUs of one kind. On a kind on which its job has the speed v,
    ``Delta_f M + Delta_b`` is divided by v. The other terms are the same on every kind.

    * If a server has a kind of GPUs (`gpu`), all have one, and jobs name only these. Every job has
      a speed on a kind that has enough GPUs.
    * `speeds` has each kind at most once, and not the one that the job requests.
    * A job with `held` starts at slot 0 on exactly these GPUs, which are as many as it needs, in
      its regions and of one kind on which it may run. It has no release. No server has more held.
    * A fraction of an iteration may be left of a job, unless progress is `floor`.
    * A job fits into its `allowed_regions`, and no job needs more GPUs than the cluster has.
    * An iteration of every job takes some time, even alone on one server.
    """

    kind: Annotated[Literal["makespan"], "the problem family"] = "makespan"
    cluster: Annotated[Cluster, "the cluster"]
    jobs: Annotated[tuple[RingJob, ...], NonEmpty(), "jobs to run"]
    contention: Annotated[Contention, "how rings slow each other down"] = ServerUplink()
    overhead: Annotated[Overhead, "form of the overhead gamma"] = "paper"
    overhead_s: Annotated[Amount, "overhead per unit of its form (xi_2)"] = Decimal(0)
    progress: Annotated[Progress, "how iterations in a slot are counted"] = "fractional"
    slot_s: Annotated[Positive, "length of a slot"] = Decimal(1)
    horizon_slots: Annotated[
        Count | None, "search limit for load limits (T), not a constraint on schedules"
    ] = None

    def problems(self) -> Iterator[Problem]:
        """Yield every problem that involves several fields."""
        yield from repeats("cluster.servers", [s.name for s in self.cluster.servers])
        yield from repeats("jobs", [j.name for j in self.jobs])
        fast, slow = self.cluster.intra_bandwidth_gb_s, self.cluster.inter_bandwidth_gb_s
        if slow > fast:
            yield Problem(
                "cluster.inter_bandwidth_gb_s",
                slow,
                f"at most intra_bandwidth_gb_s ({fast})",
                "lower it, or raise intra_bandwidth_gb_s",
            )
        yield from region_problems(self.cluster.servers, self.jobs)
        yield from self._kind_problems()
        yield from self._job_problems()
        yield from self._held_problems()
        if isinstance(self.contention, FluidLinks):
            yield from self._leaf_problems(self.contention)

    @property
    def kinds(self) -> tuple[str | None, ...]:
        """The kinds of GPUs of the servers, or None alone."""
        return tuple(dict.fromkeys(server.gpu for server in self.cluster.servers))

    def _kind_problems(self) -> Iterator[Problem]:
        """Yield servers without a kind if others have one, and unknown kinds of jobs."""
        kinds = [kind for kind in self.kinds if kind is not None]
        for i, server in enumerate(self.cluster.servers):
            if kinds and server.gpu is None:
                expected = "the kind of its GPUs, because other servers have one"
                yield Problem(f"cluster.servers[{i}].gpu", None, expected, "add it")
        for i, job in enumerate(self.jobs):
            named = {} if job.gpu is None else {f"jobs[{i}].gpu": job.gpu}
            named |= {f"jobs[{i}].speeds[{k}].gpu": one.gpu for k, one in enumerate(job.speeds)}
            for path, kind in named.items():
                if kind in kinds:
                    continue
                if kinds:
                    yield unknown(path, kind, kinds, "correct it")
                else:
                    expected = "null: no server has a kind of GPUs"
                    yield Problem(path, kind, expected, "remove it, or add kinds to the servers")
            seen = {job.gpu}
            for k, one in enumerate(job.speeds):
                if one.gpu in seen:
                    expected = "each kind once, and not the requested one"
                    yield Problem(f"jobs[{i}].speeds[{k}].gpu", one.gpu, expected, "remove it")
                seen.add(one.gpu)

    def _job_problems(self) -> Iterator[Problem]:
        kinds = self.kinds
        totals = {
            job.allowed_regions: Counter[str | None]()
            for job in {job.allowed_regions: job for job in self.jobs}.values()
        }
        for regions, rooms in totals.items():
            for server in self.cluster.servers:
                rooms[server.gpu] += server.gpus * (regions is None or server.region in regions)
        for i, job in enumerate(self.jobs):
            rooms = totals[job.allowed_regions]
            able = [kind for kind in kinds if kind is None or job.speed_on(kind) is not None]
            total = max((rooms[kind] for kind in able), default=0)
            if 0 < total < job.gpus:
                place = "the cluster" if job.allowed_regions is None else "its regions"
                of = "of a kind on which it may run, in" if len(kinds) > 1 else "of"
                yield Problem(
                    f"jobs[{i}].gpus",
                    job.gpus,
                    f"at most {total}, all GPUs {of} {place}, for job {job.name!r}",
                    f"drop the job or enlarge {place}",
                )
            if (
                self.progress != "continuous"
                and job.release_slot != job.release_slot.to_integral_value()
            ):
                yield Problem(
                    f"jobs[{i}].release_slot",
                    job.release_slot,
                    f"a whole slot, because progress is {self.progress!r}",
                    "round it, or set progress to 'continuous'",
                )
            if not self._takes_time(job):
                yield Problem(
                    f"jobs[{i}]",
                    job.name,
                    "an iteration that takes some time even alone on one server",
                    "give backward_s, forward_s_per_sample, gradient_gb or overhead_s above 0",
                )

    def _held_problems(self) -> Iterator[Problem]:
        servers, used = {one.name: one for one in self.cluster.servers}, Counter[str]()
        for i, job in enumerate(self.jobs):
            if self.progress == "floor" and job.iterations != int(job.iterations):
                advice = "round it up, or set progress to 'fractional'"
                expected = "whole iterations, because progress is 'floor'"
                yield Problem(f"jobs[{i}].iterations", str(job.iterations), expected, advice)
            if job.held is None:
                continue
            path, names = f"jobs[{i}].held", [name for name, _ in job.held]
            for name in names:
                if name not in servers:
                    yield unknown(path, name, list(servers), "correct it")
            known = [servers[name] for name in names if name in servers]
            if (count := sum(gpus for _, gpus in job.held)) != job.gpus:
                expected = f"{job.gpus}, the GPUs of job {job.name!r}"
                yield Problem(path, count, expected, "correct one of them")
            kinds = {one.gpu for one in known}
            if any(not may_run(job, one) for one in known) or (
                kinds not in ({None}, set()) and (len(kinds) > 1 or job.speed_on(*kinds) is None)
            ):
                expected = "servers of one kind, on which the job may run, in its regions"
                yield Problem(path, ", ".join(names), expected, "correct it")
            if job.release_slot > 0:
                expected = "0, because the job holds GPUs at slot 0"
                yield Problem(f"jobs[{i}].release_slot", job.release_slot, expected, "set it to 0")
            for name, gpus in job.held:
                used[name] += gpus
        for i, one in enumerate(self.cluster.servers):
            if used[one.name] > one.gpus:
                expected = f"at least {used[one.name]}, the GPUs that jobs hold there at slot 0"
                yield Problem(f"cluster.servers[{i}].gpus", one.gpus, expected, "correct `held`")

    def _takes_time(self, job: RingJob) -> bool:
        compute = job.backward_s + job.forward_s_per_sample * job.batch_samples
        ring = job.gradient_gb if job.gpus > 1 else 0
        return bool(compute or ring or (self.overhead_s and self.overhead == "paper"))

    def _leaf_problems(self, network: FluidLinks) -> Iterator[Problem]:
        yield from repeats("contention.leaves", [leaf.name for leaf in network.leaves])
        known = {server.name for server in self.cluster.servers}
        housed: set[str] = set()
        for i, leaf in enumerate(network.leaves):
            for k, name in enumerate(leaf.servers):
                path = f"contention.leaves[{i}].servers[{k}]"
                if name not in known:
                    yield Problem(path, name, "the name of a server", "correct or remove it")
                elif name in housed:
                    yield Problem(path, name, "a server not yet in a leaf", "keep it in one leaf")
                housed.add(name)
        for name in sorted(known - housed):
            housing = f"server {name!r} in one of the leaves"
            yield Problem("contention.leaves", ABSENT, housing, "add it to a leaf")


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """One job's start and its GPUs per server, kept until it ends."""

    job: Annotated[Label, "name of the job"]
    start_slot: Annotated[Amount, "first slot in which it works, counted from 0"]
    gpus: Annotated[Pieces, "GPUs on each server that it uses"]
    end_slot: Annotated[Amount | None, "claimed end, compared with the judge's"] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule(AnySchedule):
    """Assignments for the jobs of one instance, with the claimed makespan.

    * Unless progress is `continuous`, jobs start and end at whole slots.
    """

    kind: Annotated[Literal["makespan-schedule"], "the kind of file"] = "makespan-schedule"
    makespan: Annotated[Decimal | None, "claimed makespan in slots"] = None
    assignments: Annotated[tuple[Assignment, ...], "one entry per job"]


FINEST_START = Decimal("1e-18")
"""Grid of starts in continuous time that decimals cannot give, in slots."""


def rounding_of_starts(instance: MakespanInstance) -> Fraction:
    """Return the largest delay of a schedule, in slots, that decimal starts cause.

    Only in continuous time can a start need more decimals. Each job then waits for the next
    multiple of
    `FINEST_START`, and a chain of jobs that wait for each other has each job at most once.
    """
    return Fraction(FINEST_START) * len(instance.jobs) * (instance.progress == "continuous")


def unlike(instance: MakespanInstance) -> str | None:
    """Return how servers differ, apart from their sizes and regions, or None."""
    if len(instance.kinds) > 1:
        return "its servers have several kinds of GPUs"
    if any(server.uplink != 1 for server in instance.cluster.servers):
        return "its servers have unequal uplinks"
    return None


def underway(instance: MakespanInstance) -> str | None:
    """Return which job has begun before slot 0, or None."""
    for job in instance.jobs:
        if job.held is not None:
            return f"job {job.name!r} holds GPUs at slot 0"
        if job.iterations != int(job.iterations):
            return f"job {job.name!r} has a fraction of an iteration left"
    return None


def _fits(job: RingJob, servers: tuple[Server, ...]) -> bool:
    """Return True if servers of one kind have enough GPUs for a job, and those that it holds."""
    rooms = Counter[str | None]()
    sizes = {server.name: server.gpus for server in servers}
    if any(sizes.get(name, 0) < gpus for name, gpus in job.held or ()):
        return False
    for server in servers:
        rooms[server.gpu] += server.gpus
    return any(
        room >= job.gpus and (kind is None or job.speed_on(kind) is not None)
        for kind, room in rooms.items()
    )


PLACES = Places(
    read=lambda one: one.cluster.servers,
    put=lambda one, servers: replace(one, cluster=replace(one.cluster, servers=servers)),
    fits=lambda _, job, servers: _fits(job, servers),
)


def makespan(
    jobs: Rows,
    servers: Rows,
    *,
    name: str = "makespan",
    intra_bandwidth_gb_s: Number = INTRA,
    inter_bandwidth_gb_s: Number = INTER,
    reduce_gb_s: Number | None = REDUCE,
    **more: Any,
) -> MakespanInstance:
    """Return an instance of rings of GPUs that share the uplinks of servers.

    Args:
        jobs: At least `gpus` and `iterations`, and a field that takes time: `backward_s`,
            `forward_s_per_sample` or `gradient_gb`.
        servers: A number is a server's GPUs: ``[4, 4]``, ``{"left": 4, "right": 4}``.
        name: Name of the instance.
        intra_bandwidth_gb_s: Bandwidth between GPUs of one server, by default 12.5 (100 Gbit/s).
        inter_bandwidth_gb_s: Bandwidth of every server's uplink, by default 1.25.
        reduce_gb_s: Speed of adding gradients, by default 50. None: it takes no time.
        **more: Other fields of the format: `contention`, `progress`, `overhead`, `slot_s`, ..

    Raises:
        InputError: With all problems, as for a file.
    """
    cluster = {
        "servers": rows_of(servers, "s", short(lambda gpus: {"gpus": gpus})),
        "intra_bandwidth_gb_s": intra_bandwidth_gb_s,
        "inter_bandwidth_gb_s": inter_bandwidth_gb_s,
        "reduce_gb_s": reduce_gb_s,
    }
    made: MakespanInstance = built(
        "makespan", "cluster", name=name, cluster=cluster, jobs=rows_of(jobs, "j"), **more
    )
    return made
