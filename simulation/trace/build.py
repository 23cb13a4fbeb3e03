"""From a `trace` instance to the flat arrays that the kernels see, unless something forbids it."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from ...instances import ServerUplink, TraceInstance, TraceJob
from ...instances.trace import (
    MOST_TICKS,
    WORK,
    JobPhase,
    named_types,
    phases_of,
    speed_on,
    work_left,
)
from ...instances.trace.kinds import KindReach, reach_by_kind
from ..makespan.evaluate import MOST_GPUS
from ..model import (
    FLUID,
    JOB,
    NO_KINDS,
    STEP,
    TICKS,
    UPLINK,
    Ints,
    Model,
    flat,
    slowdown_table,
    tree,
)
from ..state import State, new_state
from .records import (
    COUNTS,
    HALF,
    LIFE,
    RUN_LOG,
    RUNS_ON,
    STOPPED,
    WHOLE,
    EngineLog,
    TraceData,
)

KNOWN: dict[str, float] = {
    "vgg19": 0.715,
    "vgg16": 0.743,
    "vgg11": 0.773,
    "alexnet": 0.61,
}
"""Models whose largest tensor is more than 14.6 % of them, by name in small letters."""

UNKNOWN = 0.146
"""The most that any other model of the table has."""


def skew_of(job: TraceJob, known: dict[str, float]) -> float:
    """Return a job's own skew, else its model's."""
    if job.skew is not None:
        return float(job.skew)
    name = (job.model or "").lower()
    return known.get(name, KNOWN.get(name, UNKNOWN))


UNITS = WORK
"""Work of a tick at full speed."""


def whole_ticks(instance: TraceInstance, seconds: Decimal) -> int:
    """Return a time as a number of ticks."""
    if instance.tick_s == 1:
        return int(seconds)
    return int(Fraction(seconds) / Fraction(instance.tick_s))


def build_model(instance: TraceInstance) -> Model:
    """Return jobs, links and contention for the engine, with free GPUs in halves."""
    fluid, contention = instance.fluid, instance.contention
    links = tree(instance.servers, fluid) if fluid else flat(instance.servers)
    links["gpus"] *= WHOLE
    jobs = np.zeros(len(instance.jobs), JOB)
    jobs["gpus"] = [job.gpus for job in instance.jobs]
    jobs["release"] = [whole_ticks(instance, job.arrival_s) for job in instance.jobs]
    jobs["iterations"] = [work_left(job, instance.tick_s) for job in instance.jobs]
    uplink = contention if isinstance(contention, ServerUplink) else ServerUplink()
    return Model(
        jobs=jobs,
        links=links,
        kinds=NO_KINDS,
        servers=len(instance.servers),
        progress=TICKS,
        overhead=STEP,
        overhead_s=0.0,
        slot_s=float(UNITS),
        contention=FLUID if fluid else UPLINK,
        slowdowns=slowdown_table(uplink, min(int(links["gpus"].max()), len(jobs)) + 1),
        width_parts=np.inf,
        key=0,
    )


NO_LIMIT = 2**60
"""More half GPUs than a group can hold."""


def build_data(
    instance: TraceInstance, model: Model, skews: dict[str, float], phases: list[list[JobPhase]]
) -> TraceData:
    """Return the other constant data."""
    jobs = instance.jobs
    named = {name: k for k, name in enumerate(dict.fromkeys(s.rack for s in instance.servers))}
    racks = np.array([named[s.rack] for s in instance.servers], np.int64)
    reach, kinds = reach_by_kind(instance), instance.kinds
    server_kind = np.array([kinds.index(server.gpu) for server in instance.servers], np.int64)
    given = group_shares(instance)
    group, shares = {name: k for k, name in enumerate(given)}, np.array(list(given.values()))
    groups = instance.groups
    return TraceData(
        arrivals=np.argsort(model.jobs["release"], kind="stable"),
        communication=np.array([float(job.communication) for job in jobs]),
        shared=instance.contention is not None,
        packed=np.array([float(job.packed_speed or 0) for job in jobs]),
        skew=np.array([skew_of(job, skews) for job in jobs]),
        halves=WHOLE * model.jobs["gpus"].astype(np.int64),
        **build_speeds(instance, phases, reach),
        by_rack=np.argsort(racks, kind="stable"),
        rack_first=np.concatenate([[0], np.cumsum(np.bincount(racks))]),
        mixed=len(kinds) > 1,
        server_kind=server_kind,
        reach=np.array(reach.jobs, np.int64),
        kind_first=_first([len(own) for own in reach.rows] or [1] * len(jobs)),
        kind_set=np.array([n for own in reach.rows for n, _ in own] or reach.jobs, np.int64),
        open_to=np.array([[s in one for s in range(racks.size)] for one in reach.sets]),
        set_kind=np.array([server_kind[min(one)] for one in reach.sets], np.int64),
        **_build_held(instance),
        restart=whole_ticks(instance, instance.restart_s),
        resume=whole_ticks(instance, instance.resume),
        **build_outages(instance),
        thresholds=np.zeros(0),
        foresees=False,
        limits=np.zeros(0, np.int64),
        priority=np.array([job.priority for job in jobs], np.int64),
        group=np.array([group[job.group] for job in jobs], np.int64),
        shares=shares / shares.sum(),
        weights=np.zeros(4),
        points=np.zeros(0),
        most=np.array([NO_LIMIT, *(WHOLE * g.most if g.most else NO_LIMIT for g in groups)]),
        quotas=WHOLE * np.array([0, *(group.quota for group in groups)]),
    )


def _build_held(instance: TraceInstance) -> dict[str, Any]:
    """Return the last runs of jobs before time 0."""
    jobs = instance.jobs
    if all(job.held is None for job in jobs):
        none = np.zeros(0, np.int64)
        return dict.fromkeys(("held", "held_first", "held_server", "held_gpus"), none) | {
            "held_share": none,
            "held_cost": none,
            "unsaved": none,
            "unsaved_work": np.zeros(0),
        }
    numbers = {server.name: k for k, server in enumerate(instance.servers)}
    pieces = [sorted((numbers[name], count) for name, count in job.held or ()) for job in jobs]
    status = [0 if job.held is None else STOPPED if job.stopped else RUNS_ON for job in jobs]
    shares = [HALF if job.held_share == "half" else WHOLE for job in jobs]
    return {
        "held": np.array(status, np.int64),
        "held_first": _first([len(own) for own in pieces]),
        "held_server": np.array([server for own in pieces for server, _ in own], np.int64),
        "held_gpus": np.array([count for own in pieces for _, count in own], np.int64),
        "held_share": np.array(shares, np.int64),
        "held_cost": np.array([whole_ticks(instance, job.held_s) for job in jobs], np.int64),
        "unsaved": np.array([whole_ticks(instance, job.unsaved_s) for job in jobs], np.int64),
        "unsaved_work": np.array(
            [float(WORK * Fraction(job.unsaved_done_s) / Fraction(instance.tick_s)) for job in jobs]
        ),
    }


def _first(sizes: list[int]) -> Ints:
    """Return where each part begins if parts of these sizes follow each other, and the end."""
    first = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=first[1:])
    return first


NEVER = 2**62
"""A tick that does not come."""


def build_outages(instance: TraceInstance) -> dict[str, Any]:
    """Return the events of outages in order, and the length between checkpoints."""
    places = {server.name: s for s, server in enumerate(instance.servers)}
    events, coming = list[tuple[int, bool, int, int]](), dict[str, int]()
    for outage in sorted(instance.outages, key=lambda one: one.from_s, reverse=True):
        server, after = places[outage.server], coming.get(outage.server, NEVER)
        start = whole_ticks(instance, outage.from_s)
        events.append((whole_ticks(instance, outage.until_s), False, server, after))
        events.append((start, True, server, after))
        if outage.known:
            coming[outage.server] = start
    events.sort()
    columns = list(zip(*events, strict=True)) or [()] * 4
    return {
        "checkpoint": whole_ticks(instance, instance.checkpoint_s or Decimal(0)) if events else 0,
        "outages": np.array(columns[0], np.int64),
        "outage_servers": np.array(columns[2], np.int64),
        "outage_begins": np.array(columns[1], np.bool_),
        "outage_next": np.array(columns[3], np.int64),
    }


def first_known(instance: TraceInstance) -> Ints:
    """Return the tick from which each server is known to be out first."""
    first = dict[str, int]()
    for outage in instance.outages:
        if outage.known:
            start = whole_ticks(instance, outage.from_s)
            first[outage.server] = min(start, first.get(outage.server, NEVER))
    return np.array([first.get(server.name, NEVER) for server in instance.servers], np.int64)


def phases_by_job(instance: TraceInstance) -> list[list[JobPhase]]:
    """Return the phases of each job from time 0 on, or nothing if no job has a type."""
    types = named_types(instance)
    jobs = instance.jobs if types else ()
    return [phases_of(types, job, instance.tick_s) for job in jobs]


def build_speeds(
    instance: TraceInstance, phases: list[list[JobPhase]], reach: KindReach
) -> dict[str, Any]:
    """Return the speeds of jobs on numbers of GPUs of a kind, in their first and later phases.

    If all servers are alike, the kind is -1, and the speed 1 on the requested GPUs is left out.
    """
    kinds = instance.kinds
    jobs = [own[0].job for own in phases] or instance.jobs
    if kinds == (None,):
        sizes = [len(job.speeds) for job in jobs]
        found = [(entry.gpus, -1, float(entry.speed)) for job in jobs for entry in job.speeds]
    else:
        rows = [_speeds(job, job, kinds) for job in jobs]
        sizes, found = [len(own) for own in rows], [row for own in rows for row in own]
    return {
        "speed_first": _first(sizes),
        "speed_gpus": np.array([width for width, _, _ in found], np.int64),
        "speed_kind": np.array([kind for _, kind, _ in found], np.int64),
        "speeds": np.array([speed for _, _, speed in found], np.float64),
        **build_phases(instance, phases, reach),
    }


def _speeds(
    job: TraceJob, first: TraceJob, kinds: tuple[str | None, ...]
) -> list[tuple[int, int, float]]:
    """Return GPUs, kind and speed of a job in a phase, in the order of its first phase."""
    if kinds == (None,):
        widths, numbers = [entry.gpus for entry in first.speeds], [-1]
    else:
        widths = [*dict.fromkeys([job.gpus, *(entry.gpus for entry in first.speeds)])]
        numbers = [*range(len(kinds))]
    return [
        (width, k, float(speed_on(job, width, kinds[max(0, k)]) or 0))
        for width in widths
        for k in numbers
    ]


def build_phases(
    instance: TraceInstance, phases: list[list[JobPhase]], reach: KindReach
) -> dict[str, Any]:
    """Return the work of each phase, its speeds, and its sets of servers by kind.

    All arrays are empty if no job has a type.
    """
    works, rows, sets, sizes = list[int](), list[list[float]](), list[int](), list[int]()
    for j, own in enumerate(phases):
        left = work_left(instance.jobs[j], instance.tick_s)
        for one in own:
            works.append(left - one.left)
            left = one.left
            found = _speeds(one.job, own[0].job, instance.kinds)
            rows.append([speed for _, _, speed in found])
            order = [
                (-(speed_on(one.job, one.job.gpus, instance.kinds[k]) or 0), k, number)
                for number, k in (reach.rows[j] if reach.rows else ())
            ]
            sets += [number for _, _, number in sorted(order)]
            sizes.append(len(order))
    first = _first([len(own) for own in phases])
    return {
        "phase_first": first if phases else first[:0],
        "phase_work": np.array(works, np.float64),
        "phase_row": _first([len(row) for row in rows])[:-1],
        "phase_speeds": np.array([speed for row in rows for speed in row], np.float64),
        "phase_set_first": _first(sizes),
        "phase_sets": np.array(sets, np.int64),
    }


def group_shares(instance: TraceInstance) -> dict[str | None, float]:
    """Return the shares of all groups by name. Jobs without a group are a group of their own."""
    equal = {job.group: 1.0 for job in instance.jobs}
    return equal | {group.name: float(group.share) for group in instance.groups}


def build_groups(instance: TraceInstance) -> Ints:
    """Return the number of each job's group, 0 for none."""
    numbers = {group.name: k for k, group in enumerate(instance.groups, 1)}
    return np.array([numbers.get(job.group or "", 0) for job in instance.jobs], np.int64)


