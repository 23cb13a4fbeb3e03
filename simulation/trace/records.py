"""The records of the family `trace` that kernels read and change, in addition to the engine's.

The log of runs is the schedule.

The engine's `State` has work and links. Free GPUs are counted in halves, because two jobs may share
one.
"""

from collections.abc import Iterator
from itertools import islice, repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...instances import JobRuns, TraceInstance, TraceRun, TraceSchedule, digest
from ...instances.building import from_columns
from ..jit import record
from ..model import Floats, Ints, Model, Records
from ..state import State

AHEAD, WAITING, RUNNING, DONE = 0, 1, 2, 3
"""The status of a job: not yet there, waiting, running, done."""

WHOLE, HALF = 2, 1
"""Halves of a GPU that a job uses of each of its GPUs."""

STOPPED, RUNS_ON = 1, 2
"""What a job with a run before time 0 does at time 0: it waits, or its run goes on."""

COUNTS = record(
    "now ordered active asked logged pieced halves free freed arrived finished stamp events "
    "phase happened started again charged within outage out"
)
"""The tick, the lengths of the lists, all half GPUs and the free ones, and other counters, such as
how often GPUs were freed.

Before the tick `again`, time alone does not change the decisions of a policy. Groups are
charged for their GPUs until the tick `charged`. A placement chooses `within` a set of servers.
`outage` is the next event of outages, and `out` the number of servers that are out of service. Half
GPUs of these servers are not counted.
"""

LIFE = record(
    "arrival first stopped end attained entry width share starts place status level executed "
    "working group struck",
    floats="key slope until wake",
)
"""The state of a job, as far as it does not depend on its length.

Its rank is `level`, then the value `key` plus `slope` for every tick it has worked. It
is recomputed at `until` GPU-ticks of service, and at the tick `wake` if it waits then. `executed`
ticks and `attained` GPU-ticks of work were done before `working`, the tick from which its present
run works. `entry` is its latest run in the log, `place` its place among the active. `group` is the
number of its group, 0 for none. An outage stopped it last at the tick `struck`. Lost work counts
neither as `executed` nor as `attained`.
"""

RUN_LOG = record("job start stop first pieces share ended")
"""A run: its pieces are ``first .. first + pieces - 1`` of the lists of servers and GPUs."""


class TraceData(NamedTuple):
    """The data of jobs and servers. Only the end of a phase changes some of it."""

    arrivals: Ints
    communication: Floats
    shared: bool
    """True if jobs across servers slow each other down."""
    packed: Floats
    skew: Floats
    halves: Ints
    """Half GPUs that each job uses at its own width."""
    speed_first: Ints
    speed_gpus: Ints
    speed_kind: Ints
    """The kind of GPUs of each speed, -1 for all."""
    speeds: Floats
    """The speeds in the present phase of each job."""
    phase_first: Ints
    """Index of each job's first phase, followed by the end. Empty if no job has a type."""
    phase_work: Floats
    """The work of each phase from time 0 on."""
    phase_row: Ints
    """Index of the first speed in each phase."""
    phase_speeds: Floats
    phase_set_first: Ints
    """Index of the first set of servers in each phase, followed by the end."""
    phase_sets: Ints
    """The servers of each kind that its job may use, the fastest kind first, if there are several
    kinds."""
    by_rack: Ints
    """The servers, rack by rack."""
    rack_first: Ints
    """Index of each rack's first server there, followed by the end."""
    mixed: bool
    """True if there are several kinds of GPUs."""
    server_kind: Ints
    """The kind of GPUs of each server, by number."""
    reach: Ints
    """The set of servers that each job may use, by number, 0 for all servers."""
    kind_first: Ints
    kind_set: Ints
    """The servers of each kind that a job may use, by number of the set: its fastest kind in the
    present phase first."""
    open_to: NDArray[np.bool_]
    """Membership of servers in each set."""
    set_kind: Ints
    """The kind of GPUs of each set, if it has one kind only."""
    held: Ints
    """For each job `STOPPED` or `RUNS_ON` if it had a run before time 0, else 0. Empty if none
    had."""
    held_first: Ints
    held_server: Ints
    held_gpus: Ints
    """The GPUs of these runs: indices of each job's first piece, then the end; its pieces."""
    held_share: Ints
    held_cost: Ints
    """Ticks that are left of their restarts."""
    unsaved: Ints
    unsaved_work: Floats
    """Ticks that they have worked since their last checkpoints, and the work done then."""
    restart: int
    resume: int
    checkpoint: int
    """Ticks worked in a run between checkpoints, 0 if outages cost no work."""
    outages: Ints
    """Ticks at which outages begin or end, in order, ends first."""
    outage_servers: Ints
    outage_begins: NDArray[np.bool_]
    outage_next: Ints
    """The tick from which a server is known to be out next, seen from each of these events on."""
    thresholds: Floats
    """Service at which jobs leave queues, if ranks follow such a formula."""
    foresees: bool
    """True if jobs have estimates and some outages are known."""
    limits: Ints
    """Estimated ticks of each job's run, if jobs are backfilled."""
    priority: Ints
    """Priorities of the jobs: larger first."""
    group: Ints
    """The group of each job, by number."""
    shares: Floats
    """The share of each group in the cluster, 1 in all."""
    weights: Floats
    """Of the multifactor formula: the weight of age, the age in ticks that counts in full, the
    weight of fair share, and the half-life of usage in ticks, 0 for no decay."""
    points: Floats
    """The part of that formula that never changes, by job."""
    most: Ints
    """Most half GPUs of each group, by number. The first is that of jobs without a group."""
    quotas: Ints
    """Half GPUs that are its own."""


