"""Faulty methods under names of their own, for tests of whatever should notice them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
from numpy.random import Generator

from ringyard.families import FAMILIES
from ringyard.instances import (
    BoundKind,
    Limits,
    MakespanInstance,
    Outcome,
    RefusedError,
    ServerUplink,
    SolutionStatus,
    TerminationReason,
    digest,
)
from ringyard.methods import Method
from ringyard.policies.makespan import gang_lpt
from ringyard.policies.request import Request
from ringyard.search.makespan.exact.enumeration import enumerate_best
from ringyard.simulation import to_schedule
from ringyard.simulation.makespan.alone import in_turn

Run = Callable[[MakespanInstance, Limits, Generator], Outcome]


@dataclass(frozen=True, kw_only=True)
class Injected(Method):
    """A method whose code is a function at hand instead of a module."""

    code: Run

    def _load(self) -> SimpleNamespace:
        return SimpleNamespace(run=self.code)


def inject(monkeypatch: pytest.MonkeyPatch, kind: str = "makespan", **codes: Run) -> None:
    """Let methods of these names be known until the test ends."""
    rows = [
        Injected(name=name, family=kind, kind="test", module="", about="", source="", code=code)
        for name, code in codes.items()
    ]
    change(monkeypatch, kind, methods=(*FAMILIES[kind].methods, *rows))


def change(monkeypatch: pytest.MonkeyPatch, kind: str, **fields: object) -> None:
    """Let fields of a family's record have other values until the test ends."""
    held = vars(FAMILIES[kind])
    for name, value in fields.items():
        monkeypatch.setitem(held, name if name in held else f"_{name}", value)


def early(instance: MakespanInstance, request: Request[Any]) -> Outcome:
    """Forget releases: schedules start too early."""
    at_once = tuple(replace(job, release_slot=Decimal(0)) for job in instance.jobs)
    return _best_of(replace(instance, jobs=at_once), instance, request.limits)


def blind(instance: MakespanInstance, request: Request[Any]) -> Outcome:
    """Believe that rings never collide."""
    apart = ServerUplink(share=Decimal("0.001"))
    return _best_of(replace(instance, contention=apart), instance, request.limits)


def _best_of(other: MakespanInstance, instance: MakespanInstance, limits: Limits) -> Outcome:
    outcome = enumerate_best(other, limits)
    return replace(outcome, schedule=replace(outcome.schedule, digest=digest(instance)))


def pessimist(instance: MakespanInstance, request: Request[Any]) -> Outcome:
    """Claim a bound above the optimum where there are two jobs or more, and no schedule."""
    outcome = enumerate_best(instance, replace(request.limits, watch=None))
    bound = replace(outcome.bound, kind=BoundKind.SEARCHED)
    if len(instance.jobs) > 1:
        bound = replace(bound, value=bound.value + 1)
    return replace(outcome, schedule=None, status=SolutionStatus.NOTHING, value=None, bound=bound)


def boaster(instance: MakespanInstance, request: Request[Any]) -> Outcome:
    """Call the schedule of a simple policy optimal."""
    return replace(gang_lpt.run(instance, request), status=SolutionStatus.OPTIMAL)


def fragile(instance: MakespanInstance, request: Request[Any]) -> Outcome:
    """Crash on three jobs or more."""
    if len(instance.jobs) > 2:
        raise ZeroDivisionError("no third job expected")
    return enumerate_best(instance, request.limits)


def halted(instance: MakespanInstance, request: Request[Any]) -> Outcome:
    """Claim nonsense on three jobs or more, and be interrupted on two of them."""
    if len(instance.jobs) == 2:
        raise KeyboardInterrupt
    return pessimist(instance, request)


def behind(instance: MakespanInstance, request: Request[Any]) -> Outcome:
    """Run the jobs one after the other, however many servers there are."""
    schedule = to_schedule(instance, in_turn(instance), "behind")
    return Outcome(
        schedule=schedule, termination=TerminationReason.DONE, status=SolutionStatus.FEASIBLE
    )


def refusing(instance: MakespanInstance, request: Request[Any]) -> Outcome:
    """Refuse what others answer."""
    raise RefusedError(f"{instance.name} is not to its taste")
