"""From `reserved` instance and schedule to the verdict."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ....instances.reserved.instance import ReservedInstance, ReservedSchedule
from ..judge import AnyVerdict, violations_of
from .holdings import holdings_of
from .rules import ALL, ReservedCase


@dataclass(frozen=True, slots=True, kw_only=True)
class ReservedVerdict(AnyVerdict):
    """Every violation, and what the schedule is worth.

    `gains` holds what the progress of each ring with a plan is worth; it counts workers from the
    ring's arrival to the horizon only.
    """

    gains: Mapping[str, Fraction]

    @property
    def objective(self) -> Fraction:
        """The sum of the gains."""
        return sum(self.gains.values(), Fraction(0))


def check_reserved(instance: ReservedInstance, schedule: ReservedSchedule) -> ReservedVerdict:
    """Check a schedule against its instance, recomputing everything from the raw data.

    The judge goes on after a violation: what counts is the first plan of every ring and its
    first entry for a slot, whatever is wrong elsewhere.
    """
    holdings = holdings_of(instance, schedule)
    gains = {h.job.name: Fraction(h.job.worth(max(0, h.worker_slots(instance)))) for h in holdings}
    case = ReservedCase(instance=instance, schedule=schedule, holdings=holdings, gains=gains)
    return ReservedVerdict(
        violations=violations_of(case, ALL),
        gains=gains,
    )
