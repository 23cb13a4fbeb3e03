"""The best plan so far: kept, reported to watchers, and turned into the outcome."""

from dataclasses import replace
from math import inf

from ...instances import (
    Incumbent,
    Limits,
    MakespanInstance,
    Outcome,
    Schedule,
    SolutionStatus,
    TerminationReason,
)
from ...simulation import PlacedStarts, to_schedule
from ...simulation.makespan.alone import stuck
from ..request import outcome_of

NEVER = "every schedule tried stalls because no iteration fits a slot; lengthen slot_s"
"""Why there may be no schedule although every job fits."""


class BestPlan:
    """Keeps the better of all plans it is offered."""

    def __init__(self, instance: MakespanInstance, limits: Limits, method: str) -> None:
        """Start without a plan."""
        self._instance, self._limits, self._method = instance, limits, method
        self._schedule: Schedule | None = None
        self.makespan = inf

    def offer(self, plan: PlacedStarts, makespan: float) -> None:
        """Keep `plan` if it ends before the best so far."""
        if makespan < self.makespan:
            self.makespan = makespan
            self._schedule = to_schedule(self._instance, plan, self._method)
            self._limits.report(Incumbent(schedule=self._schedule, value=makespan))

    def outcome(self, termination: TerminationReason, note: str) -> Outcome:
        """Return the best plan as a schedule, or the note if there is no plan."""
        if self._schedule is None:
            reason = stuck(self._instance)
            status = SolutionStatus.INFEASIBLE if reason else SolutionStatus.NOTHING
            return replace(outcome_of(None, termination, reason or note), status=status)
        return outcome_of(self._schedule, termination)