YEAR_S = 365 * 86_400
"""The estimate of jobs if no job has a limit, as in Slurm."""


def build_limits(instance: TraceInstance) -> Ints:
    """Return the estimated ticks of each job's run: its limit, else the longest limit of all jobs.

    That stands for the limit of a partition, which jobs without one of their own have in Slurm.
    """
    own = [job.limit_s for job in instance.jobs]
    longest = max((limit for limit in own if limit is not None), default=Decimal(YEAR_S))
    ticks = [whole_ticks(instance, longest if limit is None else limit) for limit in own]
    return np.array([min(max(limit, 1), MOST_TICKS) for limit in ticks], np.int64)


def build_state(model: Model) -> State:
    """Return the engine's state, with room for the links of all jobs that run at once."""
    halves = int(model.links["gpus"][: model.servers].sum())
    return new_state(model, 4 * halves)


def build_trace(model: Model, data: TraceData, groups: Ints, next_out: Ints) -> EngineLog:
    """Return the lives of jobs that have not arrived, and an empty log. `groups` are theirs.

    `next_out` are the ticks from which the servers are known to be out first.

    Until a rank is known, the job that may use fewer servers goes first.
    """
    jobs, halves = model.jobs.size, int(model.links["gpus"][: model.servers].sum())
    lives = np.zeros(jobs, LIFE)
    lives["until"] = lives["wake"] = np.inf
    lives["first"] = lives["end"] = lives["entry"] = lives["stopped"] = lives["place"] = -1
    lives["struck"] = -1
    lives["level"] = data.open_to.sum(axis=1)[data.reach]
    lives["arrival"] = model.jobs["release"]
    lives["width"] = model.jobs["gpus"]
    lives["group"] = groups
    lives["share"] = WHOLE
    counts = np.zeros(1, COUNTS)
    counts["freed"] = 1
    counts["free"] = counts["halves"] = halves
    room = 4 * halves + 64
    return EngineLog(
        lives=lives,
        order=np.zeros(jobs, np.int64),
        levels=np.zeros(jobs, np.int64),
        values=np.zeros(jobs),
        moving=np.zeros(jobs, np.bool_),
        kept=np.zeros(jobs, np.int64),
        active=np.zeros(halves, np.int64),
        ends=np.zeros(0, np.int64),
        freeing=np.zeros(0, np.int64),
        asked=np.zeros((4 if data.outages.size else 2) * jobs, np.int64),
        log=np.zeros(room, RUN_LOG),
        servers=np.zeros(room, np.int64),
        gpus=np.zeros(room, np.int64),
        chosen=np.zeros(model.servers, np.int64),
        taken=np.zeros(model.servers, np.int64),
        group_held=np.zeros(data.most.size, np.int64),
        group_left=np.zeros(data.most.size, np.int64),
        used=np.zeros(model.servers, np.int64),
        usage=np.zeros(data.shares.size),
        fairness=np.ones(data.shares.size),
        hidden=np.zeros(model.servers, np.int64),
        out=np.zeros(model.servers, np.int64),
        next_out=next_out,
        saved=np.zeros(jobs if data.checkpoint else 0),
        origin=np.zeros(jobs if data.checkpoint else 0, np.int64),
        phase=data.phase_first[:-1].copy(),
        later=np.zeros(data.phase_first[:-1].size),
        room=np.zeros(data.open_to.shape[0], np.int64),
        vain=np.zeros((data.open_to.shape[0], model.jobs["gpus"].max() + 1), np.int64),
        counts=counts,
    )


def note_begun(instance: TraceInstance, trace: EngineLog) -> None:
    """Note the service of jobs before time 0, at full speed on the requested GPUs."""
    for life, job in zip(trace.lives, instance.jobs, strict=True):
        if job.begun:
            life["executed"] = whole_ticks(instance, job.done_s)
            life["attained"] = life["executed"] * job.gpus
            life["first"] = 0


def note_phases(state: State, data: TraceData, trace: EngineLog) -> None:
    """Keep the work of later phases apart from that of each job's first phase."""
    if trace.later.size:
        work = data.phase_work[trace.phase]
        trace.later[:] = state.runs["remaining"] - work
        state.runs["remaining"] = work


LONGEST = 10**9
"""More ticks of work in one job, with all that slows it down, cannot be counted exactly."""


def refusal(instance: TraceInstance) -> str | None:
    """Return why `instance` cannot be simulated, or None if it can."""
    if instance.gpus > MOST_GPUS:
        return f"{instance.gpus} GPUs are more than {MOST_GPUS}, so split the instance"
    total = sum(whole_ticks(instance, job.duration_s) for job in instance.jobs)
    if total > 10**4 * LONGEST:
        return f"its jobs take {total:.3g} ticks, more than 1e13, so lengthen tick_s"
    return None
