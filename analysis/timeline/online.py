"""The timeline of an `online` schedule: workers and parameter servers by machine and slot."""

from collections.abc import Mapping
from fractions import Fraction

from ...instances.online.instance import OnlineInstance, TrainingJob
from ..check.online.holdings import holdings_of
from ..check.online.judge import OnlineVerdict
from ..drawing.shapes import number
from .slots import Held, SlotJob, SlotTimeline


class OnlineTimeline(SlotTimeline):
    """Jobs are admitted, or turned away."""

    instance: OnlineInstance
    verdict: OnlineVerdict
    objective = "utility"
    with_plan = "admitted"
    without = "turned away"
    holdings = holdings_of
    rate = "samples per slot"

    @property
    def worth(self) -> Mapping[str, Fraction]:
        """The utilities of the jobs that complete."""
        return self.verdict.utilities

    def last(self, job: SlotJob) -> str:
        """Say in which slot a job completes."""
        found = self.verdict.completions.get(job.name)
        return "never completes" if found is None else f"completes in slot {found}"

    def pace(self, job: TrainingJob, held: Held) -> tuple[float, str]:
        """Return the samples that all workers go through, by where they are."""
        inside, workers = len(held) == 1, sum(workers for workers, _ in held.values())
        where = "all inside one machine" if inside else "across machines"
        rate = float(workers * job.rate(inside, self.instance.slot_s))
        return rate, f"contention: none, {where}"

    def about(self, job: TrainingJob) -> str:
        """Say when a job arrives, and what comes of it."""
        worth = self.worth.get(job.name)
        done = "does not complete" if worth is None else f"utility {number(worth)}"
        return f"arrives at {job.arrival_slot}, {job.work:,} samples, {done}"
