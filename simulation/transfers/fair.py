"""Flows that share links fairly: the least rate of any is as large as can be, then the next."""

from collections.abc import Sequence
from fractions import Fraction
from heapq import heapify, heappop, heappush

from ...instances import NO_LIMITS, Limits
from .flows import Flow, FlowCourse, FlowPiece
from .network import Network, Route


def share(network: Network, flows: Sequence[Flow], limits: Limits = NO_LIMITS) -> list[FlowCourse]:
    """Return what becomes of flows that start as soon as they can.

    Raises:
        TimeoutError: If the time is up before.
    """
    return _FairRates(network, flows).run(limits)


class _Lane:
    """The flows of one route, whose rates are alike at all times.

    Each ends when one that had been there from the start would have received so much.
    """

    def __init__(self) -> None:
        self.queue: list[tuple[Fraction, int]] = []
        """What must have been received for a flow to end, and its number."""
        self.received = Fraction(0)
        self.past: list[FlowPiece] = []


class _FairRates:
    def __init__(self, network: Network, flows: Sequence[Flow]) -> None:
        self._network, self._flows = network, flows
        self._lanes: dict[Route, _Lane] = {}
        self._starts: dict[int, Fraction] = {}
        self._stops: dict[int, Fraction] = {}
        self._waiting = {i: len(flow.after) for i, flow in enumerate(flows) if flow.after}
        self._behind: dict[int, list[int]] = {}
        for i in self._waiting:
            for j in flows[i].after:
                self._behind.setdefault(j, []).append(i)
        self._ready = [(flow.ready, i) for i, flow in enumerate(flows) if not flow.after]
        heapify(self._ready)

    def run(self, limits: Limits) -> list[FlowCourse]:
        now = Fraction(0)
        while True:
            if limits.over():
                raise TimeoutError("the time was up before all updates had arrived")
            while self._ready and self._ready[0][0] <= now:
                self._start(heappop(self._ready)[1], now)
            active = {route: lane for route, lane in self._lanes.items() if lane.queue}
            rates = fair_rates(self._network, {r: len(lane.queue) for r, lane in active.items()})
            nexts = [
                now + (lane.queue[0][0] - lane.received) / rates[route]
                for route, lane in active.items()
            ]
            if self._ready:
                nexts.append(self._ready[0][0])
            if not nexts:
                break
            then = min(nexts)
            for route, lane in active.items():
                self._flow(lane, FlowPiece(now, then, rates[route]))
            now = then
        return [self._course(i, flow) for i, flow in enumerate(self._flows)]

    def _start(self, number: int, now: Fraction) -> None:
        flow = self._flows[number]
        self._starts[number] = now
        if not flow.route:
            self._stop(number, now)
            return
        lane = self._lanes.setdefault(flow.route, _Lane())
        heappush(lane.queue, (lane.received + flow.size, number))

    def _flow(self, lane: _Lane, piece: FlowPiece) -> None:
        lane.received += piece.rate * (piece.stop - piece.start)
        lane.past.append(piece)
        while lane.queue and lane.queue[0][0] == lane.received:
            self._stop(heappop(lane.queue)[1], piece.stop)

    def _stop(self, number: int, now: Fraction) -> None:
        self._stops[number] = now
        for other in self._behind.get(number, ()):
            self._waiting[other] -= 1
            if not self._waiting[other]:
                heappush(self._ready, (now, other))

    def _course(self, number: int, flow: Flow) -> FlowCourse:
        start, stop = self._starts[number], self._stops[number]
        past = self._lanes[flow.route].past if flow.route else ()
        return FlowCourse(start, stop, [p for p in past if start <= p.start and p.stop <= stop])


def fair_rates(network: Network, counts: dict[Route, int]) -> dict[Route, Fraction]:
    """Return the max-min fair rate of a flow of each route, of which so many are active.

    Again and again the hop that leaves its flows least is found, and they get that for good; what
    the others leave theirs can only grow by it.
    """
    left: dict[int, Fraction] = {}
    crossing: dict[int, int] = {}
    through: dict[int, list[Route]] = {}
    for route, count in counts.items():
        for hop in route:
            left.setdefault(hop, Fraction(network.rates[hop]))
            crossing[hop] = crossing.get(hop, 0) + count
            through.setdefault(hop, []).append(route)
    queue = [(left[hop] / crossing[hop], hop) for hop in left]
    heapify(queue)
    rates: dict[Route, Fraction] = {}
    while len(rates) < len(counts):
        before, tight = heappop(queue)
        if not crossing[tight]:
            continue
        rate = left[tight] / crossing[tight]
        if rate > before:
            heappush(queue, (rate, tight))
            continue
        for route in through[tight]:
            if route not in rates:
                rates[route] = rate
                for hop in route:
                    left[hop] -= rate * counts[route]
                    crossing[hop] -= counts[route]
    return rates
