"""Let a policy run the jobs of a `trace` instance, event by event."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ...instances import Limits, RefusedError, TraceInstance
from .advance import (
    ASK,
    DECIDE,
    GROW,
    NEVER,
    OVER,
    STUCK,
    advance,
    choose_now,
    here,
    make_room_now,
    start_now,
    stop_now,
)
from .log import enlarged, forget
from .policy_run import PolicyRun
from .records import DONE, HALF, WHOLE, EngineLog
from .service import Service
from .views import ClusterView, GrantedGpus, Ranker, TraceDecider


def carry_out(run: PolicyRun) -> None:
    """Ask the policy, stop who is to hold something else or nothing, and start who is new.

    Who may use fewer servers comes first, and may drive others from there.
    """
    trace, cluster = run.trace, run.cluster
    jobs = [run.view(int(number)) for number in trace.order[: here(trace)]]
    holds: Mapping[int, GrantedGpus] = run.policy.decide(jobs, cluster)
    changed = [job for job in jobs if not job.running or not _holds(cluster, job, holds)]
    for job in changed:
        if job.running:
            stop_now(run.model, run.state, trace, job.number)
    for place, job in enumerate(jobs):
        if job.number in holds and not job.running:
            _start(run, place, job.number, holds[job.number])
    trace.counts[0]["again"] = min(NEVER, run.policy.again)
    trace.counts[0]["phase"] = 0


def _holds(cluster: ClusterView, job: Any, holds: Mapping[int, GrantedGpus]) -> bool:
    """Say whether a job that runs holds what it is to hold."""
    hold = holds.get(job.number)
    if hold is None or hold.half != cluster.half(job.number) or hold.width != job.width:
        return False
    return hold.pieces is None or dict(hold.pieces) == cluster.pieces(job.number)


def _start(run: PolicyRun, place: int, number: int, hold: GrantedGpus) -> None:
    """Start a job if its GPUs are free; it waits if its placement finds none."""
    engine, share = run.engine, HALF if hold.half else WHOLE
    if hold.pieces is None:
        pieces = choose_now(engine, number, hold.width, share)
        if pieces == 0 and len(run.setting.sets) > 1:
            pieces = make_room_now(engine, place, hold.width, share)
    else:
        pieces = len(hold.pieces)
        for k, server in enumerate(sorted(hold.pieces)):
            engine.trace.chosen[k], engine.trace.taken[k] = server, hold.pieces[server]
    if pieces > 0:
        start_now(engine, number, share, pieces)


OFTEN = 1000
"""Times that the loop stops between two reports, and two looks at what to throw away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceResult:
    """What happened: everything about every job, and the log of runs."""

    trace: EngineLog
    events: int
    finished: bool
    """Whether all jobs are done; they are not if the time was up."""


def simulate(
    instance: TraceInstance,
    policy: Ranker | TraceDecider,
    service: Service | None = None,
    limits: Limits | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> TraceResult:
    """Return what happens under a policy; `progress` is told ticks and jobs that are done.

    Raises:
        RefusedError: If the policy never lets some job run.
    """
    run, limits = PolicyRun(instance, policy, service or Service()), limits or Limits()
    policy.begin(run.setting)
    stops = 0
    while True:
        why = advance(run.engine)
        if why == OVER:
            return TraceResult(trace=run.trace, events=_events(run), finished=True)
        if why == STUCK:
            raise RefusedError(_waiting(run))
        if why == GROW:
            _make_room(run)
        elif why == DECIDE:
            carry_out(run)
        elif why == ASK:
            _answer(run)
        stops += 1
        if why == GROW or stops % OFTEN == 0:
            run.tidy()
            if progress is not None:
                progress(int(run.trace.counts[0]["now"]), int(run.trace.counts[0]["finished"]))
        if limits.over():
            return TraceResult(trace=run.trace, events=_events(run), finished=False)


def _events(run: PolicyRun) -> int:
    return int(run.trace.counts[0]["events"])


def _answer(run: PolicyRun) -> None:
    """Tell the ranks that are asked for."""
    lives, rank_of = run.trace.lives, run.policy.rank
    for number in run.trace.asked[: run.trace.counts[0]["asked"]].tolist():
        life = lives[number]
        if life["status"] != DONE:
            rank = rank_of(run.view(number))
            life["level"], life["key"], life["slope"] = rank.level, rank.key, rank.slope
            life["until"], life["wake"] = rank.until, rank.wake


def _make_room(run: PolicyRun) -> None:
    if not run.keep:
        forget(run.trace)
    if run.keep or run.crowded():
        run.trace = enlarged(run.trace)


def _waiting(run: PolicyRun) -> str:
    """Say who waits for ever."""
    lives = run.trace.lives
    names = [
        job.name
        for job, life in zip(run.instance.jobs, lives, strict=True)
        if life["status"] != DONE
    ]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"the policy never lets {', '.join(names[:3])}{more} run; choose another placement"