class Rules(NamedTuple):
    """Rules for serving the queue."""

    decides: bool
    """The policy decides what runs, and ranks start or stop no job."""
    preempts: bool
    """Whoever has a worse rank is stopped for whoever has a better one."""
    blocks: bool
    """Nobody starts past a job that has to wait."""
    events: bool
    """The queue is served whenever something happens, not only at multiples of the interval."""
    starts: bool
    """Ranks are recomputed after a job's first start."""
    wakes: bool
    """Some ranks change while a job waits."""
    stable: bool
    """Jobs of equal rank stay in the order in which they stand, else they go by number."""
    backfills: int
    """Number of jobs that are promised a start, which no other job may delay; 0 for no backfill."""
    stops_lower: bool
    """A job that is backfilled stops running jobs of lower priority if it starts by that."""
    reclaims: bool
    """A job that fits into the quota of its group stops jobs of groups that exceed theirs."""
    offers: bool
    """GPUs that a job of a better rank cannot use yet are offered to the jobs behind it."""
    interval: int
    """Period in ticks for serving the queue in addition to events, 0 for no period."""
    placement: int
    skewed: float
    """Jobs with a larger skew are consolidated, where the placement looks at it."""
    kappa: int
    """GPUs of the largest job that is considered small, if the placement uses it."""
    formula: int = 0
    """The formula of ranks, 0 if the policy is asked."""
    by_gpus: bool = False
    """Service in the formula is GPUs times time."""


class EngineLog(NamedTuple):
    """Lives, the order of the queue, active jobs and runs."""

    lives: Records
    order: Ints
    levels: Ints
    """Levels of the jobs in the queue, place by place."""
    values: Floats
    """Their values."""
    moving: NDArray[np.bool_]
    """By job: its rank may differ from the one in the queue."""
    kept: Ints
    """The `stamp` at which each job last belonged to those that may run."""
    active: Ints
    """Jobs that hold GPUs."""
    asked: Ints
    """Jobs whose rank is needed."""
    log: Records
    servers: Ints
    gpus: Ints
    chosen: Ints
    """Servers of the run that starts next."""
    taken: Ints
    """Its GPUs there."""
    hidden: Ints
    """Free halves of the servers, while they are hidden from a job that may not use all of them."""
    out: Ints
    """1 for each server that is out of service, else 0."""
    next_out: Ints
    """The tick from which each server is known to be out next."""
    saved: Floats
    """The work that was left at the last checkpoint of each running job, if outages cost work."""
    origin: Ints
    """The tick from which the checkpoints of each running job count."""
    phase: Ints
    """The number of each job's present phase, if some job has a type."""
    later: Floats
    """The work of the phases after it. The engine's `State` has that of the present one."""
    room: Ints
    """Half GPUs of each set of servers that are not given away yet."""
    vain: NDArray[np.int64]
    """By set of servers and number of GPUs, when they were last not to be had: the `stamp`, or
    `freed` if all jobs may use all servers. A last row is for GPUs of jobs of lower priority."""
    ends: Ints
    """Estimated ends of the active jobs, or with several promises all ticks at which GPUs come free
    or are taken, in order. With quotas, the jobs that are to be stopped."""
    freeing: Ints
    """Half GPUs that the jobs then free, or that are idle from these ticks on."""
    group_held: Ints
    """Half GPUs that each group holds."""
    group_left: Ints
    """Half GPUs that each group may have or holds, while some of them are given or taken away."""
    used: Ints
    """GPU-ticks that each server has given."""
    usage: Floats
    """GPU-ticks that each group has used, less what has decayed, in a unit common to all groups."""
    fairness: Floats
    """The fair-share factor of each group."""
    counts: Records


