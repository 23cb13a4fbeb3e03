"""The timeline of a `reserved` schedule: workers by machine and slot."""

from collections.abc import Mapping
from typing import Any

from ...instances.reserved.instance import ReservedInstance, ReservedRing
from ..check.reserved.holdings import holdings_of
from ..check.reserved.judge import ReservedVerdict
from ..drawing.shapes import number
from .slots import Held, SlotTimeline


class ReservedTimeline(SlotTimeline):
    """Rings are at work, or never."""

    instance: ReservedInstance
    verdict: ReservedVerdict
    objective = "gain"
    with_plan = "at work"
    without = "never at work"
    holdings = holdings_of
    rate = "progress per slot"

    @property
    def worth(self) -> Mapping[str, Any]:
        """The gains of the rings."""
        return self.verdict.gains

    def pace(self, job: ReservedRing, held: Held) -> tuple[float, str]:
        """Return the progress of all workers."""
        workers = sum(workers for workers, _ in held.values())
        where = "contention: none, bandwidth is reserved"
        return float(job.progress_per_worker_slot * workers), where

    def about(self, job: ReservedRing) -> str:
        """Say when a ring arrives, and what it is worth."""
        return f"arrives at {job.arrival_slot}, gain {number(self.worth.get(job.name, 0))}"
