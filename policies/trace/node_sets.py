"""All node sets of Gandiva: admission, and the division of servers among kinds of jobs.

A node set of Gandiva has servers whose jobs all have the same width and take turns.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field
from operator import attrgetter
from typing import NamedTuple

from ...simulation.trace.views import GrantedGpus

Pieces = dict[int, int]
"""GPUs by server."""


class NodeSetKind(NamedTuple):
    """The kind of jobs of a set: their GPUs, and by number the servers that they may use."""

    width: int
    reach: int = 0


@dataclass(slots=True)
class Unit:
    """A job, or two that share their GPUs, and their last place."""

    jobs: list[int]
    slot: int = 0


@dataclass(slots=True)
class NodeSet:
    """Servers for jobs of one kind. Units take turns if they outnumber the slots."""

    kind: NodeSetKind
    sizes: Mapping[int, int]
    """GPUs of its servers, replaced if they change."""
    units: list[Unit] = field(default_factory=list)
    grants: Mapping[int, GrantedGpus] | None = field(default=None, compare=False)
    """GPUs of the jobs whose turn it is, None after a change of its units or servers."""
    _slots: tuple[Mapping[int, int], list[Pieces]] = field(default=({}, []), compare=False)
    """The slots, behind the servers that they are on."""

    @property
    def width(self) -> int:
        """GPUs of each of its jobs."""
        return self.kind.width

    @property
    def slots(self) -> list[Pieces]:
        """Disjoint places for a job."""
        if self._slots[0] is not self.sizes:
            self._slots = self.sizes, slots_of(self.sizes, self.width)
        return self._slots[1]

    @property
    def gpus(self) -> int:
        """GPUs of its servers."""
        return sum(self.sizes.values())

    @property
    def crowded(self) -> bool:
        """True if a job waits for a turn."""
        return len(self.units) > len(self.slots)

    @property
    def load(self) -> float:
        """Units for each slot."""
        return len(self.units) / len(self.slots)

    def forget(self, ended: Set[int]) -> None:
        """Drop the jobs that have ended."""
        for unit in self.units:
            if not ended.isdisjoint(unit.jobs):
                unit.jobs = [number for number in unit.jobs if number not in ended]
                self.grants = None
        if self.grants is None:
            self.units = [unit for unit in self.units if unit.jobs]

    def add(self, unit: Unit) -> None:
        """Let a unit wait for its turn behind the others."""
        self.units.append(unit)
        self.grants = None

    def rotate(self) -> None:
        """Pause units that have had their turn, if other units wait."""
        if self.crowded:
            turns = len(self.slots)
            self.units = self.units[turns:] + self.units[:turns]
            self.grants = None

    def running(self) -> list[tuple[Unit, Pieces]]:
        """Return whose turn it is, and where: in the slot of last time, if it can be."""
        slots = self.slots
        turn = self.units[: len(slots)]
        used = {unit.slot for unit in turn}
        if len(used) == len(turn) and max(used, default=0) < len(slots):
            return [(unit, slots[unit.slot]) for unit in turn]
        free = set(range(len(slots)))
        moved = []
        for unit in turn:
            if unit.slot in free:
                free.remove(unit.slot)
            else:
                moved.append(unit)
        for unit, slot in zip(moved, sorted(free), strict=False):
            unit.slot = slot
        return [(unit, slots[unit.slot]) for unit in turn]


_load = attrgetter("load")


def slots_of(sizes: Mapping[int, int], width: int) -> list[Pieces]:
    """Return as many disjoint places for `width` GPUs as there are, server by server."""
    slots: list[Pieces] = []
    piece: Pieces = {}
    for server, size in sizes.items():
        left = size
        while left > 0:
            need = width - sum(piece.values())
            piece[server] = min(left, need)
            left -= piece[server]
            if need == piece[server]:
                slots.append(piece)
                piece = {}
    return slots


def servers_for(free: Mapping[int, int], width: int) -> dict[int, int] | None:
    """Return the servers of a new set: one with the least left over, else the largest ones."""
    fits = [server for server, size in free.items() if size >= width]
    if fits:
        best = min(fits, key=lambda s: (free[s] % width, free[s], s))
        return {best: free[best]}
    chosen: dict[int, int] = {}
    for server in sorted(free, key=lambda s: (-free[s], s)):
        chosen[server] = free[server]
        if sum(chosen.values()) >= width:
            return chosen
    return None


class NodeSets:
    """Sets of servers with one kind of job each, and the free servers."""

    def __init__(self, sizes: Mapping[int, int], reach: Sequence[Collection[int]]) -> None:
        """Start without sets. `sizes` are the GPUs of all servers, `reach` the servers of kinds."""
        self.sets: list[NodeSet] = []
        self.free = dict(sizes)
        self._reach, self._gpus = reach, sum(sizes.values())
        self._refused = set[NodeSetKind]()
        """Kinds that found too few free servers since these changed last."""

    def open_to(self, kind: NodeSetKind) -> dict[int, int]:
        """Return the servers of no set that a kind may use."""
        return self._within(self.free, kind)

    def give_back(self) -> None:
        """Free the servers of sets that have no job."""
        for own in self.sets:
            if not own.units:
                self._release(own)
        self.sets = [own for own in self.sets if own.units]

    def admit(self, number: int, kind: NodeSetKind) -> bool:
        """Put a job where a slot is free, on new servers, or where the fewest take turns.

        It waits if all servers belong to other kinds. Then return False.
        """
        alike = self._alike(kind)
        if all(len(own.units) >= len(own.slots) for own in alike):
            new = self._add(kind)
            alike += [new] if new else []
        if alike:
            min(alike, key=_load).add(Unit([number]))
        return bool(alike)

    def may_find(self, kind: NodeSetKind) -> bool:
        """Return True if servers have changed hands since a kind found too few."""
        return kind not in self._refused

    def share_out(self, asked: Mapping[NodeSetKind, int]) -> None:
        """Give kinds servers in proportion to the GPUs that their jobs request."""
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
        self._release(own)
        own.sizes, own.grants = sizes, None

    def _within(self, sizes: Mapping[int, int], kind: NodeSetKind) -> dict[int, int]:
        return {s: sizes[s] for s in sizes if s in self._reach[kind.reach]}

    def _alike(self, kind: NodeSetKind) -> list[NodeSet]:
        return [own for own in self.sets if own.kind == kind]

    def _emptiest(self, kind: NodeSetKind) -> NodeSet:
        return min(self._alike(kind), key=_load)

    def _take(self, sizes: Mapping[int, int]) -> None:
        for server in sizes:
            del self.free[server]
        self._refused.clear()

    def _release(self, own: NodeSet) -> None:
        self.free |= own.sizes
        self._refused.clear()

    def _add(self, kind: NodeSetKind) -> NodeSet | None:
        """Make a set of free servers, if these are enough."""
        if kind in self._refused:
            return None
        self._refused.add(kind)  # If servers change hands, it is removed again.
        self._send_away(kind)
        sizes = servers_for(self.open_to(kind), kind.width)
        if sizes is None:
            return None
        self._take(sizes)
        self.sets.append(NodeSet(kind, sizes))
        return self.sets[-1]

    def _send_away(self, kind: NodeSetKind) -> None:
        """Move sets with a wider choice of servers to free ones, if a kind needs theirs."""
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
        for own in sorted(self.sets, key=_load):
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
        """Free the servers of a set. Its jobs join other sets of their width."""
        self.sets.remove(own)
        self._release(own)
        for unit in own.units:
            self._emptiest(own.kind).add(unit)

    def _balance(self, kind: NodeSetKind) -> None:
        """Move who waits longest for a turn from the fullest set to the emptiest."""
        while True:
            full, empty = max(self._alike(kind), key=_load), self._emptiest(kind)
            if not full.crowded or (len(empty.units) + 1) / len(empty.slots) >= full.load:
                return
            empty.add(full.units.pop())
            full.grants = None
