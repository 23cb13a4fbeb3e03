"""When the flows of a plan end."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from heapq import heappop, heappush

from ....instances.transfers.instance import TransfersInstance
from ....instances.transfers.schedule import Sharing
from .parcels import Parcel, ParcelFlow, Rank
from .sharing import RULES


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
