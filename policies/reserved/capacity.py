"""What is free in one slot, on machines and links, and where a ring fits into it.

Amounts are whole numbers in floating point, so nothing is ever rounded.
"""

import numpy as np

from ...simulation.reserved.model import Floats, Ints, ReservedModel, fits

Placement = dict[int, int]
"""Workers by machine."""


class SlotCapacity:
    """Machines and links in one slot."""

    def __init__(self, model: ReservedModel) -> None:
        """Start with everything free."""
        self._model = model
        self._free = model.capacity.copy()
        self._uplink = model.uplink.copy()
        self._rack_uplink = model.rack_uplink.copy()

    def take(self, job: int, placement: Placement) -> bool:
        """Let a ring hold a placement if all of it fits; say whether it does."""
        machines, uplinks, racks = self._touched(placement)
        needs = np.outer(list(placement.values()), self._model.worker[job])
        band = self._model.reserved[job]
        if (
            (needs > self._free[machines]).any()
            or (self._uplink[uplinks] < band).any()
            or (self._rack_uplink[racks] < band).any()
        ):
            return False
        self._add(machines, uplinks, racks, -needs, -band)
        return True

    def give(self, job: int, placement: Placement) -> None:
        """Take a placement back that a ring holds."""
        needs = np.outer(list(placement.values()), self._model.worker[job])
        self._add(*self._touched(placement), needs, self._model.reserved[job])

    def room(self, job: int) -> Ints:
        """Return how many workers of a ring fit on each machine, by its resources."""
        return fits(self._free, self._model.worker[job])

    def place(self, job: int, most: int) -> Placement:
        """Return where up to `most` workers fit: as many as can be, on as few links as can be.

        Inside the machine with the least room to spare; else on few machines of one rack, the one
        with the least room to spare; else on few machines of the cluster.
        """
        model, band = self._model, self._model.reserved[job]
        room = self.room(job)
        linked = np.where(self._uplink >= band, room, 0)
        by_rack = np.bincount(model.rack_of, linked, len(self._rack_uplink)).astype(np.int64)
        beyond = np.where(self._rack_uplink[model.rack_of] >= band, linked, 0)
        best = min(most, max(room.max(), by_rack.max(), beyond.sum()))
        if best <= room.max():
            machine = _tightest(room, best)
            return {machine: int(best)} if best else {}
        if best <= by_rack.max():
            return _few(np.where(model.rack_of == _tightest(by_rack, best), linked, 0), best)
        return _few(beyond, best)

    def _touched(self, placement: Placement) -> tuple[Ints, Ints, Ints]:
        """Return the machines of a placement, the uplinks it crosses, and those of racks."""
        machines = np.array(list(placement), dtype=np.int64)
        racks = np.unique(self._model.rack_of[machines])
        none = machines[:0]
        return (
            machines,
            machines if len(machines) > 1 else none,
            racks if len(racks) > 1 else none,
        )

    def _add(
        self, machines: Ints, uplinks: Ints, racks: Ints, amounts: Floats, band: float
    ) -> None:
        self._free[machines] += amounts
        self._uplink[uplinks] += band
        self._rack_uplink[racks] += band


def _tightest(room: Ints, count: int) -> int:
    """Return where `count` fits with the least room to spare."""
    return int(np.where(room >= count, room, np.iinfo(np.int64).max).argmin())


def _few(room: Ints, count: int) -> Placement:
    """Return `count` workers on few machines, those with most room first."""
    placement: Placement = {}
    for machine in np.argsort(-room, kind="stable"):
        if count:
            placement[int(machine)] = int(min(count, room[machine]))
            count -= placement[int(machine)]
    return placement
