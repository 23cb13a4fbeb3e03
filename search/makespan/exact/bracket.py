"""What is known of an optimum, from below and from above, and the questions that close it.

A *question* is whether all jobs can end by slot H. From below a no raises the bound, from
above a yes gives a better schedule; with more effort from round to round.
"""

from abc import ABC, abstractmethod
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

from ....formulations.makespan.data import serial_horizon
from ....instances import (
    Bound,
    Incumbent,
    Limits,
    MakespanInstance,
    Outcome,
    Schedule,
    ServerUplink,
    SolutionStatus,
    TerminationReason,
)
from ....policies.makespan import gang_lpt
from ....policies.request import Request
from ....simulation import build_model, evaluate, to_plan
from ....simulation.makespan.alone import stuck
from .enumeration import safe_horizon, searched_bound


class Bracket(ABC):
    """The optimum is `low` or more; below `high`, or `high` itself if there is a `best`."""

    method: ClassVar[str]
    prover: ClassVar[str]
    """Who says that there is no schedule, as the subject of a sentence."""
    gives_up: ClassVar[TerminationReason]
    """Why it stopped, if it is `lost`."""

    def __init__(self, instance: MakespanInstance, limits: Limits, goal: Bound) -> None:
        """Begin with a bound, and with nothing but the horizon from above."""
        self.instance, self.limits, self.goal = instance, limits, goal
        self.model = build_model(instance)
        self.low = int(goal.value)
        self.high = 1 + (_latest(instance) if limits.horizon is None else limits.horizon)
        self.best: Schedule | None = None
        self.nodes = 0
        self.lost = ""

    @abstractmethod
    def ask(self, horizon: int, effort: float) -> bool | None:
        """Ask whether all jobs can end by `horizon`; keep what a yes gives; None leaves it open."""

    def goes_on(self) -> bool:
        """Say whether there is something to ask, and time for it."""
        near = self.best is not None and self.limits.near(self.high, self.low)
        return self.low < self.high and not near and not self.limits.over() and not self.lost

    def close(
        self,
        effort: float,
        growth: float,
        start: Schedule | None = None,
        rounds: int | None = None,
    ) -> Outcome:
        """Begin with a schedule, that of gang LPT unless given, and ask until nothing is open.

        Or until the limits are reached, or all `rounds` are done.
        """
        first = start or gang_lpt.run(self.instance, Request()).schedule
        if first is not None:
            self.keep(first, evaluate(self.model, to_plan(self.instance, first)).makespan)
        while self.goes_on() and rounds != 0:
            self._round(effort)
            effort *= growth
            rounds = None if rounds is None else rounds - 1
        return self.outcome()

    def _round(self, effort: float) -> None:
        """Ask from below until a question stays open, then from above."""
        while self.goes_on() and self.ask(self.low, effort) is False:
            self.low += 1
        while self.goes_on():
            answer = self.ask(self.high - 1, effort)
            if answer is False:
                self.low = self.high
            elif answer is None:
                return

    def keep(self, schedule: Schedule, makespan: float) -> None:
        """Keep a schedule that ends before `high`."""
        if makespan < self.high:
            self.high = int(makespan)
            self.best = replace(schedule, method=self.method)
            incumbent = Incumbent(schedule=self.best, value=float(self.high), bound=float(self.low))
            self.limits.report(incumbent)

    def outcome(self) -> Outcome:
        """Say what was found and proved."""
        bound, done = self.goal, self.low >= self.high
        if self.low > self.goal.value:
            argument = f"{self.prover} found no schedule that ends before slot {self.low}"
            value = Fraction(self.low)
            bound = searched_bound(value, self.method, argument)
        status = SolutionStatus.INFEASIBLE if done else SolutionStatus.NOTHING
        if self.best is not None:
            status = SolutionStatus.OPTIMAL if done else SolutionStatus.FEASIBLE
        termination = (
            TerminationReason.TIME_LIMIT if self.limits.over() else TerminationReason.WORK_LIMIT
        )
        return Outcome(
            schedule=self.best,
            termination=TerminationReason.DONE
            if done
            else self.gives_up
            if self.lost
            else termination,
            status=status,
            value=None if self.best is None else Fraction(self.high),
            bound=bound,
            nodes=self.nodes,
            note=self.lost
            if status is not SolutionStatus.INFEASIBLE
            else stuck(self.instance) or "",
        )


def _latest(instance: MakespanInstance) -> int:
    """Return a slot by which some schedule ends, if there is one."""
    uplink = isinstance(instance.contention, ServerUplink)
    return serial_horizon(instance) if uplink else safe_horizon(instance)
