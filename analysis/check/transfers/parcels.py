"""What a plan sends, as far as it can be known: parcels, and the flows that carry them."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ....instances.transfers.instance import Hop, TransferPlan, TransfersInstance, Update


class Roads:
    """Finds each way once; all that start at one node are found together."""

    def __init__(self, instance: TransfersInstance) -> None:
        """Note at every node where its links lead, in their order."""
        self._beside: dict[str, list[str]] = {}
        for link in instance.links:
            self._beside.setdefault(link.a, []).append(link.b)
            self._beside.setdefault(link.b, []).append(link.a)
        self._trees: dict[str, dict[str, str]] = {}

    def between(self, source: str, target: str) -> tuple[Hop, ...]:
        """Return the way; it is empty from a node to itself."""
        if source not in self._trees:
            self._trees[source] = self._tree(source)
        way: list[Hop] = []
        while target != source:
            before = self._trees[source][target]
            way.append((before, target))
            target = before
        return tuple(reversed(way))

    def _tree(self, source: str) -> dict[str, str]:
        """Return from which node each is reached first."""
        came, queue = {source: source}, [source]
        for node in queue:
            for there in self._beside[node]:
                if there not in came:
                    came[there] = node
                    queue.append(there)
        return came


Rank = tuple[int, int]
"""The place of a flow: that of its send in the plan, and its own in the send."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ParcelFlow:
    """Data that go from node to node; each is equal to itself only."""

    rank: Rank
    way: tuple[Hop, ...]
    size: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel:
    """Updates that the server applies as one.

    The flows of `gather` bring the members to an aggregator, each from when it is ready on; a
    parcel that goes directly has none. When all have ended, or when its one member is ready,
    those of `deliver` start: to the server and, if it is copied, to the replica.
    """

    send: int
    members: tuple[Update, ...]
    gather: tuple[ParcelFlow, ...]
    deliver: tuple[ParcelFlow, ...]

    @property
    def norm(self) -> Fraction:
        """How far it may move the parameters."""
        return sum((Fraction(one.norm) for one in self.members), Fraction(0))


def parcels_of(instance: TransfersInstance, plan: TransferPlan) -> tuple[Parcel, ...]:
    """Return what counts of each send, where anything does.

    That is the first mention of every update. A copy without a replica is not sent. Where `via`
    is no aggregator, a single update goes directly, and several meet at the server.
    """
    updates, roads = {one.name: one for one in instance.updates}, Roads(instance)
    found: list[Parcel] = []
    for i, send in enumerate(plan.sends):
        names = [name for name in dict.fromkeys(send.updates) if name in updates]
        members = tuple(updates.pop(name) for name in names)
        via = send.via if send.via in instance.aggregators else None
        if len(members) > 1 and via is None:
            via = instance.server
        targets = [instance.server]
        if send.to == "both" and instance.replica is not None:
            targets.append(instance.replica)
        if members:
            found.append(_parcel(i, members, via, targets, roads))
    return tuple(found)


def _parcel(
    send: int, members: tuple[Update, ...], via: str | None, targets: Sequence[str], roads: Roads
) -> Parcel:
    legs = [] if via is None else [(one.worker, via, one.size_gb) for one in members]
    source, size = via or members[0].worker, max(one.size_gb for one in members)
    gathering = len(legs)
    legs += [(source, target, size) for target in targets]
    flows = tuple(
        ParcelFlow(rank=(send, k), way=roads.between(here, there), size=Fraction(size_gb))
        for k, (here, there, size_gb) in enumerate(legs)
    )
    gather, deliver = flows[:gathering], flows[gathering:]
    return Parcel(send=send, members=members, gather=gather, deliver=deliver)
