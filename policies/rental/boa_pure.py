"""BOA with one whole width for all jobs of a type, epoch by epoch: good, not always the best.

It is the best plan of two widths rounded down, then improved.
Budget is left where the width of the class with two is rounded down. It goes where a GPU more
saves most for what it takes; then one class may give up a few for another to take some. The
optimum is a multiple-choice knapsack, for which there is a program.
"""

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from ...instances import NO_LIMITS, Limits, Outcome, RentalInstance, TerminationReason
from ...instances.speedup import MOST_GPUS
from ..request import NO_OPTIONS, NoOptions, Request
from .boa import stalls
from .dual import SLACK, solve_budget, use_of
from .plan import RentalSolution, answer, steady, thrifty
from .streams import Floats, Ints, Streams, streams_of

MOST_MOVES = 1000
"""Each is better than the one before; more are never worth it."""

REACH = 8
"""GPUs by which a class changes in a move, at most; fewer where there are many classes."""

MOST_PAIRS = 4_000_000
"""Pairs of steps looked at together."""


class _Steps(NamedTuple):
    """Other widths of classes, with what each saves in time, weighted, and takes of GPUs."""

    classes: Ints
    widths: Floats
    saves: Floats
    takes: Floats


def solve_pure(streams: Streams, budget: float, limits: Limits = NO_LIMITS) -> Floats | None:
    """Return good whole widths by class that spend at most `budget`; None if there are none.

    Once the time is up they are not improved any more.
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
    """Return the widths next to those of the classes, above or below."""
    size = len(before)
    reach = max(1, min(REACH, int(MOST_PAIRS**0.5) // size))
    after = np.clip(before + sign * np.arange(1, reach + 1)[:, None], 1, MOST_GPUS)
    (h, z), (new_h, new_z) = use_of(streams, before), use_of(streams, after)
    saves = streams.load * streams.weight * (h - new_h)
    takes = streams.load * (new_z - z)
    classes = np.tile(np.arange(size), reach)
    return _Steps(classes, after.ravel(), saves.ravel(), takes.ravel())


def _best_alone(up: _Steps, spare: float) -> tuple[int, ...]:
    """Return the step that saves most for what it takes, if that is left."""
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


def refuses(instance: RentalInstance, _: NoOptions = NO_OPTIONS) -> str | None:
    """Say why widths cannot be chosen epoch by epoch, or None if they can."""
    return "jobs stand still when their GPUs change: take boa-resize" if stalls(instance) else None


def run(instance: RentalInstance, request: Request[NoOptions]) -> Outcome:
    """Return the plan, less improved if the time is up before; nothing is random."""
    streams = streams_of(instance, whole=True)

    def solve(budget: float) -> RentalSolution | None:
        widths = solve_pure(streams, budget, request.limits)
        if widths is None:
            return None
        return RentalSolution([[steady(1.0, widths[own])] for own in streams.by_type()])

    outcome = answer(instance, "boa-pure", solve, partial(thrifty, instance, whole=True))
    return (
        replace(outcome, termination=TerminationReason.TIME_LIMIT)
        if request.limits.over()
        else outcome
    )
