"""A node set of Gandiva: servers on which all jobs are as wide, and who takes turns there."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

Pieces = dict[int, int]
"""GPUs by server."""


class NodeSetKind(NamedTuple):
    """What all jobs of a set have in common: GPUs, and by number the servers they may use."""

    width: int
    reach: int = 0


@dataclass(slots=True)
class Unit:
    """A job, or two that share their GPUs, and where it ran last."""

    jobs: list[int]
    slot: int = 0


@dataclass(slots=True)
class NodeSet:
    """Servers for jobs of one kind; units take turns if there are more than slots."""

    kind: NodeSetKind
    sizes: Mapping[int, int]
    """GPUs of its servers."""
    units: list[Unit] = field(default_factory=list)

    @property
    def width(self) -> int:
        """GPUs of each of its jobs."""
        return self.kind.width

    @property
    def slots(self) -> list[Pieces]:
        """Disjoint places for a job."""
        return slots_of(self.sizes, self.width)

    @property
    def gpus(self) -> int:
        """GPUs of its servers."""
        return sum(self.sizes.values())

    @property
    def crowded(self) -> bool:
        """Whether a job waits for a turn."""
        return len(self.units) > len(self.slots)

    @property
    def load(self) -> float:
        """Units for each slot."""
        return len(self.units) / len(self.slots)

    def forget(self, there: Iterable[int]) -> None:
        """Drop the jobs that are no longer there."""
        known = set(there)
        for unit in self.units:
            unit.jobs = [number for number in unit.jobs if number in known]
        self.units = [unit for unit in self.units if unit.jobs]

    def rotate(self) -> None:
        """Let those that have had their turn wait, if another waits for it."""
        if self.crowded:
            turns = len(self.slots)
            self.units = self.units[turns:] + self.units[:turns]

    def running(self) -> list[tuple[Unit, Pieces]]:
        """Return whose turn it is, and where: in the slot of last time, if it can be."""
        slots = self.slots
        turn = self.units[: len(slots)]
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
