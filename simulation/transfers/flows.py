"""The flows that a plan asks for, what becomes of a flow, and when the server applies it."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from typing import Literal, NamedTuple

from ...instances import Send
from .network import Network, Route

Role = Literal["member", "server", "replica"]
Rate = Fraction | int
"""In the units of the network."""


@dataclass(frozen=True, slots=True)
class Flow:
    """What goes from one node to another once it is ready and other flows have ended."""

    send: int
    """The number of its send."""
    role: Role
    """member: to the aggregator; server, replica: to these."""
    updates: tuple[str, ...]
    route: Route
    size: int
    ready: Fraction
    after: Sequence[int] = ()
    """Numbers of flows, all of them earlier ones; `ready` counts where there are none."""


class FlowPiece(NamedTuple):
    """A stretch of time in which a flow has one rate."""

    start: Fraction
    stop: Fraction
    rate: Rate


class FlowCourse(NamedTuple):
    """What becomes of a flow; it has no pieces if it has no way to go."""

    start: Fraction
    stop: Fraction
    pieces: Sequence[FlowPiece]


def flows_of(network: Network, number: int, send: Send, first: int) -> list[Flow]:
    """Return the flows of a send by priority; the first of them gets the number `first`."""
    instance, members = network.instance, [network.updates[name] for name in send.updates]
    source, found = members[0].worker, []
    if send.via is not None:
        source = send.via
        for one in members:
            route, size = network.route(one.worker, source), network.sizes[one.name]
            ready = Fraction(one.ready_s)
            found.append(Flow(number, "member", (one.name,), route, size, ready))
    after = range(first, first + len(found))
    size, ready = max(network.sizes[one.name] for one in members), Fraction(members[0].ready_s)
    targets: list[tuple[Role, str | None]] = [("server", instance.server)]
    if send.to == "both":
        targets.append(("replica", instance.replica))
    for role, target in targets:
        if target is not None:
            route = network.route(source, target)
            found.append(Flow(number, role, send.updates, route, size, ready, after))
    return found


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
