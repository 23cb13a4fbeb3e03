"""Let a policy run the jobs of a `trace` instance, event by event."""

from collections.abc import Callable
from dataclasses import dataclass

from ...instances import Limits, RefusedError, TraceInstance
from .advance import ASK, DECIDE, GROW, OVER, STUCK, advance
from .deciding import carry_out
from .log import enlarged, forget
from .play import PolicyRun
from .records import ASKED, DONE, EVENTS, FINISHED, NOW, EngineLog
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
    play, limits = PolicyRun(instance, policy, service or Service()), limits or Limits()
    policy.begin(play.world)
    stops = 0
    while True:
        why = advance(play.model, play.state, play.trace, play.data, play.rules)
        if why == OVER:
            return TraceResult(trace=play.trace, events=_events(play), finished=True)
        if why == STUCK:
            raise RefusedError(_waiting(play))
        if why == GROW:
            _make_room(play)
        elif why == DECIDE:
            carry_out(play)
        elif why == ASK:
            _answer(play)
        stops += 1
        if why == GROW or stops % OFTEN == 0:
            play.tidy()
            if progress is not None:
                progress(int(play.trace.counts[NOW]), int(play.trace.counts[FINISHED]))
        if limits.over():
            return TraceResult(trace=play.trace, events=_events(play), finished=False)


def _events(play: PolicyRun) -> int:
    return int(play.trace.counts[EVENTS])


def _answer(play: PolicyRun) -> None:
    """Tell the ranks that are asked for."""
    lives, rank_of = play.trace.lives, play.policy.rank
    for number in play.trace.asked[: play.trace.counts[ASKED]].tolist():
        life = lives[number]
        if life["status"] != DONE:
            rank = rank_of(play.view(number))
            life["level"], life["key"], life["slope"] = rank.level, rank.key, rank.slope
            life["until"], life["wake"] = rank.until, rank.wake


def _make_room(play: PolicyRun) -> None:
    if not play.keep:
        forget(play.trace)
    if play.keep or play.crowded():
        play.trace = enlarged(play.trace)


def _waiting(play: PolicyRun) -> str:
    """Say who waits for ever."""
    lives = play.trace.lives
    names = [
        job.name
        for job, life in zip(play.instance.jobs, lives, strict=True)
        if life["status"] != DONE
    ]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"the policy never lets {', '.join(names[:3])}{more} run; choose another placement"
