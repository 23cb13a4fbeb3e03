"""All node sets of Gandiva: who is let in where, and how widths share the servers."""

from collections import defaultdict
from collections.abc import Mapping

from .node_set import NodeSet, Unit, servers_for


class NodeSets:
    """Sets of servers, one width each, and the servers of none."""

    def __init__(self, sizes: Mapping[int, int]) -> None:
        """Begin with no set; `sizes` are the GPUs of all servers."""
        self.sets: list[NodeSet] = []
        self.free = dict(sizes)
        self._gpus = sum(sizes.values())

    def give_back(self) -> None:
        """Free the servers of sets that have no job."""
        for own in self.sets:
            if not own.units:
                self.free |= own.sizes
        self.sets = [own for own in self.sets if own.units]

    def admit(self, number: int, width: int) -> None:
        """Put a job where a slot is free, on new servers, or where the fewest take turns.

        It waits if all servers belong to other widths.
        """
        if all(len(own.units) >= len(own.slots) for own in self._alike(width)):
            self._add(width)
        if self._alike(width):
            self._emptiest(width).units.append(Unit([number]))

    def share_out(self, asked: Mapping[int, int]) -> None:
        """Give widths servers in proportion to the GPUs that their jobs ask for."""
        total, held = sum(asked.values()), defaultdict[int, int](int)
        for own in self.sets:
            held[own.width] += own.gpus
        target = {w: min(gpus, gpus * self._gpus // total) for w, gpus in asked.items()}
        for width in sorted(target, key=lambda w: (held[w] - target[w], w)):
            while held[width] < target[width]:
                self._clear(width, target, held)
                new = self._add(width)
                if new is None:
                    break
                held[width] += new.gpus
                self._balance(width)
        for width in sorted(target):
            while any(own.crowded for own in self._alike(width)) and self._add(width):
                self._balance(width)

    def balance(self) -> None:
        """Let jobs that wait for a turn move to sets of their width where fewer do."""
        for width in sorted({own.width for own in self.sets}):
            self._balance(width)

    def move(self, own: NodeSet, sizes: dict[int, int]) -> None:
        """Let a set change to free servers."""
        self._take(sizes)
        self.free |= own.sizes
        own.sizes = sizes

    def _alike(self, width: int) -> list[NodeSet]:
        return [own for own in self.sets if own.width == width]

    def _emptiest(self, width: int) -> NodeSet:
        return min(self._alike(width), key=lambda own: own.load)

    def _take(self, sizes: Mapping[int, int]) -> None:
        for server in sizes:
            del self.free[server]

    def _add(self, width: int) -> NodeSet | None:
        """Make a set of free servers, if these are enough."""
        sizes = servers_for(self.free, width)
        if sizes is None:
            return None
        self._take(sizes)
        self.sets.append(NodeSet(width, sizes))
        return self.sets[-1]

    def _clear(self, width: int, target: Mapping[int, int], held: dict[int, int]) -> None:
        """Dissolve sets of widths that have too much, if that gives enough for a new one."""
        pool, spare, left = dict(self.free), list[NodeSet](), dict(held)
        for own in sorted(self.sets, key=lambda own: own.load):
            if servers_for(pool, width):
                break
            most = left[own.width] - own.gpus >= target[own.width]
            if most and sum(o.width == own.width for o in spare) + 1 < len(self._alike(own.width)):
                left[own.width] -= own.gpus
                spare.append(own)
                pool |= own.sizes
        if servers_for(pool, width):
            for own in spare:
                self._dissolve(own)
            held |= left

    def _dissolve(self, own: NodeSet) -> None:
        """Free the servers of a set; its jobs join others of their width."""
        self.sets.remove(own)
        self.free |= own.sizes
        for unit in own.units:
            self._emptiest(own.width).units.append(unit)

    def _balance(self, width: int) -> None:
        """Move who waits longest for a turn from the fullest set to the emptiest."""
        while True:
            full, empty = max(self._alike(width), key=lambda own: own.load), self._emptiest(width)
            if not full.crowded or (len(empty.units) + 1) / len(empty.slots) >= full.load:
                return
            empty.units.append(full.units.pop())
