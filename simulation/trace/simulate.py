"""Let a policy run the jobs of a `trace` instance, event by event."""

from collections.abc import Callable
from dataclasses import dataclass

from ...instances import Limits, RefusedError, TraceInstance
from .advance import ASK, DECIDE, GROW, OVER, STUCK, advance
from .deciding import carry_out
from .log import enlarged, forget
from .policy_run import PolicyRun
from .records import DONE, EngineLog
from .service import Service
from .views import Ranker, TraceDecider

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
        why = advance(run.model, run.state, run.trace, run.data, run.rules)
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
