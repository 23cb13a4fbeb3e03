"""All node sets of Gandiva: who is let in where, and how kinds of jobs share the servers."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from .node_set import NodeSet, NodeSetKind, Unit, servers_for


class NodeSets:
    """Sets of servers, one kind of job each, and the servers of none."""

    def __init__(self, sizes: Mapping[int, int], reach: Sequence[Collection[int]]) -> None:
        """Begin with no set; `sizes` are the GPUs of all servers, `reach` those of kinds."""
        self.sets: list[NodeSet] = []
        self.free = dict(sizes)
        self._reach, self._gpus = reach, sum(sizes.values())

    def open_to(self, kind: NodeSetKind) -> dict[int, int]:
        """Return the servers of no set that a kind may use."""
        return self._within(self.free, kind)

    def give_back(self) -> None:
        """Free the servers of sets that have no job."""
        for own in self.sets:
            if not own.units:
                self.free |= own.sizes
        self.sets = [own for own in self.sets if own.units]

    def admit(self, number: int, kind: NodeSetKind) -> None:
        """Put a job where a slot is free, on new servers, or where the fewest take turns.

        It waits if all servers belong to other kinds.
        """
        if all(len(own.units) >= len(own.slots) for own in self._alike(kind)):
            self._add(kind)
        if self._alike(kind):
            self._emptiest(kind).units.append(Unit([number]))

    def share_out(self, asked: Mapping[NodeSetKind, int]) -> None:
        """Give kinds servers in proportion to the GPUs that their jobs ask for."""
        total, held = sum(asked.values()), defaultdict[NodeSetKind, int](int)
        for own in self.sets:
            held[own.kind] += own.gpus
        target = {k: min(gpus, gpus * self._gpus // total) for k, gpus in asked.items()}
        for kind in sorted(target, key=lambda k: (held[k] - target[k], k)):
            while held[kind] < target[kind]:
                self._clear(kind, target, held)
                new = self._add(kind)
                if new is None:
                    break
                held[kind] += new.gpus
                self._balance(kind)
        for kind in sorted(target):
            while any(own.crowded for own in self._alike(kind)) and self._add(kind):
                self._balance(kind)

    def balance(self) -> None:
        """Let jobs that wait for a turn move to sets of their kind where fewer do."""
        for kind in sorted({own.kind for own in self.sets}):
            self._balance(kind)

    def move(self, own: NodeSet, sizes: dict[int, int]) -> None:
        """Let a set change to free servers."""
        self._take(sizes)
        self.free |= own.sizes
        own.sizes = sizes

    def _within(self, sizes: Mapping[int, int], kind: NodeSetKind) -> dict[int, int]:
        return {s: sizes[s] for s in sizes if s in self._reach[kind.reach]}

    def _alike(self, kind: NodeSetKind) -> list[NodeSet]:
        return [own for own in self.sets if own.kind == kind]

    def _emptiest(self, kind: NodeSetKind) -> NodeSet:
        return min(self._alike(kind), key=lambda own: own.load)

    def _take(self, sizes: Mapping[int, int]) -> None:
        for server in sizes:
            del self.free[server]

    def _add(self, kind: NodeSetKind) -> NodeSet | None:
        """Make a set of free servers, if these are enough."""
        self._send_away(kind)
        sizes = servers_for(self.open_to(kind), kind.width)
        if sizes is None:
            return None
        self._take(sizes)
        self.sets.append(NodeSet(kind, sizes))
        return self.sets[-1]

    def _send_away(self, kind: NodeSetKind) -> None:
        """Move sets that may use more servers than a kind to others that are free, if it needs."""
        servers = self._reach[kind.reach]
        for own in [o for o in self.sets if len(self._reach[o.kind.reach]) > len(servers)]:
            if servers_for(self.open_to(kind), kind.width):
                return
            if any(server in servers for server in own.sizes):
                elsewhere = {s: g for s, g in self.open_to(own.kind).items() if s not in servers}
                sizes = servers_for(elsewhere, own.width)
                if sizes is not None:
                    self.move(own, sizes)

    def _clear(
        self, kind: NodeSetKind, target: Mapping[NodeSetKind, int], held: dict[NodeSetKind, int]
    ) -> None:
        """Dissolve sets of kinds that have too much, if that gives enough for a new one."""
        pool, spare, left = self.open_to(kind), list[NodeSet](), dict(held)
        for own in sorted(self.sets, key=lambda own: own.load):
            if servers_for(pool, kind.width):
                break
            servers = self._within(own.sizes, kind)
            most = bool(servers) and left[own.kind] - own.gpus >= target[own.kind]
            if most and sum(o.kind == own.kind for o in spare) + 1 < len(self._alike(own.kind)):
                left[own.kind] -= own.gpus
                spare.append(own)
                pool |= servers
        if servers_for(pool, kind.width):
            for own in spare:
                self._dissolve(own)
            held |= left

    def _dissolve(self, own: NodeSet) -> None:
        """Free the servers of a set; its jobs join others of their width."""
        self.sets.remove(own)
        self.free |= own.sizes
        for unit in own.units:
            self._emptiest(own.kind).units.append(unit)

    def _balance(self, kind: NodeSetKind) -> None:
        """Move who waits longest for a turn from the fullest set to the emptiest."""
        while True:
            full, empty = max(self._alike(kind), key=lambda own: own.load), self._emptiest(kind)
            if not full.crowded or (len(empty.units) + 1) / len(empty.slots) >= full.load:
                return
            empty.units.append(full.units.pop())
