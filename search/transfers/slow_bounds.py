"""Slow bounds on plans of transfers: by prices of links, and by the search.

One bound counts the updates that fit through the links by some moments. Each moment has a linear
program, whose duals are rounded to prices in whole numbers. For any prices, the number of updates
applied by then is at most the cost of all that the links carry, plus the worth of each update,
which is 1, beyond its cheapest route. Proof: `docs/theory/transfers-bounds.md`.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import floor
from typing import Any, NamedTuple

from ...formulations.program import Caps
from ...formulations.solver_interface.solve import solve
from ...formulations.transfers.relaxations import CountingProgram, counting
from ...formulations.transfers.routes import UpdateRoute, update_routes
from ...instances import Bound, BoundKind, Limits, TransfersInstance
from ...instances.reading.encode import exact_number
from ...simulation.transfers.network import Network
from ..asked_bounds import AskedBounds
from .bounds import Moments, combinatorial_bounds, shared_moments, worth
from .enumeration import refuses, search
from .sends import sends_priced

NODES = 20_000
"""Sends that the search may try for a bound."""


def slow_bounds(instance: TransfersInstance, limits: Limits, best: Fraction | None) -> AskedBounds:
    """Compute the bounds by prices and by search, until one is as good as `best`."""
    asked = AskedBounds(combinatorial_bounds(instance)[0])
    for name, compute, needs in (
        ("sends at prices", sends_priced, "the goal mean, fewer updates, or more time"),
        ("counts by moments", counted, ""),
        ("all plans", searched, "few updates"),
    ):
        if best is None or asked.best.value < best:
            asked.ask(name, partial(compute, instance, limits), needs)
    return asked


def searched(instance: TransfersInstance, limits: Limits) -> Bound | None:
    """Return the bound of the search over all plans, or None if it is refused.

    It has no steps here because the checker may be unable to follow it. Bounds of `search` do.
    """
    bound = None if refuses(instance) else search(instance, limits, NODES).bound
    searched = bound is not None and bound.kind is BoundKind.SEARCHED
    return replace(bound, proof=None) if bound is not None and searched else bound


ROUNDS = 24
"""Moments for which the updates that can be applied by then are counted."""

HALVINGS = 20

UNIT = 2**40
"""Prices are whole parts of an update."""


class CountPrices(NamedTuple):
    """Prices of a gigabyte on links, by hop and start, and at an aggregator that adds it up."""

    by: Fraction
    starts: list[Fraction]
    hops: dict[tuple[int, int], int]
    shares: dict[tuple[int, str, int], int]
    """By update, aggregator and start."""


def counted(instance: TransfersInstance, limits: Limits) -> Bound:
    """Return the bound by counts of updates that fit through the links by some moments."""
    moments, hops = shared_moments(instance)
    network, ways, found = Network.of(instance), update_routes(instance), list[CountPrices]()
    times = _halved if instance.goal == "last" else _spread
    for by in times(instance, moments):
        if limits.over():
            break
        prices = _prices(network, counting(instance, ways, by), by, limits)
        if prices is None:
            break
        most = floor(_count(network, ways, prices))
        if any(moment < by for moment in moments[most:]):
            found.append(prices)
        moments[most:] = [max(moment, by) for moment in moments[most:]]
    why = f"the most updates that can cross the priced links by each of {len(found)} moments"
    value, step = worth(instance, moments), _step(instance, hops, found)
    return Bound.by(BoundKind.DUAL, "counts by moments", value, why, step)


def _prices(
    network: Network, program: CountingProgram, by: Fraction, limits: Limits
) -> CountPrices | None:
    """Return prices by the duals of the program, or None if time is too short."""
    if not program.matrix.columns:
        return CountPrices(by, program.starts, {}, {})
    solution = solve(program.matrix, caps=Caps(time_s=limits.left_s(), threads=limits.threads))
    if solution.duals is None:
        return None
    one = network.instance.updates[0]
    parts = UNIT * network.sizes[one.name] / Fraction(one.size_gb)

    def priced(row: int) -> int:
        return floor(parts * max(Fraction(0), -Fraction(float(solution.duals[row]))))  # type: ignore[index]

    hops = {key: price for row, key in program.fits.items() if (price := priced(row))}
    shares = {key: price for row, key in program.largest.items() if (price := priced(row))}
    sums = defaultdict[tuple[str, int], int](int)
    for (_, via, w), price in shares.items():
        sums[via, w] += price
    for (i, via, w), price in list(shares.items()):
        # Together at most the payment of the sends; rounding may have lost a little.
        earns = _sent(network, hops, via, w)
        shares[i, via, w] = price if sums[via, w] <= earns else price * earns // sums[via, w]
    return CountPrices(by, program.starts, hops, shares)


def _sent(network: Network, hops: dict[tuple[int, int], int], via: str, start: int) -> int:
    """Return the price of a gigabyte from an aggregator to the server."""
    route = network.route(via, network.instance.server)
    return sum(hops.get((hop, start), 0) for hop in route)


def _count(
    network: Network, ways: Sequence[Sequence[UpdateRoute]], prices: CountPrices
) -> Fraction:
    """Return the cost of all links, and the worth of updates beyond their cheapest routes."""
    links = network.instance.links
    total = Fraction(0)
    for (hop, w), price in prices.hops.items():
        total += price * Fraction(links[hop // 2].gb_s) * (prices.by - prices.starts[w])
    for i, own in enumerate(ways):
        size = Fraction(network.instance.updates[i].size_gb)
        gains = [UNIT - size * _paid(prices, i, way) for way in own if way.arrives <= prices.by]
        total += max([Fraction(0), *gains])
    return total / UNIT


def _paid(prices: CountPrices, i: int, way: UpdateRoute) -> int:
    """Return the price of a gigabyte of an update on a route."""
    paid = 0
    for w, start in enumerate(prices.starts):
        if way.ready >= start:
            paid += sum(prices.hops.get((hop, w), 0) for hop in way.own)
        if way.via is not None and way.gathered >= start:
            paid += prices.shares.get((i, way.via, w), 0)
    return paid


def _step(
    instance: TransfersInstance, hops: list[int], found: Sequence[CountPrices]
) -> dict[str, Any]:
    """Return the step of a certificate: starts by number among all, aggregators by number."""
    starts = sorted({start for one in found for start in one.starts})
    at = {start: number for number, start in enumerate(starts)}
    places = {name: number for number, name in enumerate(instance.aggregators)}
    return {
        "rule": "counts by moments",
        "hops": hops,
        "by": [exact_number(one.by) for one in found],
        "starts": [exact_number(start) for start in starts],
        "unit": UNIT,
        "prices": [
            (k, hop, at[one.starts[w]], price)
            for k, one in enumerate(found)
            for (hop, w), price in one.hops.items()
        ],
        "shares": [
            (k, i, places[via], at[one.starts[w]], price)
            for k, one in enumerate(found)
            for (i, via, w), price in one.shares.items()
            if price
        ],
    }


def _spread(instance: TransfersInstance, moments: Moments) -> Iterator[Fraction]:
    """Yield later moments until all updates fit, then some in even steps up to there."""
    first, last, late = moments[0], moments[-1], Fraction(instance.drop_s)
    while first < last < late and moments[-1] == last:
        last = min(late, first + 2 * (last - first))
        yield last
    for k in range(ROUNDS):
        yield first + (last - first) * (k + 1) / (ROUNDS + 1)


def _halved(instance: TransfersInstance, moments: Moments) -> Iterator[Fraction]:
    """Yield moments that close in on the first by which all updates can be applied."""
    low, high = moments[-1], Fraction(instance.drop_s)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        yield middle
        low, high = (middle, high) if moments[-1] >= middle else (low, middle)
