"""Prices of links over time, and what sends keep of the worth of their updates at these.

All numbers are whole: of parts of a second, of a gigabyte a second, and of a price. So what a send
keeps at most is exact, whatever the prices are.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...formulations.transfers.ways import all_ways
from ...instances import TransfersInstance

UNIT = 2**24
"""Prices are whole parts of a second."""

WHOLE = 2**62
"""Up to there numbers are computed with as machines do."""

Numbers = NDArray[Any]


class Leg(NamedTuple):
    """A part of a way: its hops, how fast it is, from when it may begin, how long it takes."""

    hops: tuple[int, ...]
    rate: int
    ready: int
    takes: int


class Sender(NamedTuple):
    """What can be sent by an aggregator, or directly: legs, and last moments, by update."""

    via: str | None
    own: dict[int, Leg]
    rest: dict[int, Leg]
    dues: dict[int, int]


class WholeNumbers:
    """An instance in whole numbers, with moments before which what crosses a hop is priced."""

    def __init__(
        self, instance: TransfersInstance, by: Sequence[Fraction], starts: Sequence[Fraction]
    ) -> None:
        """Find units that make all numbers whole."""
        self.instance, self.exact_by, self.exact_starts = instance, by, starts
        ways, late = all_ways(instance), Fraction(instance.drop_s)
        self.rates = [Fraction(link.gb_s) for link in instance.links for _ in "ab"]
        dues = [
            late if one.due_s is None else min(late, Fraction(one.due_s))
            for one in instance.updates
        ]
        times = [late, *dues, *by, *starts]
        times += [one for own in ways for way in own for one in (way.ready, way.gathered)]
        times += [way.arrives for own in ways for way in own]
        self.second = lcm(*(one.denominator for one in times))
        self.gb_s = lcm(*(one.denominator for one in self.rates))
        self.last = int(max(times) * self.second)
        kind: Any = np.int64 if 4 * self.last < WHOLE else object
        self.by, self.starts = np.array(self._whole(by), kind), np.array(self._whole(starts), kind)
        self.senders = [Sender(via, {}, {}, {}) for via in (None, *instance.aggregators)]
        at = {sender.via: sender for sender in self.senders}
        for i, own in enumerate(ways):
            for way in own:
                moments = self._whole((way.ready, way.gathered, way.arrives))
                at[way.via].own[i] = self._leg(way.own, *moments[:2])
                at[way.via].rest[i] = self._leg(way.rest, *moments[1:])
                at[way.via].dues[i] = int(dues[i] * self.second)

    def _whole(self, times: Sequence[Fraction]) -> list[int]:
        return [int(one * self.second) for one in times]

    def _leg(self, hops: tuple[int, ...], start: int, stop: int) -> Leg:
        rate = min((self.rates[hop] for hop in hops), default=Fraction(0))
        return Leg(hops, int(rate * self.gb_s), start, stop - start)


class LinkTariff:
    """Prices by hop, start and moment, and what each update is worth."""

    def __init__(self, scale: WholeNumbers, hops: Numbers, worths: Sequence[int]) -> None:
        """Put everything into one unit, the product of those of time, bandwidth and price.

        Prices are Python's integers, since duals have no largest value.
        """
        self.scale, second, gb_s = scale, scale.second, scale.gb_s
        most = (1 + int(hops.sum())) * int(max(scale.rates) * gb_s) * scale.last
        most += len(worths) * UNIT * scale.last * gb_s + sum(worths) * second * gb_s
        kind: Any = np.int64 if 4 * most < WHOLE else object
        self.hops, self.by = hops.astype(kind), scale.by.astype(kind)
        self.waiting = UNIT * gb_s
        self.worths = np.array([one * second * gb_s for one in worths], kind)

    def _pays(self, leg: Leg, ends: Numbers) -> Any:
        """Return what a leg pays that ends at moments, as late as it can for that."""
        if not leg.hops:
            return 0
        prices = leg.rate * self.hops[list(leg.hops)][:, self.scale.starts <= leg.ready].sum((0, 1))
        (used,) = prices.nonzero()
        by, ends = self.by[used], ends[:, None]
        return (np.minimum(ends, by) - np.minimum(ends - leg.takes, by)) @ prices[used]

    def most_kept(self, sender: Sender, leader: int) -> tuple[int, int, list[int]] | None:
        """Return the most that a send keeps whose largest update is given, when, and with whom.

        Between moments at which something begins, ends or may join, what is kept is convex.
        """
        lead, sizes = sender.rest[leader], self.scale.instance.updates
        with_it = [i for i in sender.own if sizes[i].size_gb <= sizes[leader].size_gb]
        inside = with_it if sender.via is not None else [leader]
        first, last = lead.ready + lead.takes, sender.dues[leader]
        if first > last:
            return None
        takes = {0, *(sender.own[i].takes for i in inside)}
        behind = np.array([0, *(lead.takes + one for one in takes)], self.by.dtype)
        joins = [sender.own[i].ready + sender.own[i].takes + lead.takes for i in inside]
        joins += [sender.dues[i] for i in inside] + [first, last]
        ends = np.unique(np.concatenate([np.add.outer(behind, self.by).ravel(), joins]))
        ends = ends[(ends >= first) & (ends <= last)].astype(self.by.dtype)
        gathered, gains = ends - lead.takes, {}
        for i in inside:
            own = sender.own[i]
            gain = self.worths[i] - self.waiting * ends - self._pays(own, gathered)
            if i != leader:
                joined = (gathered >= own.ready + own.takes) & (ends <= sender.dues[i])
                gain = np.where(joined & (gain > 0), gain, 0)
            gains[i] = gain
        kept = sum(gains.values()) - self._pays(lead, ends)
        best = int(kept.argmax())
        members = [i for i, gain in gains.items() if i == leader or gain[best] > 0]
        return int(kept[best]), int(ends[best]), members

    def costs(self) -> Fraction:
        """Return what all that fits through links pays, in the unit of prices."""
        total = Fraction(0)
        for hop, w, k in np.argwhere(self.hops).tolist():
            span = self.scale.exact_by[k] - self.scale.exact_starts[w]
            total += int(self.hops[hop, w, k]) * self.scale.rates[hop] * max(Fraction(0), span)
        return total
