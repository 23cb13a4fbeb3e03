"""One run of a method: against the clock, and with what it reports on the way kept."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..analysis.runner_rules import JudgedStart
from ..families import family_of
from ..instances import (
    Incumbent,
    Instance,
    Limits,
    Outcome,
    RefusedError,
    SolutionStatus,
    TerminationReason,
)
from ..instances.clock import now
from ..instances.errors import MethodError
from ..instances.outcome import StopSearch
from ..interrupts import found, interrupted, raising
from ..methods import Method, is_own


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodRun:
    """What a method handed back, and what it reported before."""

    outcome: Outcome
    seconds: float
    steps: Sequence[tuple[float, Incumbent]]
    """Every better schedule, with the seconds since the start."""


NOT_RUN = MethodRun(
    outcome=Outcome(
        schedule=None, termination=TerminationReason.DONE, status=SolutionStatus.NOTHING
    ),
    seconds=0.0,
    steps=(),
)


def run_method(
    method: Method,
    instance: Instance,
    seed: int,
    limits: Limits,
    begun: JudgedStart | None,
    keep_before: int | None,
) -> MethodRun:
    """Run a method against the clock, noting its steps; an interrupt keeps the best of them.

    So does a refusal on the way: what a method cannot do in the end costs nothing found before.
    """
    from numpy.random import default_rng

    steps: list[tuple[float, Incumbent]] = []
    best: list[Incumbent] = []
    given: dict[str, Any] = {}
    better, own = family_of(instance).better, is_own(method)

    def keep(incumbent: Incumbent) -> None:
        incumbent = incumbent if own else replace(incumbent, bound=None)
        least = None if begun is None else begun.value
        if steps and least is not None and not better(incumbent.value, least):
            return  # What a method looks at first may be worse than the start.
        best[:] = [incumbent]
        found()
        steps.append((now() - start, incumbent))
        limits.report(incumbent)

    start = now()
    try:
        with raising():
            running = replace(limits, watch=keep)
            if begun is not None and begun.value is not None:
                keep(Incumbent(schedule=begun.schedule, value=float(begun.value)))
            if begun is not None:
                given = {"start": begun.schedule, "start_value": begun.value}
                given["keep_before"] = keep_before
            outcome = method.run(instance, running, default_rng(seed), **given)
            found()
    except StopSearch as enough:
        outcome = Outcome(
            schedule=best[0].schedule,
            termination=enough.termination,
            status=SolutionStatus.FEASIBLE,
        )
    except BaseException as error:
        broken = interrupted() or isinstance(error, KeyboardInterrupt)
        if not broken and not (best and isinstance(error, RefusedError | MethodError)):
            raise
        # What breaks after an interrupt breaks because of it.
        stop, note = (
            (TerminationReason.INTERRUPTED, "")
            if broken
            else (TerminationReason.FAILED, str(error))
        )
        kept = best[0].schedule if best else None
        left = SolutionStatus.FEASIBLE if kept else SolutionStatus.NOTHING
        outcome = Outcome(schedule=kept, termination=stop, status=left, note=note)
    if interrupted() and outcome.termination is not TerminationReason.DONE:
        outcome = replace(outcome, termination=TerminationReason.INTERRUPTED)
    return MethodRun(outcome=outcome, seconds=now() - start, steps=steps)
