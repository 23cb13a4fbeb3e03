"""The one runner: a method answers, the judge checks, the bound says how far it is from best."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from . import __version__
from .analysis.check import Verdict, check
from .instances import (
    Bound,
    Glimpse,
    Left,
    Limits,
    MakespanInstance,
    Outcome,
    RefusedError,
    RingyardError,
    Schedule,
    Stop,
    digest,
    validate,
)
from .instances.encode import as_decimal, as_number
from .methods import Method, find_method

Watch = Callable[[Glimpse], None]
"""Called with every better schedule while a method runs."""


class ContradictionError(RingyardError):
    """A valid schedule ends before a certified bound: one of the two is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A checked answer: the schedule with its exact ends, the verdict, the bound."""

    instance: MakespanInstance
    method: Method
    seed: int
    outcome: Outcome
    schedule: Schedule | None
    verdict: Verdict | None
    bound: Bound
    seconds: float

    @property
    def objective(self) -> Fraction | None:
        """The makespan as the judge computed it."""
        return self.verdict.makespan if self.verdict else None

    @property
    def valid(self) -> bool:
        """Whether there is a schedule and the judge found nothing wrong with it."""
        return self.verdict is not None and self.verdict.valid

    @property
    def gap(self) -> Fraction | None:
        """(objective - bound) / objective."""
        if self.objective is None or not self.valid:
            return None
        return (self.objective - self.bound.value) / self.objective

    @property
    def status(self) -> str:
        """One of optimal, feasible, infeasible, unknown, error."""
        if self.verdict is None:
            return "infeasible" if self.outcome.left is Left.INFEASIBLE else "unknown"
        if not self.valid:
            return "error"
        return "optimal" if self.objective == self.bound.value else "feasible"

    def row(self) -> dict[str, Any]:
        """Return the flat record that `ringyard solve --json` prints."""
        return {
            "instance": self.instance.name,
            "digest": digest(self.instance),
            "method": self.method.name,
            "seed": self.seed,
            "status": self.status,
            "stop": self.outcome.stop.value,
            "objective": as_number(self.objective),
            "bound": as_number(self.bound.value),
            "bound_kind": self.bound.kind.value,
            "gap": None if self.gap is None else float(self.gap),
            "seconds": round(self.seconds, 6),
            "nodes": self.outcome.nodes,
            "valid": self.valid,
            "violations": violation_rows(self.verdict) if self.verdict else [],
            "note": self.outcome.note,
            "version": __version__,
        }


def solve(
    instance: MakespanInstance,
    method: str | None = None,
    *,
    seed: int = 0,
    time_limit: float | None = None,
    threads: int = 1,
    horizon: int | None = None,
    watch: Watch | None = None,
) -> Answer:
    """Answer an instance with a method and check the answer.

    With `horizon` only schedules that end by this slot count. Ctrl-C and time limits keep the
    best schedule found so far. Raises `RefusedError` if the method cannot treat the instance
    and `ContradictionError` if value and bound cross.
    """
    from .simulation.refusal import refusal

    validate(instance)
    chosen = find_method(method, instance.kind)
    reason = refusal(instance) or chosen.refuses(instance)
    if reason:
        raise RefusedError(f"{instance.name}: {reason}")
    lower = bound(instance)

    def with_bound(glimpse: Glimpse) -> None:
        if watch is not None:
            watch(replace(glimpse, bound=float(lower.value)))

    limits = Limits(time_s=time_limit, threads=threads, horizon=horizon, watch=with_bound)
    outcome, seconds = Outcome(schedule=None, stop=Stop.DONE, left=Left.NOTHING), 0.0
    if horizon is None or horizon >= lower.value:
        outcome, seconds = _run(chosen, instance, seed, limits)
    answer = _judged(chosen, instance, seed, outcome, lower, seconds)
    if horizon is not None:
        answer = _within(answer, horizon)
    if answer.valid and answer.objective is not None and answer.objective < answer.bound.value:
        raise ContradictionError(
            f"{instance.name}: {chosen.name} gave a valid makespan of "
            f"{as_number(answer.objective)}, below the {answer.bound.kind} bound "
            f"{as_number(answer.bound.value)} ({answer.bound.argument}); "
            "please report it"
        )
    return answer


def _run(
    method: Method,
    instance: MakespanInstance,
    seed: int,
    limits: Limits,
) -> tuple[Outcome, float]:
    """Run a method against the clock; an interrupt keeps the best it has told of."""
    from numpy.random import default_rng

    best: list[Glimpse] = []

    def keep(glimpse: Glimpse) -> None:
        best[:] = [glimpse]
        limits.tell(glimpse)

    # A glance at one job first: kernels are compiled before the clock starts.
    method.run(replace(instance, jobs=instance.jobs[:1]), Limits(time_s=0.0), default_rng(seed))
    start = time.perf_counter()
    try:
        running = replace(limits, watch=keep, started=time.monotonic())
        outcome = method.run(instance, running, default_rng(seed))
    except KeyboardInterrupt:
        kept = best[0].schedule if best else None
        left = Left.FEASIBLE if kept else Left.NOTHING
        outcome = Outcome(schedule=kept, stop=Stop.INTERRUPTED, left=left)
    return outcome, time.perf_counter() - start


def _judged(
    method: Method,
    instance: MakespanInstance,
    seed: int,
    outcome: Outcome,
    lower: Bound,
    seconds: float,
) -> Answer:
    """Let the judge say what the outcome is worth."""
    verdict, schedule = None, outcome.schedule
    if schedule is not None:
        verdict = check(instance, schedule)
        schedule = with_ends(replace(schedule, seed=seed), verdict)
    return Answer(
        instance=instance,
        method=method,
        seed=seed,
        outcome=outcome,
        schedule=schedule,
        verdict=verdict,
        bound=outcome.bound if outcome.bound and outcome.bound.value > lower.value else lower,
        seconds=seconds,
    )


def _within(answer: Answer, horizon: int) -> Answer:
    """Drop a schedule that ends after the horizon; say whether there is none that does not."""
    if answer.objective is not None and answer.objective <= horizon:
        return answer
    none = answer.bound.value > horizon
    outcome = replace(
        answer.outcome,
        schedule=None,
        left=Left.INFEASIBLE if none else Left.NOTHING,
        note=f"{'no schedule ends' if none else 'none was found that ends'} by slot {horizon}",
    )
    return replace(answer, outcome=outcome, schedule=None, verdict=None)


def bound(instance: MakespanInstance) -> Bound:
    """Return the best certified lower bound on the makespan."""
    from .search.bounds import best_bound

    return best_bound(instance)


def violation_rows(verdict: Verdict) -> list[dict[str, Any]]:
    """Return the violations of a verdict as plain rows."""
    return [
        {"rule": v.rule, "where": v.where, "amount": as_number(v.amount)}
        for v in verdict.violations
    ]


def with_ends(schedule: Schedule, verdict: Verdict) -> Schedule:
    """Write the judge's ends and makespan into a schedule, where decimals can say them."""
    items = tuple(
        replace(item, end_slot=as_decimal(verdict.ends.get(item.job)))
        for item in schedule.assignments
    )
    return replace(schedule, assignments=items, makespan=as_decimal(verdict.makespan))
