"""The ways through the network: the fewest hops, the first in the order of links among equals."""

from ....instances.transfers.instance import Hop, TransfersInstance


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
