"""The server's queue: updates are applied as they arrive, and wait for the replica."""

from collections.abc import Sequence
from fractions import Fraction
from heapq import heappop, heappush
from typing import NamedTuple


class Arrival(NamedTuple):
    """When a send arrives, and its copy; None if there is none."""

    at: Fraction
    copy: Fraction | None
    norm: Fraction
    """Of all its updates."""


class AppliedUpdates(NamedTuple):
    """When sends are applied, and how far the replica falls behind."""

    order: list[int]
    """Numbers of sends, in the order in which they are applied."""
    at: list[Fraction]
    """Their moments; sends that wait in vain are in neither list."""
    spread: Fraction


def apply_in_turn(arrivals: Sequence[Arrival], room: Fraction | None) -> AppliedUpdates:
    """Apply sends first come first served; `room` is what norms may add up to, None: any."""
    order = sorted(range(len(arrivals)), key=lambda i: (arrivals[i].at, i))
    found = AppliedUpdates([], [], Fraction(0))
    now, ahead, spread = Fraction(0), Fraction(0), Fraction(0)
    coming: list[tuple[Fraction, Fraction]] = []
    for i in order:
        at, copy, norm = arrivals[i]
        now = max(now, at)
        if copy is not None:
            heappush(coming, (copy, norm))
        ahead += norm
        while coming and (coming[0][0] <= now or (room is not None and ahead > room)):
            moment, copied = heappop(coming)
            now, ahead = max(now, moment), ahead - copied
        if room is not None and ahead > room:
            break
        found.order.append(i)
        found.at.append(now)
        spread = max(spread, ahead)
    return found._replace(spread=spread)