class TraceEngine(NamedTuple):
    """All that a simulation sees and changes."""

    model: Model
    state: State
    trace: EngineLog
    data: TraceData
    rules: Rules


def enlarged(trace: EngineLog) -> EngineLog:
    """Return the same with a log and lists of pieces twice as long."""

    def twice(array: np.ndarray) -> np.ndarray:
        larger = np.zeros(2 * array.size, array.dtype)  # No memory is used before it is written.
        larger[: array.size] = array
        return larger

    return trace._replace(
        log=twice(trace.log), servers=twice(trace.servers), gpus=twice(trace.gpus)
    )


def forget(trace: EngineLog) -> None:
    """Keep only the latest run of every job that is not done."""
    lives, log = trace.lives, trace.log
    entries = lives["entry"][(lives["status"] != DONE) & (lives["entry"] >= 0)]
    kept = np.sort(entries)
    runs = log[kept]
    spans = [np.arange(run["first"], run["first"] + run["pieces"]) for run in runs]
    pieces = np.concatenate(spans) if spans else np.zeros(0, np.int64)
    trace.servers[: pieces.size] = trace.servers[pieces]
    trace.gpus[: pieces.size] = trace.gpus[pieces]
    runs["first"] = np.concatenate([[0], np.cumsum(runs["pieces"])])[:-1]
    log[: kept.size] = runs
    lives["entry"][runs["job"]] = np.arange(kept.size)
    trace.counts[0]["logged"], trace.counts[0]["pieced"] = kept.size, pieces.size


def to_schedule(instance: TraceInstance, trace: EngineLog, method: str) -> TraceSchedule:
    """Return the runs in the log as a schedule. The judge adds the exact ends."""
    log = trace.log[: trace.counts[0]["logged"]]
    log = log[log["stop"] != log["start"]]
    log = log[np.argsort(log["job"], kind="stable")]
    log["stop"][log["ended"] == 1] = -1
    starts, stops = log["start"].tolist(), log["stop"].tolist()
    times = {tick: tick * instance.tick_s for tick in {*starts, *stops}}
    names: dict[int, Any] = {WHOLE: "whole", HALF: "half"}
    runs = from_columns(
        TraceRun,
        len(starts),
        start_s=map(times.__getitem__, starts),
        stop_s=map({**times, -1: None}.__getitem__, stops),
        gpus=_pieces(instance, trace, log),
        share=map(names.__getitem__, log["share"].tolist()),
    )
    numbers = np.bincount(log["job"], minlength=len(instance.jobs)).tolist()
    each, sizes = iter(runs), [number for number in numbers if number]
    jobs = from_columns(
        JobRuns,
        len(sizes),
        job=(job.name for job, number in zip(instance.jobs, numbers, strict=True) if number),
        runs=(tuple(islice(each, size)) for size in sizes),
        end_s=repeat(None),
    )
    return TraceSchedule(
        instance=instance.name,
        digest=digest(instance),
        method=method,
        jobs=tuple(jobs),
    )


def _pieces(instance: TraceInstance, trace: EngineLog, log: Records) -> Iterator[tuple[Any, ...]]:
    """Yield the GPUs of each run, by the names of the servers. Equal pieces are shared."""
    servers = trace.servers[: trace.counts[0]["pieced"]]
    codes = trace.gpus[: servers.size] * len(instance.servers) + servers
    names = [server.name for server in instance.servers]
    pieces = {code: (names[code % len(names)], code // len(names)) for code in set(codes.tolist())}
    alone = {code: (piece,) for code, piece in pieces.items()}
    used = codes.tolist()
    for first, number in zip(log["first"].tolist(), log["pieces"].tolist(), strict=True):
        if number == 1:
            yield alone[used[first]]
        else:
            yield tuple(sorted(map(pieces.__getitem__, used[first : first + number])))
