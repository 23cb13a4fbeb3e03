"""From `transfers` instance and plan to the verdict."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ....instances.transfers.instance import TransferPlan, TransfersInstance
from ..judge import AnyVerdict, violations_of
from .parcels import parcels_of
from .replay import ends_of, story_of
from .rules import ALL, TransfersCase


@dataclass(frozen=True, slots=True, kw_only=True)
class TransfersVerdict(AnyVerdict):
    """Every violation, and when each update is applied."""

    applied: Mapping[str, Fraction]
    """Moments in seconds, in the order of applying; updates that never are applied are missing."""
    dropped: tuple[str, ...]
    value: Fraction
    """What the goal makes of the moments; an update that never is applied counts as dropped."""
    spread: Fraction
    """Most that the norms of updates add up to that only the server has."""

    @property
    def objective(self) -> Fraction | None:
        """The value."""
        return self.value


def check_transfers(instance: TransfersInstance, plan: TransferPlan) -> TransfersVerdict:
    """Check a plan against its instance, recomputing everything from the raw data.

    The judge goes on after a violation. What counts is the first mention of every known update.
    A copy without a replica is not sent; where `via` is no aggregator, a single update goes
    directly, and several become one at the server. Late and stale updates are applied all the
    same. The instance must be one that the reader accepts.
    """
    parcels = parcels_of(instance, plan)
    story = story_of(instance, parcels, ends_of(instance, parcels, plan.sharing))
    applied = {one.name: it.moment for it in story.applied for one in it.parcel.members}
    value = _value(instance, applied)
    case = TransfersCase(
        instance=instance, schedule=plan, parcels=parcels, story=story, value=value
    )
    sent = {one.name for parcel in parcels for one in parcel.members}
    return TransfersVerdict(
        violations=violations_of(case, ALL),
        applied=applied,
        dropped=tuple(one.name for one in instance.updates if one.name not in sent),
        value=value,
        spread=story.spread,
    )


def _value(instance: TransfersInstance, applied: Mapping[str, Fraction]) -> Fraction:
    drop = Fraction(instance.drop_s)
    counts = [applied.get(one.name, drop) for one in instance.updates]
    return max(counts) if instance.goal == "last" else sum(counts, Fraction(0)) / len(counts)
