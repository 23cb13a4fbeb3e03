"""Let a policy run the jobs of a `trace` instance, event by event."""

from collections.abc import Callable
from dataclasses import dataclass

from ...instances import Limits, RefusedError, TraceInstance
from .advance import ASK, DECIDE, GROW, OFTEN, OVER, PAUSE, STUCK, advance
from .carry_out import Decisions
from .policy_run import PolicyRun, Service
from .records import DONE, EngineLog
from .views import Ranker, TraceDecider


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceResult:
    """The result of a simulation: everything about every job, and the log of runs."""

    trace: EngineLog
    events: int
    finished: bool
    """True if all jobs are done, False at a time limit."""


def simulate(
    instance: TraceInstance,
    policy: Ranker | TraceDecider,
    service: Service | None = None,
    limits: Limits | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> TraceResult:
    """Return the result of a policy. `progress` gets the tick and the number of done jobs.

    Raises:
        RefusedError: If the policy never lets some job run.
    """
    run, limits = PolicyRun(instance, policy, service or Service()), limits or Limits()
    run.begin()
    decisions, stops = Decisions(run), 0
    while True:
        why = advance(run.engine)
        if why == OVER:
            return _result(run, finished=True)
        if why == STUCK:
            raise RefusedError(_waiting(run))
        if why == GROW:
            run.make_room()
        elif why == DECIDE:
            decisions.carry_out()
        elif why == ASK:
            _answer(run)
        stops += 1
        if why in (GROW, PAUSE) or stops % OFTEN == 0:
            run.tidy()
            if progress is not None:
                progress(run.counts["now"][0], run.counts["finished"][0])
        if limits.over():
            return _result(run, finished=False)


def _result(run: PolicyRun, *, finished: bool) -> TraceResult:
    events = int(run.trace.counts[0]["events"])
    return TraceResult(trace=run.trace, events=events, finished=finished)


def _answer(run: PolicyRun) -> None:
    """Write the requested ranks."""
    lives, rank_of = run.lives, run.policy.rank
    run.turn_views()
    for number in run.trace.asked[: run.counts["asked"][0]].tolist():
        if lives["status"][number] != DONE:
            rank = rank_of(run.view(number))
            lives["level"][number], lives["key"][number] = int(rank.level), rank.key
            lives["slope"][number], lives["until"][number] = rank.slope, rank.until
            lives["wake"][number] = rank.wake


def _waiting(run: PolicyRun) -> str:
    """Return a message that names the jobs that wait for ever."""
    lives = run.trace.lives
    names = [
        job.name
        for job, life in zip(run.instance.jobs, lives, strict=True)
        if life["status"] != DONE
    ]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"the policy never lets {', '.join(names[:3])}{more} run, so choose another placement"
