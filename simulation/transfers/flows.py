"""The flows that a plan asks for, and what becomes of a flow."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
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
