"""Play a plan of transfers through.

Flows that share links fairly: the least rate of any is as large as can be, then the next.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heapify, heappop, heappush
from itertools import groupby, pairwise
from operator import itemgetter

from ...instances import NO_LIMITS, Limits, Send, TransferPlan, TransfersInstance
from .network import (
    AppliedUpdates,
    Arrival,
    Flow,
    FlowCourse,
    FlowPiece,
    Network,
    Rate,
    Route,
    apply_in_turn,
    flows_of,
)

Steps = tuple[Sequence[Fraction], Sequence[Rate]]
"""Moments, starting with 0, and the remaining bandwidth of a hop from each to the next."""


class Ordered:
    """The bandwidth that the flows so far leave of each hop.

    A flow does not depend on flows behind it, so flows can be placed one after the other. Each uses
    the remaining capacity of the links of its route over time.
    """

    def __init__(self, network: Network, left: dict[int, Steps] | None = None) -> None:
        """Begin with free links, or with the remaining capacity of the links."""
        self._network = network
        self._left = {} if left is None else left

    def copy(self) -> "Ordered":
        """Return an independent copy."""
        return Ordered(self._network, dict(self._left))

    def lay(self, flow: Flow, ends: Sequence[Fraction]) -> FlowCourse:
        """Lay a flow down behind those before it, whose ends are given."""
        start = max((ends[i] for i in flow.after), default=flow.ready)
        pieces = self.pieces(flow.route, flow.size, start)
        if not pieces:
            return FlowCourse(start, start, ())
        self._take(flow.route, pieces)
        return FlowCourse(start, pieces[-1].stop, pieces)

    def pieces(self, route: Route, size: int, start: Fraction) -> list[FlowPiece]:
        """Return the pieces of a flow if it came next, empty for an empty route."""
        hops = [self._steps(hop) for hop in route]
        places = [0] * len(hops)
        found: list[FlowPiece] = []
        left: Rate = size if route else 0
        while left:
            places = [bisect_right(m, start, i) - 1 for (m, _), i in zip(hops, places, strict=True)]
            here = list(zip(hops, places, strict=True))
            full = [m[i + 1] for (m, rates), i in here if not rates[i]]
            if full:
                start = max(full)
                continue
            rate = min(rates[i] for (_, rates), i in here)
            stop = start + Fraction(left) / rate
            stop = min([stop, *(m[i + 1] for (m, _), i in here if i + 1 < len(m))])
            found.append(FlowPiece(start, stop, rate))
            left -= rate * (stop - start)
            start = stop
        return found

    def _steps(self, hop: int) -> Steps:
        return self._left.get(hop) or ((Fraction(0),), (self._network.rates[hop],))

    def _take(self, route: Route, pieces: Sequence[FlowPiece]) -> None:
        taken = [jump for p in pieces for jump in ((p.start, -p.rate), (p.stop, p.rate))]
        for hop in route:
            moments, rates = self._steps(hop)
            first = bisect_right(moments, pieces[0].start) - 1
            last = bisect_right(moments, pieces[-1].stop)
            before = rates[first - 1] if first else -1  # No rate is, so moment 0 stays.
            climbs = pairwise([before, *rates[first:last]])
            jumps = [(m, b - a) for m, (a, b) in zip(moments[first:last], climbs, strict=True)]
            times, heights = _climbed(before, sorted(jumps + taken, key=itemgetter(0)))
            self._left[hop] = (
                [*moments[:first], *times, *moments[last:]],
                [*rates[:first], *heights, *rates[last:]],
            )


def _climbed(height: Rate, jumps: Sequence[tuple[Fraction, Rate]]) -> Steps:
    """Return the starts and heights of steps, without those that cancel out."""
    times: list[Fraction] = []
    heights: list[Rate] = []
    for moment, group in groupby(jumps, key=itemgetter(0)):
        jump = sum(rise for _, rise in group)
        if jump:
            height += jump
            times.append(moment)
            heights.append(height)
    return times, heights


class _Lane:
    """Flows whose rates are alike at all times.

    They cross the same shared `hops`, and the hops that each has to itself allow the same rate.
    A flow ends once the lane has carried its size since the flow began.
    """

    def __init__(self, hops: Route, most: int | None) -> None:
        self.hops, self.most = hops, most
        self.queue: list[tuple[Fraction, int]] = []
        """The amount received at which a flow ends, and its number."""
        self.received = Fraction(0)
        self.past: list[FlowPiece] = []


class _FairRates:
    """Flows that share links fairly and start as soon as they can."""

    def __init__(self, network: Network, flows: Sequence[Flow]) -> None:
        self._network, self._flows = network, flows
        self._lanes: dict[tuple[Route, int | None], _Lane] = {}
        self._used = Counter(hop for flow in flows for hop in flow.route)
        self._begun: dict[int, tuple[int, Fraction]] = {}
        """The pieces of its lane before a flow, and its start."""
        self._courses: dict[int, FlowCourse] = {}
        self._waiting = {i: len(flow.after) for i, flow in enumerate(flows) if flow.after}
        self._behind: dict[int, list[int]] = {}
        for i in self._waiting:
            for j in flows[i].after:
                self._behind.setdefault(j, []).append(i)
        self._ready = [(flow.ready, i) for i, flow in enumerate(flows) if not flow.after]
        heapify(self._ready)

    def run(self, limits: Limits) -> list[FlowCourse]:
        """Return the courses of all flows, or raise `TimeoutError` at the time limit."""
        now = Fraction(0)
        while True:
            if limits.over():
                raise TimeoutError("the time limit ended before all updates had arrived")
            while self._ready and self._ready[0][0] <= now:
                self._start(heappop(self._ready)[1], now)
            active = [lane for lane in self._lanes.values() if lane.queue]
            rates = list(_fair_rates(self._network, active))
            nexts = [
                now + min(lane.queue[0][0] - lane.received for lane in lanes) / rate
                for rate, lanes in rates
            ]
            if self._ready:
                nexts.append(self._ready[0][0])
            if not nexts:
                break
            then = min(nexts)
            for rate, lanes in rates:
                self._flow(lanes, FlowPiece(now, then, rate))
            now = then
        return [self._courses[i] for i in range(len(self._flows))]

    def _start(self, number: int, now: Fraction) -> None:
        flow = self._flows[number]
        if not flow.route:
            self._stop(number, FlowCourse(now, now, ()))
            return
        hops = tuple(hop for hop in flow.route if self._used[hop] > 1)
        own = [self._network.rates[hop] for hop in flow.route if self._used[hop] == 1]
        most = min(own, default=None)
        lane = self._lanes.get((hops, most))
        if lane is None:
            lane = self._lanes[hops, most] = _Lane(hops, most)
        self._begun[number] = len(lane.past), now
        heappush(lane.queue, (lane.received + flow.size, number))

    def _flow(self, lanes: Sequence[_Lane], piece: FlowPiece) -> None:
        more = piece.rate * (piece.stop - piece.start)
        for lane in lanes:
            lane.received += more
            lane.past.append(piece)
            while lane.queue and lane.queue[0][0] == lane.received:
                number = heappop(lane.queue)[1]
                first, start = self._begun[number]
                self._stop(number, FlowCourse(start, piece.stop, lane.past[first:]))

    def _stop(self, number: int, course: FlowCourse) -> None:
        self._courses[number] = course
        for other in self._behind.get(number, ()):
            self._waiting[other] -= 1
            if not self._waiting[other]:
                heappush(self._ready, (course.stop, other))


def _fair_rates(network: Network, lanes: Sequence[_Lane]) -> Iterator[tuple[Fraction, list[_Lane]]]:
    """Yield each max-min fair rate, and the lanes whose flows have it.

    Repeatedly, the hop that leaves its flows least is found, and they get this rate for good. The
    other flows' shares can only grow by it.
    """
    crossing: dict[int, int] = {}
    through: dict[int, list[_Lane]] = {}
    for lane in lanes:
        for hop in lane.hops:
            crossing[hop] = crossing.get(hop, 0) + len(lane.queue)
            through.setdefault(hop, []).append(lane)
        if lane.most is not None:  # Its own hops are numbered from -1 downwards by their rates.
            through.setdefault(-lane.most, []).append(lane)
    left: dict[int, Rate] = {hop: network.rates[hop] for hop in crossing}
    queue = [
        (Fraction(left[hop], crossing[hop]) if hop in left else Fraction(-hop), hop)
        for hop in through
    ]
    heapify(queue)
    waiting = set(lanes)
    while waiting:
        before, tight = heappop(queue)
        full = [lane for lane in through[tight] if lane in waiting]
        if not full:
            continue
        rate = before if tight < 0 else Fraction(left[tight]) / crossing[tight]
        if rate > before:
            heappush(queue, (rate, tight))
            continue
        yield rate, full
        waiting.difference_update(full)
        taken = Counter[int]()
        for lane in full:
            for hop in lane.hops:
                taken[hop] += len(lane.queue)
        for hop, count in taken.items():
            crossing[hop] -= count
            if crossing[hop]:
                left[hop] -= rate * count


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """The result of a plan, with moments in seconds."""

    flows: tuple[Flow, ...]
    courses: tuple[FlowCourse, ...]
    """Courses of the flows, with rates in units of the network."""
    arrivals: tuple[Arrival, ...]
    """Of the sends."""
    applied: Mapping[str, Fraction]
    """Updates in the order of application, without those that wait in vain."""
    dropped: tuple[str, ...]
    value: Fraction
    spread: Fraction
    """Most that the norms of updates add up to that only the server has."""


def replay(
    instance: TransfersInstance,
    plan: TransferPlan,
    network: Network | None = None,
    limits: Limits = NO_LIMITS,
) -> Replayed:
    """Return the result of a plan. `network` is the prepared instance, if available.

    Raises:
        TimeoutError: If links are shared fairly and the time is up before all is sent.
    """
    network = network or Network.of(instance)
    flows: list[Flow] = []
    for number, send in enumerate(plan.sends):
        flows += flows_of(network, number, send, len(flows))
    fair = plan.sharing == "fair"
    courses = _FairRates(network, flows).run(limits) if fair else laid(Ordered(network), flows)
    arrivals = arrivals_of(network, plan.sends, flows, courses)
    queue = apply_in_turn(arrivals, room_of(instance))
    applied = moments(plan.sends, queue)
    sent = {name for send in plan.sends for name in send.updates}
    return Replayed(
        flows=tuple(flows),
        courses=tuple(courses),
        arrivals=tuple(arrivals),
        applied=applied,
        dropped=tuple(one.name for one in instance.updates if one.name not in sent),
        value=value_of(instance, applied),
        spread=queue.spread,
    )


def laid(ordered: Ordered, flows: Sequence[Flow]) -> list[FlowCourse]:
    """Lay flows down by priority."""
    courses: list[FlowCourse] = []
    ends: list[Fraction] = []
    for flow in flows:
        courses.append(ordered.lay(flow, ends))
        ends.append(courses[-1].stop)
    return courses


def arrivals_of(
    network: Network, sends: Sequence[Send], flows: Sequence[Flow], courses: Sequence[FlowCourse]
) -> list[Arrival]:
    """Return when sends and their copies arrive."""
    ends: dict[tuple[int, str], Fraction] = {}
    for flow, course in zip(flows, courses, strict=True):
        ends[flow.send, flow.role] = course.stop
    return [
        Arrival(ends[i, "server"], ends.get((i, "replica")), norm_of(network, send))
        for i, send in enumerate(sends)
    ]


def norm_of(network: Network, send: Send) -> Fraction:
    """Return how far a send moves the parameters at most."""
    return sum((Fraction(network.updates[name].norm) for name in send.updates), Fraction(0))


def room_of(instance: TransfersInstance) -> Fraction | None:
    """Return the limit of the sum of norms of updates that only the server has."""
    return None if instance.divergence is None else Fraction(instance.divergence)


def moments(sends: Sequence[Send], queue: AppliedUpdates) -> dict[str, Fraction]:
    """Return when updates are applied."""
    turns = zip(queue.order, queue.at, strict=True)
    return {name: at for i, at in turns for name in sends[i].updates}


def value_of(instance: TransfersInstance, applied: Mapping[str, Fraction]) -> Fraction:
    """Return the value of the goal at these moments."""
    missing, late = len(instance.updates) - len(applied), Fraction(instance.drop_s)
    if instance.goal == "mean":
        return (sum(applied.values(), Fraction(0)) + missing * late) / len(instance.updates)
    return max([*applied.values(), *([late] if missing else [])])
