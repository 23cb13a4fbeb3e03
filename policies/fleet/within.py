"""Run a scheduler with as large a target as the budget of the path allows, in hindsight.

A budget holds on average, but a path is finite: what a scheduler spends on it differs from what it
aims at. To compare schedulers at equal spend each is played again and again with another target,
the largest of which that keeps within the budget is taken.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from numpy.random import Generator

from ...instances import FleetInstance, Left, Limits, Outcome, RentalPlan, Stop
from ...simulation.fleet import (
    MILLI,
    Decider,
    Played,
    Reviser,
    Stream,
    play,
    play_decider,
    stream_of,
    to_log,
)

STEPS, ROUNDS = 16, 9
"""Steps from the budget down until a target fits, and halvings from there back up.

Spend need not rise with the target: where whole nodes are paid for, long jobs on one GPU each may
cost more than the same jobs on all GPUs of their nodes. So what does not fit proves nothing.
"""

FINEST = Fraction(1, STEPS * 2**ROUNDS)
"""The part of the budget by which the largest target that fits may be missed."""

Scheduler = RentalPlan | Reviser | Decider
Make = Callable[[Fraction], Scheduler | None]


def serve(
    instance: FleetInstance,
    limits: Limits,
    rng: Generator,
    name: str,
    make: Make,
) -> Outcome:
    """Return the log of the scheduler made for the largest target that fits; at most the budget.

    `make` is given a target in GPUs on average, and returns None for one that is too small. An
    interrupt ends the search, and what fits by then is played.
    """
    stream, order = stream_of(instance)
    seed = int(rng.integers(2**31))
    found = _search(instance, stream, make, seed, limits)
    scheduler = None if found.target is None else make(found.target)
    if found.target is None or scheduler is None:
        return _nothing(instance, found)
    played = run_of(stream, scheduler, seed, Limits(), keep=True)
    return Outcome(
        schedule=to_log(instance, order, played, name),
        stop=found.stop,
        left=Left.FEASIBLE,
        note=f"made for {float(found.target):.6g} GPUs on average",
    )


@dataclass(slots=True)
class _Found:
    """The largest target that fits, what was spent last, and why the search ended."""

    target: Fraction | None = None
    paid: Fraction | None = None
    stop: Stop = Stop.DONE


def _search(
    instance: FleetInstance, stream: Stream, make: Make, seed: int, limits: Limits
) -> _Found:
    """Step down until a target fits, then halve the step above it; the time may be up before.

    If none fits, the last step is halved too: there may be one between those that are too small for
    any scheduler and those that cost too much.
    """
    found, budget = _Found(), Fraction(instance.budget_gpus)

    def fits(target: Fraction) -> bool | None:
        """Play a target and keep it if it fits; None if there is no scheduler for it."""
        scheduler = make(target)
        if scheduler is None:
            return None
        played = run_of(stream, scheduler, seed, limits, keep=False)
        if not played.finished or limits.over():
            found.stop = Stop.TIME_LIMIT
        if played.finished:
            found.paid = spend(instance, played)
            if found.paid <= instance.budget:
                found.target = target
        return found.target == target

    try:
        step, low = budget / STEPS, budget
        while low > 0 and found.stop is Stop.DONE and not fits(low):
            low -= step
        if low == budget:
            return found
        for _ in range(ROUNDS):
            step /= 2
            if found.stop is not Stop.DONE:
                break
            low += 0 if fits(low + step) is False else step
    except KeyboardInterrupt:
        found.stop = Stop.INTERRUPTED
    return found


def _nothing(instance: FleetInstance, found: _Found) -> Outcome:
    """Say that no target was found that fits."""
    note = "it finds nothing that the budget is enough for" if found.stop is Stop.DONE else ""
    if note and found.paid is not None:
        note += f": it spends {float(found.paid):.2f} of {float(instance.budget):.2f}"
    return Outcome(schedule=None, stop=found.stop, left=Left.NOTHING, note=note)


def run_of(
    stream: Stream, scheduler: Scheduler, seed: int, limits: Limits, *, keep: bool
) -> Played:
    """Play any sort of scheduler on a stream."""
    if isinstance(scheduler, Decider):
        return play_decider(stream, scheduler, limits=limits, keep=keep)
    return play(stream, scheduler, seed=seed, limits=limits, keep=keep)


def spend(instance: FleetInstance, played: Played) -> Fraction:
    """Return what all leases cost."""
    hours = Fraction(played.paid, MILLI) * Fraction(instance.tick_s) / 3600
    return hours * Fraction(instance.price_per_gpu_h)
