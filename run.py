"""The runner: a method solves an instance, the judge checks it, and a bound gives the gap."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from .analysis.check import check
from .families import family_of
from .instances import NO_LIMITS, Bound, Instance, Limits, SolutionStatus, validate
from .instances.arguments import instance_problems
from .instances.errors import InputError
from .instances.outcome import now
from .interrupts import raising
from .methods import Method, Named, find_method, is_own
from .running.answer import (
    Answer,
    ContradictionError,
    best_answer,
    methods_to_ask,
    or_start,
    stopped_early,
    uncrossed,
    violation_rows,
    within_horizon,
)
from .running.method_run import (
    NOT_RUN,
    JudgedStart,
    MethodRun,
    StoppingCriterion,
    Watch,
    best_reported,
    judged_start,
    proved_part,
    refuse_arguments,
    refuse_request,
    rejection_reason,
    run_method,
)

__all__ = ["Answer", "ContradictionError", "bound", "solve", "violation_rows"]

PART_FOR_BOUND = 0.5
"""Fraction of the time limit for the first bound."""


def solve(
    instance: Instance,
    method: Named = None,
    *,
    seed: int = 0,
    time_limit: float | None = None,
    threads: int = 1,
    horizon: int | None = None,
    start: Any = None,
    keep_before: int | None = None,
    gap: float | None = None,
    target: float | Fraction | None = None,
    watch: Watch | None = None,
) -> Answer:
    """Solve an instance with a method, by default its family's, and check the answer.

    By default, a small instance is solved by all methods of its family. A larger one is solved by
    a method that may prove something soon, then by the default, unless there is a `start`. Ctrl-C
    and time limits keep the best schedule found so far.

    Args:
        instance: An instance of any family.
        method: A name of `ringyard list methods`, with options after colons; ``FILE.py:NAME``;
            or a function or program.
        seed: Seed of the random steps. The same seed gives the same schedule.
        time_limit: Seconds.
        threads: Most threads of a method.
        horizon: Accept only schedules that end by this slot.
        start: A valid schedule, or its file, to start from. The answer is the start itself if no
            strictly better schedule is found.
        keep_before: Keep all starts before this slot, and begin no other job earlier. The start
            may then lack jobs.
        gap: End the run when the relative gap between schedule and proved bound is at most this.
        target: End the run when a schedule reaches this value.
        watch: Called with every better schedule. It ends the run by raising `StopIteration`.

    Raises:
        RefusedError: If the method does not support the instance, or the start.
        InputError: If an argument is invalid.
        ContradictionError: If value and bound contradict each other: one of the two is wrong.
    """
    aims: dict[str, Any] = {"gap": gap, "target": target, "watch": watch}
    refuse_arguments(instance, seed, time_limit, threads, horizon, aims)
    validate(instance)
    if method is None and horizon is start is None and (names := methods_to_ask(instance)):

        def ask(name: str, left_s: float | None) -> Answer:
            return solve(instance, name, seed=seed, threads=threads, time_limit=left_s, **aims)

        return best_answer(ask, names, time_limit)
    chosen = find_method(method, instance.kind)
    refuse_request(chosen, instance, horizon, start, keep_before)
    begun = None
    if start is not None:
        begun = judged_start(instance, start, partial=keep_before is not None)
    limits = Limits(time_s=time_limit, threads=threads, horizon=horizon, gap=gap)
    with raising():
        first = bound(instance, replace(limits, time_s=time_limit and PART_FOR_BOUND * time_limit))
    bounding = now() - limits.started
    enough = StoppingCriterion(
        instance=instance, first=first, limits=limits, target=target, watch=watch
    )
    run = NOT_RUN
    if horizon is None or horizon >= first.value:
        limits = replace(limits, watch=enough.look)
        run = run_method(chosen, instance, seed, limits, begun, keep_before)
    judging = now()
    answer = _judged(chosen, instance, seed, run, first, begun)
    if begun is not None:
        answer = or_start(answer, begun)
    answer = replace(answer, phases=(("bound", bounding), ("check", now() - judging)))
    if horizon is not None:
        answer = within_horizon(answer, horizon)
    return uncrossed(stopped_early(answer, enough))


def bound(instance: Instance, limits: Limits = NO_LIMITS) -> Bound:
    """Return the best quick proved bound: a lower bound, or an upper bound on a utility."""
    if problems := list(instance_problems(instance)):
        raise InputError("ringyard.bound", problems)
    validate(instance)
    found: Bound = family_of(instance).bounds(instance, limits)[0]
    return found


def _judged(
    method: Method,
    instance: Instance,
    seed: int,
    run: MethodRun,
    first: Bound,
    begun: JudgedStart | None,
) -> Answer:
    """Judge the outcome. The answer has the best valid schedule that was reported."""
    outcome, claim, family = run.outcome, None, family_of(instance)
    if not is_own(method):
        outcome, claim = proved_part(method.name, instance, outcome, first)
    verdict, schedule = None, outcome.schedule
    if schedule is not None:
        verdict = check(instance, schedule)
    reported = [
        found for _, found in run.steps if begun is None or found.schedule is not begun.schedule
    ]
    better = best_reported(instance, schedule, verdict, reported, maximize=family.maximize)
    rejection = ""
    if better is not None:
        rejection = rejection_reason(verdict, better[1])
        schedule, verdict = better
        outcome = replace(outcome, schedule=schedule, value=None, status=SolutionStatus.FEASIBLE)
    if schedule is not None:
        schedule = family.claimed(replace(schedule, seed=seed), verdict)
    own, least = outcome.bound, float(first.value)
    return Answer(
        instance=instance,
        method=method,
        seed=seed,
        outcome=outcome,
        schedule=schedule,
        verdict=verdict,
        bound=own if own and family.better(first.value, own.value) else first,
        seconds=run.seconds,
        trajectory=tuple(
            (when, found.value, family.tighter(found.bound, least)) for when, found in run.steps
        ),
        rejection=rejection,
        claim=claim,
    )
