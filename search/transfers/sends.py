"""A bound by prices of links over time, at which no send keeps anything.

A linear program takes the sends that keep most at its duals until none keeps anything (Gilmore and
Gomory 1961). Each time the duals are rounded to whole prices, at which what a send keeps at most is
computed exactly: that is a bound already. Proof: `docs/transfers/transfers-bounds.md`.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import ceil, floor
from typing import Any, NamedTuple

import numpy as np

from ...formulations.program import Caps, Floats
from ...formulations.solver_interface.solve import solve
from ...formulations.transfers.counting import ready_moments
from ...formulations.transfers.sending import Row, SendingProgram, SentColumn, sending
from ...formulations.transfers.ways import all_ways
from ...instances import Bound, BoundKind, Limits, TransfersInstance
from ...instances.certificate import exact_number
from .bounds import shared_moments
from .tariff import UNIT, LinkTariff, Sender, WholeNumbers

MOMENTS = 12
"""Before which what crosses links is priced, in even steps at first."""

REFINED = 2
"""So often are moments put beside those whose prices count."""

ROUNDS = 40
"""Of sends that are added to a program, at most."""

SMALL = 2.0**-17
"""What a send keeps is not worth another round if it is less, in seconds."""

MOST_WORK = 400_000
"""Updates in sends, by their largest one and aggregator: of more it takes too long."""


Room = dict[Row, float]


class SendsFound(NamedTuple):
    """A bound with its step, and the moments that count."""

    value: Fraction
    step: dict[str, Any]
    used: set[int]


def sends_priced(instance: TransfersInstance, limits: Limits) -> Bound | None:
    """Return the bound; None for the last, for a large instance, or if there is no time for it."""
    ways, n = all_ways(instance), len(instance.updates)
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
    why = "links at prices over time, at which no send keeps anything"
    return Bound.by(BoundKind.DUAL, "sends at prices", best.value, why, best.step)


def _even(instance: TransfersInstance) -> list[Fraction]:
    """Return moments up to a little behind those by which updates are applied at best."""
    late = Fraction(instance.drop_s)
    known = [moment for moment in shared_moments(instance)[0] if moment < late]
    last = max(known, default=late) * 5 / 4
    return sorted({_round(last * (k + 1) / MOMENTS) for k in range(MOMENTS)})


def _finer(moments: Sequence[Fraction], used: set[int]) -> list[Fraction]:
    """Return the moments that count, and those halfway to the ones beside them."""
    beside, found = [Fraction(0), *moments, moments[-1]], set[Fraction]()
    for k in used:
        before, here, after = beside[k : k + 3]
        found |= {here, _round((before + here) / 2), _round((here + after) / 2)}
    return sorted(found) or list(moments)


def _round(moment: Fraction) -> Fraction:
    return Fraction(ceil(moment * 1000), 1000)


def _found(scale: WholeNumbers, limits: Limits) -> SendsFound | None:
    """Return what prices before some moments come to at best; None if there is no time."""
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
    """Return a send that is applied at a moment; its largest update is among the members."""
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
    """Return what each hop that several updates may cross can carry between two moments."""
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
    """Return the duals in whole numbers; no update is worth more than what dropping it costs."""
    prices = [max(0, floor(UNIT * abs(float(dual)))) for dual in duals]
    hops = np.zeros((len(scale.rates), len(scale.starts), len(scale.by)), object)
    for row, place in program.fits.items():
        hops[place] = prices[row]
    late = floor(UNIT * Fraction(scale.instance.drop_s))
    worths = [min(one, late) for one in prices[: len(scale.instance.updates)]]
    return LinkTariff(scale, hops, worths)


def _bound(tariff: LinkTariff, kept: int) -> SendsFound:
    """Return what follows if no send keeps more: worths are lowered by that, and links are paid."""
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
