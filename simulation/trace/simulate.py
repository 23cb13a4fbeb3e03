"""Let a policy run the jobs of a `trace` instance, event by event."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ...instances import Limits, RefusedError, TraceInstance
from .advance import ASK, DECIDE, GROW, OVER, STUCK, advance
from .deciding import carry_out
from .log import enlarged, forget
from .play import Play
from .records import ASKED, DONE, EVENTS, FINISHED, NOW, Trace
from .views import Decider, Ranker

OFTEN = 1000
"""Times that the loop stops between two reports, and two looks at what to throw away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """How the queue is served, whoever says what comes first."""

    placement: str = "least-fragmentation"
    pack_limit: float = 0.3
    """Larger skews are consolidated by the placement `profile`."""
    skews: Mapping[str, float] = field(default_factory=dict)
    """Skews by the name of the model, in small letters; others are as known."""
    kappa: int = 8
    """GPUs of the largest job that counts as small for the placement `sjf-bco`."""
    interval: int = 0
    """The queue is also served at multiples of so many ticks; 0: it is not."""
    events: bool = True
    """Whether it is served whenever a job comes, ends or changes its rank."""
    noise: float = 0.0
    """Standard deviation of measured losses, as a part of the loss."""
    seed: int = 0
    keep: bool = True
    """Whether the log keeps the runs of jobs that are done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """What happened: everything about every job, and the log of runs."""

    trace: Trace
    events: int
    finished: bool
    """Whether all jobs are done; they are not if the time was up."""


def simulate(
    instance: TraceInstance,
    policy: Ranker | Decider,
    service: Service | None = None,
    limits: Limits | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Played:
    """Return what happens under a policy; `progress` is told ticks and jobs that are done.

    Raises:
        RefusedError: If the policy never lets some job run.
    """
    play, limits = Play(instance, policy, service or Service()), limits or Limits()
    policy.begin(play.world)
    stops = 0
    while True:
        why = advance(play.model, play.state, play.trace, play.data, play.rules)
        if why == OVER:
            return Played(trace=play.trace, events=_events(play), finished=True)
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
            return Played(trace=play.trace, events=_events(play), finished=False)


def _events(play: Play) -> int:
    return int(play.trace.counts[EVENTS])


def _answer(play: Play) -> None:
    """Tell the ranks that are asked for."""
    lives, rank_of = play.trace.lives, play.policy.rank
    for number in play.trace.asked[: play.trace.counts[ASKED]].tolist():
        life = lives[number]
        if life["status"] != DONE:
            rank = rank_of(play.view(number))
            life["level"], life["key"], life["slope"] = rank.level, rank.key, rank.slope
            life["until"], life["wake"] = rank.until, rank.wake


def _make_room(play: Play) -> None:
    if not play.keep:
        forget(play.trace)
    if play.keep or play.crowded():
        play.trace = enlarged(play.trace)


def _waiting(play: Play) -> str:
    """Say who waits for ever."""
    lives = play.trace.lives
    names = [
        job.name
        for job, life in zip(play.instance.jobs, lives, strict=True)
        if life["status"] != DONE
    ]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"the policy never lets {', '.join(names[:3])}{more} run; choose another placement"
