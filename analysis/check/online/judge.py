"""From `online` instance and schedule to the verdict."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ....instances.online.instance import OnlineInstance, OnlineSchedule
from ..judge import AnyVerdict, violations_of
from .holdings import holdings_of
from .rules import ALL, OnlineCase


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineVerdict(AnyVerdict):
    """Every violation, and what the schedule is worth.

    `completions` holds the last working slot of every admitted job that goes through all its
    samples, and `utilities` what it is worth; other jobs are worth nothing.
    """

    completions: Mapping[str, int]
    utilities: Mapping[str, Fraction]

    @property
    def objective(self) -> Fraction:
        """The sum of the utilities."""
        return sum(self.utilities.values(), Fraction(0))


def check_online(instance: OnlineInstance, schedule: OnlineSchedule) -> OnlineVerdict:
    """Check a schedule against its instance, recomputing everything from the raw data.

    The judge goes on after a violation: what counts is the first admission of every job and
    its first entry for a slot, whatever is wrong elsewhere.
    """
    holdings = holdings_of(instance, schedule)
    done = [h for h in holdings if h.done(instance) >= h.job.work]
    completions = {h.job.name: h.last for h in done}
    utilities = {
        h.job.name: Fraction(h.job.utility.at(max(0, h.last - h.job.arrival_slot))) for h in done
    }
    case = OnlineCase(instance=instance, schedule=schedule, holdings=holdings, utilities=utilities)
    return OnlineVerdict(
        violations=violations_of(case, ALL),
        completions=completions,
        utilities=utilities,
    )
