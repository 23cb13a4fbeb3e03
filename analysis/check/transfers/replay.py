"""When the flows of a plan end, and when the server applies what arrives."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush

from ....instances.transfers.instance import Hop, Sharing, TransfersInstance
from ..fair import max_min_rates
from .parcels import Parcel, ParcelFlow, Rank

Rates = dict[ParcelFlow, Fraction]
Rule = Callable[[Sequence[ParcelFlow], Mapping[Hop, Fraction]], Rates]


def in_order(flows: Sequence[ParcelFlow], bandwidth: Mapping[Hop, Fraction]) -> Rates:
    """Give each flow in turn the least that the others before it leave on its way."""
    free, rates = dict(bandwidth), Rates()
    for flow in sorted(flows, key=lambda flow: flow.rank):
        rate = min(free[hop] for hop in flow.way)
        if rate:
            rates[flow] = rate
            for hop in flow.way:
                free[hop] -= rate
    return rates


def alike(flows: Sequence[ParcelFlow], bandwidth: Mapping[Hop, Fraction]) -> Rates:
    """Give max-min fair rates; all flows on the same way get the same."""
    return max_min_rates({flow: flow.way for flow in flows}, bandwidth)


RULES: dict[Sharing, Rule] = {"ordered": in_order, "fair": alike}
"""By the `sharing` of a plan. Flows without a rate stand still."""


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


def ends_of(
    instance: TransfersInstance, parcels: Sequence[Parcel], sharing: Sharing
) -> dict[Rank, Fraction]:
    """Return the moment at which each flow ends; all do."""
    replay, share, bandwidth = _Replay(parcels), RULES[sharing], instance.hops
    while replay.start():
        replay.advance(share(list(replay.left), bandwidth))
    return replay.ends


class _Replay:
    """Flows to come, flows under way with what is left of them, and the ends of the others."""

    def __init__(self, parcels: Sequence[Parcel]) -> None:
        self._parcels = {parcel.send: parcel for parcel in parcels}
        self._gathering = {parcel.send: len(parcel.gather) for parcel in parcels}
        self._now = Fraction(0)
        self._coming: list[tuple[Fraction, Rank, ParcelFlow]] = []
        self.left: dict[ParcelFlow, Fraction] = {}
        self.ends: dict[Rank, Fraction] = {}
        for parcel in parcels:
            for update, flow in zip(parcel.members, parcel.gather or parcel.deliver, strict=False):
                self._come(Fraction(update.ready_s), flow)
            if not parcel.gather:
                for flow in parcel.deliver[1:]:
                    self._come(Fraction(parcel.members[0].ready_s), flow)

    def start(self) -> bool:
        """Start what is due, going on to the next start if nothing is under way; say if any is."""
        while self._coming and (not self.left or self._coming[0][0] <= self._now):
            start, _, flow = heappop(self._coming)
            self._now = max(self._now, start)
            if flow.way:
                self.left[flow] = flow.size
            else:
                self._end(flow)
        return bool(self.left)

    def advance(self, rates: Mapping[ParcelFlow, Fraction]) -> None:
        """Go on to the next start or end."""
        step = min(self.left[flow] / rate for flow, rate in rates.items())
        if self._coming:
            step = min(step, self._coming[0][0] - self._now)
        self._now += step
        for flow, rate in rates.items():
            self.left[flow] -= rate * step
            if not self.left[flow]:
                del self.left[flow]
                self._end(flow)

    def _end(self, flow: ParcelFlow) -> None:
        self.ends[flow.rank] = self._now
        parcel = self._parcels[flow.rank[0]]
        if flow.rank[1] < len(parcel.gather):
            self._gathering[parcel.send] -= 1
            if not self._gathering[parcel.send]:
                for after in parcel.deliver:
                    self._come(self._now, after)

    def _come(self, start: Fraction, flow: ParcelFlow) -> None:
        heappush(self._coming, (start, flow.rank, flow))
