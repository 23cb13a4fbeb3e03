"""Play a plan of transfers through."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...instances import NO_LIMITS, Limits, Send, TransferPlan, TransfersInstance
from .fair import share
from .flows import AppliedUpdates, Arrival, Flow, FlowCourse, apply_in_turn, flows_of
from .network import Network
from .ordered import Ordered


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What became of a plan; moments are in seconds."""

    flows: tuple[Flow, ...]
    courses: tuple[FlowCourse, ...]
    """Of the flows; rates are in units of the network."""
    arrivals: tuple[Arrival, ...]
    """Of the sends."""
    applied: Mapping[str, Fraction]
    """Updates in the order in which they are applied; those that wait in vain are missing."""
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
    """Return what becomes of a plan; `network` is the instance made ready, if it is at hand.

    Raises:
        TimeoutError: If links are shared fairly and the time is up before all is sent.
    """
    network = network or Network.of(instance)
    flows: list[Flow] = []
    for number, send in enumerate(plan.sends):
        flows += flows_of(network, number, send, len(flows))
    fair = plan.sharing == "fair"
    courses = share(network, flows, limits) if fair else laid(Ordered(network), flows)
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
    """Return what the norms may add up to that only the server has."""
    return None if instance.divergence is None else Fraction(instance.divergence)


def moments(sends: Sequence[Send], queue: AppliedUpdates) -> dict[str, Fraction]:
    """Return when updates are applied."""
    turns = zip(queue.order, queue.at, strict=True)
    return {name: at for i, at in turns for name in sends[i].updates}


def value_of(instance: TransfersInstance, applied: Mapping[str, Fraction]) -> Fraction:
    """Return what the goal makes of the moments."""
    missing, late = len(instance.updates) - len(applied), Fraction(instance.drop_s)
    if instance.goal == "mean":
        return (sum(applied.values(), Fraction(0)) + missing * late) / len(instance.updates)
    return max([*applied.values(), *([late] if missing else [])])
