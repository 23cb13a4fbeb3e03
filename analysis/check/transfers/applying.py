"""When the server applies what arrives: first come, first served, and only what it may."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush

from ....instances.transfers.instance import TransfersInstance
from .parcels import Parcel, Rank


@dataclass(frozen=True, slots=True, kw_only=True)
class AppliedParcel:
    """A parcel and when it is applied, with `before` updates applied before it."""

    parcel: Parcel
    moment: Fraction
    before: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What is applied, in order.

    `stuck` is a parcel that never is, and `excess` by what it would take the norms of updates that
    only the server has over their limit. What comes behind it is never applied either. `spread` is
    the most that these norms add up to.
    """

    applied: tuple[AppliedParcel, ...]
    spread: Fraction
    stuck: Parcel | None = None
    excess: Fraction = Fraction(0)


def story_of(
    instance: TransfersInstance, parcels: Sequence[Parcel], ends: Mapping[Rank, Fraction]
) -> Story:
    """Apply parcels in the order in which they arrive; among equals, in that of the plan."""
    most = instance.divergence
    applied: list[AppliedParcel] = []
    copies: list[tuple[Fraction, Fraction]] = []
    now = alone = spread = Fraction(0)
    before = 0
    for parcel in sorted(parcels, key=lambda one: (ends[one.deliver[0].rank], one.send)):
        now = max(now, ends[parcel.deliver[0].rank])
        alone += parcel.norm
        for copy in parcel.deliver[1:]:
            heappush(copies, (ends[copy.rank], parcel.norm))
        while True:
            while copies and copies[0][0] <= now:
                alone -= heappop(copies)[1]
            if most is None or alone <= most:
                break
            if not copies:
                excess = alone - Fraction(most)
                return Story(applied=tuple(applied), spread=spread, stuck=parcel, excess=excess)
            now = copies[0][0]
        spread = max(spread, alone)
        applied.append(AppliedParcel(parcel=parcel, moment=now, before=before))
        before += len(parcel.members)
    return Story(applied=tuple(applied), spread=spread)
