"""Run a scheduler with the largest target that the budget of the path allows, in hindsight.

A budget holds on average, but a path is finite: a scheduler's spend differs from its target. To
compare schedulers at equal spend, each is simulated with several targets, and the largest one
within the budget is used.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...instances import FleetInstance, Limits, Outcome, RentalPlan, TerminationReason
from ...interrupts import heard
from ...simulation.fleet import (
    MILLI,
    FleetDecider,
    FleetResult,
    JobStream,
    Reviser,
    simulate,
    simulate_decider,
    stream_of,
    to_log,
)
from ...simulation.fleet.simulate import StandstillError
from ..request import Request, outcome_of

STEPS, ROUNDS = 16, 9
"""Steps from the budget down until a target fits, and bisections from there back up.

Spend need not rise with the target: if whole nodes are paid for, long jobs on one GPU each may cost
more than on all GPUs of their nodes. A target that does not fit proves nothing about larger ones.
"""

FINEST = Fraction(1, STEPS * 2**ROUNDS)
"""The part of the budget by which the largest target that fits may be missed."""

Scheduler = RentalPlan | Reviser | FleetDecider
Make = Callable[[Fraction], Scheduler | None]
Simple = Iterable[tuple[str, Callable[[], Scheduler]]]


def serve(
    instance: FleetInstance, request: Request[Any], name: str, make: Make, simple: Simple = ()
) -> Outcome:
    """Return the log of the scheduler for the largest target that fits, at most the budget.

    `make` receives a target in average GPUs, and returns None if it is too small. If no target
    fits, the first fitting scheduler of `simple` is used. Each has a note and a factory. An
    interrupt ends the search, and the best target so far is simulated.
    """
    stream, order = stream_of(instance)
    search = _BudgetSearch(instance, stream, int(request.rng.integers(2**31)), request.limits)
    search.run(make, simple)
    scheduler = None if search.best is None else search.best()
    if scheduler is None:
        return _nothing(instance, search)
    played = run_of(stream, scheduler, search.seed, Limits(), keep=True)
    if spend(instance, played) > instance.budget:  # Once the time is up it decides differently.
        return _nothing(instance, search)
    log = to_log(instance, order, played, name)
    return outcome_of(log, search.termination, search.note, value=played.mean_jct)


@dataclass(slots=True)
class _BudgetSearch:
    """The function that made the last scheduler that fits, the last spend, and why it ended."""

    instance: FleetInstance
    stream: JobStream
    seed: int
    limits: Limits
    best: Callable[[], Scheduler | None] | None = None
    note: str = ""
    paid: Fraction | None = None
    standstill: str = ""
    termination: TerminationReason = TerminationReason.DONE

    def run(self, make: Make, simple: Simple) -> None:
        """Search the largest target, else the first simple scheduler. The time may be up."""
        try:
            self._targets(make)
            for note, made in simple:
                if self.best is not None or self.termination is not TerminationReason.DONE:
                    break
                self._fits(made, note if self.paid is None else f"no target fits; {note}")
        except KeyboardInterrupt:
            heard()
            self.termination = TerminationReason.INTERRUPTED

    def _targets(self, make: Make) -> None:
        """Simulate one target after another and keep the last that fits."""

        def fits(target: Fraction) -> bool | None:
            return self._fits(lambda: make(target), f"made for {float(target):.6g} GPUs on average")

        budget = Fraction(self.instance.budget_gpus)
        try_targets(budget, fits, lambda: self.termination is not TerminationReason.DONE)

    def _fits(self, made: Callable[[], Scheduler | None], note: str) -> bool | None:
        """Simulate a scheduler, and keep it if it fits. Return None if there is no scheduler."""
        scheduler = made()
        if scheduler is None:
            return None
        try:
            played = run_of(self.stream, scheduler, self.seed, self.limits, keep=False)
        except StandstillError as error:
            self.standstill = str(error)
            return False
        if not played.finished or self.limits.over():
            self.termination = TerminationReason.TIME_LIMIT
        if not (played.finished and played.countable):
            return False
        self.paid = spend(self.instance, played)
        if self.paid > self.instance.budget:
            return False
        # Keep the plan: a new one, made after the time is up, could differ.
        self.best = (lambda: scheduler) if isinstance(scheduler, RentalPlan) else made
        self.note = note
        return True


def try_targets(
    budget: Fraction, fits: Callable[[Fraction], bool | None], over: Callable[[], bool]
) -> None:
    """Step down from a budget until a target fits, then bisect the step above it.

    `fits` returns None for a target that is too small. If no target fits, the step below the
    smallest too expensive target is bisected, because a target between the two ranges may fit. The
    last target that fits is the largest. `over` ends the search.
    """
    step, dear = budget / STEPS, budget + budget / STEPS
    for target in (budget - k * step for k in range(STEPS)):
        found = fits(target)
        if found or over():
            break
        dear = target if found is False else dear
    if dear > budget:
        return
    low = dear - step
    for _ in range(ROUNDS):
        step /= 2
        if over():
            break
        low += 0 if fits(low + step) is False else step


def _nothing(instance: FleetInstance, found: _BudgetSearch) -> Outcome:
    """Return the outcome of a search without a fitting target."""
    if found.termination is not TerminationReason.DONE:
        return outcome_of(None, found.termination)
    note = "it finds no schedule within the budget"
    if found.paid is not None:
        note += f": it spends {float(found.paid):.2f} of {float(instance.budget):.2f}"
    elif found.standstill:
        note += f": {found.standstill}"
    return outcome_of(None, note=note)


def run_of(
    stream: JobStream, scheduler: Scheduler, seed: int, limits: Limits, *, keep: bool
) -> FleetResult:
    """Play any sort of scheduler on a stream."""
    if isinstance(scheduler, FleetDecider):
        return simulate_decider(stream, scheduler, limits=limits, keep=keep)
    return simulate(stream, scheduler, seed=seed, limits=limits, keep=keep)


def spend(instance: FleetInstance, played: FleetResult) -> Fraction:
    """Return the cost of all leases."""
    hours = Fraction(played.paid, MILLI) * Fraction(instance.tick_s) / 3600
    return hours * Fraction(instance.price_per_gpu_h)
