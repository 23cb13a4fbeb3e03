"""A bound by prices of links over time, at which no send keeps any of its updates' worth.

A linear program adds the sends that keep most at its duals until no send keeps a positive worth
(Gilmore and Gomory 1961). Each time the duals are rounded to whole prices, at which the most that a
send keeps is computed exactly: that is a bound already. All numbers are whole: parts of a second,
of a gigabyte a second, and of a price. The bound is therefore exact for any prices. Proof:
`docs/theory/transfers-bounds.md`.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import ceil, floor, lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...formulations.program import Caps, Floats
from ...formulations.solver_interface.solve import solve
from ...formulations.transfers.relaxations import (
    Row,
    SendingProgram,
    SentColumn,
    ready_moments,
    sending,
)
from ...formulations.transfers.routes import update_routes
from ...instances import Bound, BoundKind, Limits, TransfersInstance
from ...instances.reading.encode import exact_number
from .bounds import shared_moments

UNIT = 2**24
"""Prices are whole parts of a second."""

WHOLE = 2**62
"""Up to there numbers are computed with as machines do."""

Numbers = NDArray[Any]


class Leg(NamedTuple):
    """A part of a route: its hops, speed, earliest start, and duration."""

    hops: tuple[int, ...]
    rate: int
    ready: int
    takes: int


class Sender(NamedTuple):
    """The legs and last moments, by update, of sends by an aggregator, or of direct ones."""

    via: str | None
    own: dict[int, Leg]
    rest: dict[int, Leg]
    dues: dict[int, int]


class WholeNumbers:
    """An instance in whole numbers, with the moments between which hops are priced."""

    def __init__(
        self, instance: TransfersInstance, by: Sequence[Fraction], starts: Sequence[Fraction]
    ) -> None:
        """Find units that make all numbers whole."""
        self.instance, self.exact_by, self.exact_starts = instance, by, starts
        ways, late = update_routes(instance), Fraction(instance.drop_s)
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
    """Prices by hop, start and moment, and the worth of each update."""

    def __init__(self, scale: WholeNumbers, hops: Numbers, worths: Sequence[int]) -> None:
        """Convert everything to one unit, the product of the units of time, bandwidth and price.

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
        """Return the payment of a leg that ends at moments, as late as possible."""
        if not leg.hops:
            return 0
        prices = leg.rate * self.hops[list(leg.hops)][:, self.scale.starts <= leg.ready].sum((0, 1))
        (used,) = prices.nonzero()
        by, ends = self.by[used], ends[:, None]
        return (np.minimum(ends, by) - np.minimum(ends - leg.takes, by)) @ prices[used]

    def most_kept(self, sender: Sender, leader: int) -> tuple[int, int, list[int]] | None:
        """Return the most that a send with a given largest update keeps, when, and with whom.

        Between moments at which an event begins, ends or may join, the kept worth is convex.
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
        """Return the cost of all capacity of links, in the unit of prices."""
        total = Fraction(0)
        for hop, w, k in np.argwhere(self.hops).tolist():
            span = self.scale.exact_by[k] - self.scale.exact_starts[w]
            total += int(self.hops[hop, w, k]) * self.scale.rates[hop] * max(Fraction(0), span)
        return total


MOMENTS = 12
"""Priced moments, in even steps at first."""

REFINED = 2
"""Refinements of the moments around those with relevant prices."""

ROUNDS = 40
"""Of sends that are added to a program, at most."""

SMALL = 2.0**-17
"""Seconds below which the worth that a send keeps needs no further round."""

MOST_WORK = 400_000
"""Updates in sends, by their largest one and aggregator: of more it takes too long."""


Room = dict[Row, float]


class SendsFound(NamedTuple):
    """A bound with its step, and the relevant moments."""

    value: Fraction
    step: dict[str, Any]
    used: set[int]


def sends_priced(instance: TransfersInstance, limits: Limits) -> Bound | None:
    """Return the bound, or None for goal `last`, a large instance, or lack of time."""
    ways, n = update_routes(instance), len(instance.updates)
    small = n**3 * len(instance.aggregators) <= MOST_WORK
    if not any(ways) or instance.goal != "mean" or not small:
        return None
    best: SendsFound | None = None
    moments, starts = _even(instance), ready_moments(instance)
    for _ in range(1 + REFINED):
        found = _found(WholeNumbers(instance, moments, starts), limits)
        if found is None:
            break
        best = found if best is None or found.value > best.value else best
        moments = _finer(moments, found.used)
    if best is None:
        return None
    why = "links priced over time, with no profit left for any send"
    return Bound.by(BoundKind.DUAL, "sends at prices", best.value, why, best.step)


def _even(instance: TransfersInstance) -> list[Fraction]:
    """Return moments up to a little behind those by which updates are applied at best."""
    late = Fraction(instance.drop_s)
    known = [moment for moment in shared_moments(instance)[0] if moment < late]
    last = max(known, default=late) * 5 / 4
    return sorted({_round(last * (k + 1) / MOMENTS) for k in range(MOMENTS)})


def _finer(moments: Sequence[Fraction], used: set[int]) -> list[Fraction]:
    """Return the relevant moments, and the midpoints to their neighbours."""
    beside, found = [Fraction(0), *moments, moments[-1]], set[Fraction]()
    for k in used:
        before, here, after = beside[k : k + 3]
        found |= {here, _round((before + here) / 2), _round((here + after) / 2)}
    return sorted(found) or list(moments)


def _round(moment: Fraction) -> Fraction:
    return Fraction(ceil(moment * 1000), 1000)


def _found(scale: WholeNumbers, limits: Limits) -> SendsFound | None:
    """Return the best bound by prices before some moments, or None if there is no time."""
    room, best = _room(scale), None
    sends = list(_first(scale, room))
    for _ in range(ROUNDS):
        program = sending(scale.instance, sends, room)
        caps = Caps(time_s=limits.left_s(), threads=limits.threads)
        duals = None if limits.over() else solve(program.matrix, caps=caps).duals
        if duals is None:
            break
        tariff = _tariff(scale, program, duals)
        kept = [
            (*send, sender)
            for sender in scale.senders
            for i in sender.own
            if (send := tariff.most_kept(sender, i)) is not None
        ]
        most = max((0, *(one[0] for one in kept)))
        found = _bound(tariff, most)
        best = found if best is None or found.value > best.value else best
        least = SMALL * UNIT * scale.second * scale.gb_s
        more = [_column(scale, room, sender, end, own) for k, end, own, sender in kept if k > least]
        if not more:
            break
        sends += more
    return best


def _first(scale: WholeNumbers, room: Room) -> Iterator[SentColumn]:
    """Yield each update alone, as soon as it can be and by later moments."""
    for sender in scale.senders:
        for i, leg in sender.rest.items():
            first, last = leg.ready + leg.takes, sender.dues[i]
            later = (by for by in scale.by.tolist() if sender.via is None and first < by <= last)
            for end in (first, *later):
                yield _column(scale, room, sender, end, [i])


def _column(
    scale: WholeNumbers, room: Room, sender: Sender, end: int, members: Sequence[int]
) -> SentColumn:
    """Return a send that is applied at a moment. Its largest update is among the members."""
    sizes = scale.instance.updates
    lead = sender.rest[max(members, key=lambda i: sizes[i].size_gb)]
    loads: dict[Row, float] = {}
    for leg, stop in ((lead, end), *((sender.own[i], end - lead.takes) for i in members)):
        takes = np.minimum(stop, scale.by) - np.minimum(stop - leg.takes, scale.by)
        (starts,), (moments,) = (scale.starts <= leg.ready).nonzero(), takes.nonzero()
        for k in moments.tolist():
            load = float(takes[k]) * leg.rate / scale.second / scale.gb_s
            for row in product(leg.hops, starts.tolist(), (k,)):
                if row in room:
                    loads[row] = loads.get(row, 0.0) + load
    return SentColumn(end / scale.second, tuple(members), loads)


def _room(scale: WholeNumbers) -> Room:
    """Return the capacity between two moments of each hop that several updates may cross."""
    crossing: dict[int, set[int]] = {}
    for sender in scale.senders:
        for legs in (sender.own, sender.rest):
            for i, leg in legs.items():
                for hop in leg.hops:
                    crossing.setdefault(hop, set()).add(i)
    return {
        (hop, w, k): float(scale.rates[hop] * (by - start))
        for hop, those in sorted(crossing.items())
        if len(those) > 1
        for w, start in enumerate(scale.exact_starts)
        for k, by in enumerate(scale.exact_by)
        if by > start
    }


def _tariff(scale: WholeNumbers, program: SendingProgram, duals: Floats) -> LinkTariff:
    """Return the duals in whole numbers. An update is worth at most the cost of dropping it."""
    prices = [max(0, floor(UNIT * abs(float(dual)))) for dual in duals]
    hops = np.zeros((len(scale.rates), len(scale.starts), len(scale.by)), object)
    for row, place in program.fits.items():
        hops[place] = prices[row]
    late = floor(UNIT * Fraction(scale.instance.drop_s))
    worths = [min(one, late) for one in prices[: len(scale.instance.updates)]]
    return LinkTariff(scale, hops, worths)


def _bound(tariff: LinkTariff, kept: int) -> SendsFound:
    """Return the bound: worths are lowered by the most that a send keeps, and links are paid."""
    scale, n = tariff.scale, len(tariff.worths)
    unit = UNIT * scale.second * scale.gb_s
    value = Fraction(sum(tariff.worths.tolist()) - n * kept, unit) - tariff.costs() / UNIT
    priced = np.argwhere(tariff.hops).tolist()
    step = {
        "rule": "sends at prices",
        "by": [exact_number(one) for one in scale.exact_by],
        "starts": [exact_number(one) for one in scale.exact_starts],
        "unit": UNIT,
        "prices": [(*row, int(tariff.hops[tuple(row)])) for row in priced],
        "worths": [int(one) // (scale.second * scale.gb_s) for one in tariff.worths.tolist()],
    }
    return SendsFound(max(Fraction(0), value / n), step, {k for _, _, k in priced})
