"""Flows by priority: each takes the bandwidth that those before it leave.

So a flow knows nothing of those behind it, and flows can be laid down one after the other, each in
what is left of the links of its route over time.
"""

from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby, pairwise
from operator import itemgetter

from .flows import Flow, FlowCourse, FlowPiece, Rate
from .network import Network, Route

Steps = tuple[Sequence[Fraction], Sequence[Rate]]
"""Moments, the first of them 0, and what is left of a hop's bandwidth from each to the next."""


class Ordered:
    """What the flows so far leave of each hop."""

    def __init__(self, network: Network, left: dict[int, Steps] | None = None) -> None:
        """Begin with links that are free, or with what is left of those that are not."""
        self._network = network
        self._left = {} if left is None else left

    def copy(self) -> "Ordered":
        """Return another one to go on from here."""
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
        """Return when so much would flow if it came next; nothing over an empty route."""
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
    """Return where steps begin, and how high they are; what cancels out makes no step."""
    times: list[Fraction] = []
    heights: list[Rate] = []
    for moment, group in groupby(jumps, key=itemgetter(0)):
        jump = sum(rise for _, rise in group)
        if jump:
            height += jump
            times.append(moment)
            heights.append(height)
    return times, heights
