"""BOA: every job starts at once, with a width of its type and epoch, best for the budget.

With fractional GPUs a type has one width by epoch. With whole GPUs at most one epoch of one type
has two, and each of its jobs gets one of them at random. If a change of width costs time, and jobs
have several epochs, the changes are chosen with the widths.

`boa-pure` has one whole width for all jobs of a type, epoch by epoch: good, not always the best. It
rounds the best plan of two widths down, which leaves budget, and improves it. Budget goes where one
more GPU saves most per unit of budget. Afterwards one class may give up a few GPUs to another. The
optimum is a multiple-choice knapsack, for which there is a program.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np

from ...instances import NO_LIMITS, Incumbent, Limits, Outcome, RentalInstance, RentalPlan
from ...instances.speedup import MOST_GPUS, MostGpus
from ..request import NO_OPTIONS, NoOptions, Request, Scheduler, outcome_of, termination_of
from .dual import SLACK, Floats, Ints, Streams, solve_budget, streams_of, use_of
from .plan import (
    RentalSolution,
    Rented,
    answer,
    changing_widths,
    priced_shares,
    random_widths,
    steady,
    thrifty,
    worth_more,
    worth_of,
)
from .resize import Resizer


def stalls(instance: Rented) -> bool:
    """Return True if a job may have to stand still for a width that is better in another epoch."""
    return instance.rescale_s > 0 and any(len(one.epochs) > 1 for one in instance.types)


def run_boa(instance: RentalInstance, request: Request[NoOptions]) -> Outcome:
    """Return the best plan (deterministic)."""
    if stalls(instance):
        return resized(instance, request, "boa")
    solve = partial(priced_shares, streams_of(instance), random_widths)
    return answer(instance, "boa", solve, partial(thrifty, instance))


BOA = Scheduler(run=run_boa)


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegerOptions:
    """Split of the work."""

    split: Annotated[
        Literal["random", "within"],
        "random: each job draws one of the widths, within: it uses them in sequence",
    ] = "random"


def integer_refuses(instance: Rented, options: Any, instead: str = "boa-resize") -> str | None:
    """Return why widths cannot be chosen epoch by epoch, or None if they can."""
    if stalls(instance):
        return f"jobs pause when their GPUs change: use {instead}"
    if options.split == "within" and instance.rescale_s > 0:
        return "jobs pause when their GPUs change: use split=random"
    return None


def run_integer(instance: RentalInstance, request: Request[IntegerOptions]) -> Outcome:
    """Return the best plan of whole widths (deterministic, except for the jobs' widths)."""
    share = changing_widths if request.options.split == "within" else random_widths
    solve = partial(priced_shares, streams_of(instance, whole=True), share)
    return answer(instance, "boa-integer", solve, partial(thrifty, instance, whole=True))


BOA_INTEGER = Scheduler(run=run_integer, Options=IntegerOptions, refuses=integer_refuses)


MOST_MOVES = 1000
"""Each move improves on the one before. More never pay off."""

REACH = 8
"""Most GPUs by which a class changes in a move. Fewer if there are many classes."""

MOST_PAIRS = 4_000_000
"""Pairs of steps looked at together."""


class _Steps(NamedTuple):
    """Alternative widths of classes, with the weighted time that each saves and its GPUs."""

    classes: Ints
    widths: Floats
    saves: Floats
    takes: Floats


def solve_pure(streams: Streams, budget: float, limits: Limits = NO_LIMITS) -> Floats | None:
    """Return good whole widths by class that spend at most `budget`, or None if there are none.

    Once the time is up they are not improved further.
    """
    priced = solve_budget(streams, budget)
    if priced is None:
        return None
    widths, spare = priced.low.copy(), budget * (1 + SLACK)
    spare -= float(streams.load @ use_of(streams, widths)[1])
    for _ in range(MOST_MOVES):
        if limits.over():
            break
        up, down = _steps(streams, widths, 1), _steps(streams, widths, -1)
        move = _best_alone(up, spare) or _best_swap(up, down, spare, limits)
        if not move:
            break
        for steps, one in zip((up, down), move, strict=False):
            widths[steps.classes[one]] = steps.widths[one]
            spare -= float(steps.takes[one])
    return widths


def _steps(streams: Streams, before: Floats, sign: int) -> _Steps:
    """Return the widths next to the current ones, above or below."""
    size = len(before)
    reach = max(1, min(REACH, int(MOST_PAIRS**0.5) // size))
    after = np.clip(before + sign * np.arange(1, reach + 1)[:, None], 1, MOST_GPUS)
    (h, z), (new_h, new_z) = use_of(streams, before), use_of(streams, after)
    saves = streams.load * streams.weight * (h - new_h)
    takes = streams.load * (new_z - z)
    classes = np.tile(np.arange(size), reach)
    return _Steps(classes, after.ravel(), saves.ravel(), takes.ravel())


def _best_alone(up: _Steps, spare: float) -> tuple[int, ...]:
    """Return the affordable step that saves most per unit of budget."""
    fits = (up.saves > 0) & (up.takes <= spare)
    worth = np.where(fits, up.saves / np.maximum(up.takes, 1e-300), 0)
    best = int(worth.argmax())
    return (best,) if worth[best] > 0 else ()


def _best_swap(up: _Steps, down: _Steps, spare: float, limits: Limits) -> tuple[int, ...]:
    """Return the step up and the step down that save most together, if any two save time."""
    best, found = max(0.0, SLACK * up.saves.max()), tuple[int, ...]()
    rows = max(1, MOST_PAIRS // len(down.saves))
    for start in range(0, len(up.saves), rows):
        if limits.over():
            break
        classes, _, saves, takes = (field[start : start + rows, None] for field in up)
        fits = (takes + down.takes <= spare) & (classes != down.classes)
        both = np.where(fits, saves + down.saves, 0)
        more, less = np.unravel_index(both.argmax(), both.shape)
        if both[more, less] > best:
            best, found = float(both[more, less]), (start + int(more), int(less))
    return found


def pure_refuses(instance: RentalInstance, _: NoOptions = NO_OPTIONS) -> str | None:
    """Return why widths cannot be chosen epoch by epoch, or None if they can."""
    return "jobs pause when their GPUs change: use boa-resize" if stalls(instance) else None


def run_pure(instance: RentalInstance, request: Request[NoOptions]) -> Outcome:
    """Return the plan, less improved if the time is up (deterministic)."""
    streams = streams_of(instance, whole=True)

    def solve(budget: float) -> RentalSolution | None:
        widths = solve_pure(streams, budget, request.limits)
        if widths is None:
            return None
        return RentalSolution([[steady(1.0, widths[own])] for own in streams.by_type()])

    outcome = answer(instance, "boa-pure", solve, partial(thrifty, instance, whole=True))
    return replace(outcome, termination=termination_of(request.limits))


BOA_PURE = Scheduler(run=run_pure, refuses=pure_refuses)


def run_resize(instance: RentalInstance, request: Request[NoOptions]) -> Outcome:
    """Return the best plan, or one near it if the time is up (deterministic)."""
    return resized(instance, request, "boa-resize")


BOA_RESIZE = Scheduler(run=run_resize)


def resized(instance: RentalInstance, request: Request[NoOptions], method: str) -> Outcome:
    """Return the plan under the name of a method. It is no worse than any static one.

    The best static plan is reported first, and returned if no plan is better.
    """
    limits, static = request.limits, _best_static(instance, request)
    if static is not None:
        plan = replace(static.plan, method=method)
        limits.report(Incumbent(schedule=plan, value=float(static.jct)))
    resizer = Resizer(streams_of(instance), float(instance.rescale_s) / 3600)

    def solve(budget: float) -> RentalSolution | None:
        found = resizer.best(budget, limits)
        return found and RentalSolution(found.shares, worth_more(found.gain_h))

    outcome = answer(instance, method, solve, partial(thrifty, instance))
    own = outcome.schedule
    if static is not None and (own is None or worth_of(instance, own).mean_jct > static.jct):
        note = f"no better plan was found than the plan of {static.plan.method}"
        outcome = outcome_of(plan, note=note)
    return replace(outcome, termination=termination_of(limits))


class _Static(NamedTuple):
    """A plan in which no width changes, with its mean completion time."""

    jct: Fraction
    plan: RentalPlan


def _best_static(instance: RentalInstance, request: Request[NoOptions]) -> _Static | None:
    """Return the best plan of the methods that change no width, if changes cost anything."""
    if not instance.rescale_s:
        return None
    widest = Request(limits=request.limits, options=EqualWidthOptions())
    found = run_equal_width(instance, widest), run_as_asked(instance, request)
    plans = (one.schedule for one in found if one.schedule is not None)
    worths = (_Static(worth_of(instance, plan).mean_jct, plan) for plan in plans)
    return min(worths, key=lambda one: one.jct, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class EqualWidthOptions:
    """The width."""

    gpus: Annotated[MostGpus | None, "GPUs of every job, or null for the most affordable"] = None


def equal_width_refuses(instance: RentalInstance, options: EqualWidthOptions) -> str | None:
    """Return why jobs cannot have that many GPUs, or None if they can."""
    gpus = options.gpus
    if gpus is not None and instance.widths == "whole" and gpus % 1:
        return f"gpus={gpus} is not whole, but this instance requires whole widths"
    return None


def run_equal_width(instance: RentalInstance, request: Request[EqualWidthOptions]) -> Outcome:
    """Return the plan (deterministic). Once the time is up the width is not refined."""
    streams = streams_of(instance)
    given = None if request.options.gpus is None else float(request.options.gpus)

    def solve(budget: float) -> RentalSolution | None:
        width = _widest(streams, budget, request.limits) if given is None else given
        return None if width is None else alike(width)

    def alike(width: float) -> RentalSolution:
        return RentalSolution([[steady(1.0, [width] * len(own))] for own in streams.by_type()])

    one_each = partial(alike, 1.0) if given is None else None
    outcome = answer(instance, "equal-width", solve, one_each)
    return replace(outcome, termination=termination_of(request.limits))


EQUAL_WIDTH = Scheduler(run=run_equal_width, Options=EqualWidthOptions, refuses=equal_width_refuses)


def _widest(streams: Streams, budget: float, limits: Limits) -> float | None:
    """Return the width of jobs that spends the budget, or None if one GPU each is too much.

    Once the time is up it is a smaller one.
    """
    if _spend(streams, 1.0) > budget * (1 + SLACK):
        return None
    low, high = 1.0, float(MOST_GPUS)
    within = budget * (1 + SLACK) if streams.whole else budget
    if _spend(streams, high) <= within:
        return high
    while not limits.over():
        middle = (low + high) // 2 if streams.whole else (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if _spend(streams, middle) <= within else (low, middle)
    return low


def _spend(streams: Streams, width: float) -> float:
    return float(streams.load @ use_of(streams, np.full(len(streams.load), width))[1])


def run_as_asked(instance: RentalInstance, request: Request[NoOptions]) -> Outcome:
    """Return the plan if the budget is sufficient (deterministic)."""
    shares = [
        [steady(1.0, [min(float(one.asks), MOST_GPUS)] * len(one.epochs))] for one in instance.types
    ]
    return answer(instance, "as-asked", lambda _budget: RentalSolution(shares))


AS_ASKED = Scheduler(run=run_as_asked)
