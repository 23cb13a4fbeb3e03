"""The linear program over placements of rings in a slot, which grows column by column."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from ...simulation.reserved import Floats, ReservedModel
from ..program import Matrix
from ..solver_interface.solve import IncrementalLP


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SlotRing:
    """A ring that may work in this slot."""

    job: int
    gains: tuple[float, ...]
    """Gains of a 1st, 2nd, .. worker, up to its most workers (q_i)."""
    sums: tuple[Fraction, ...]
    """The exact total gain of 0, 1, 2, .. workers."""


def ask_of(job: int, sums: Sequence[Fraction]) -> SlotRing:
    """Return the request of a ring, given the total gain of 0, 1, 2, .. workers."""
    gains = tuple(float(after - before) for before, after in pairwise(sums))
    return SlotRing(job=job, gains=gains, sums=tuple(sums))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RingSlotData:
    """Machines and links, and the rings that request them."""

    model: ReservedModel
    asks: tuple[SlotRing, ...]


class ResourcePrices(NamedTuple):
    """Prices of a unit: of each resource on each machine, of the uplinks of machines and racks."""

    machine: Floats
    uplink: Floats
    rack_uplink: Floats


class PlacementColumn(NamedTuple):
    """A placement of a ring, with its index among the slot's requests."""

    ask: int
    placement: dict[int, int]
    """Workers by machine."""
    gain: float

    @property
    def size(self) -> int:
        """The number of workers."""
        return sum(self.placement.values())


class MasterOptimum(NamedTuple):
    """An optimum: its gain, the weights of the columns, and the prices of rows and rings."""

    gain: float
    weights: Floats
    prices: ResourcePrices
    fees: Floats
    """The dual of the row of each ring: the price of being placed at all."""


class SlotMaster:
    """Rows are one for each ring, then resources, uplinks and rack uplinks as parts of limits."""

    def __init__(self, data: RingSlotData) -> None:
        """Start without placements."""
        self._model = model = data.model
        self._jobs = [ask.job for ask in data.asks]
        limits = [limit.ravel() for limit in model.limits]
        self._limits = np.concatenate(limits)
        self._splits = np.cumsum([part.size for part in limits])[:-1]
        self.columns: list[PlacementColumn] = []
        self._known: set[tuple[int, frozenset[tuple[int, int]]]] = set()
        rows = len(self._jobs) + self._limits.size
        # A program needs a column, so the first column is empty.
        self._lp = IncrementalLP(
            Matrix(
                columns=("nothing",),
                rows=tuple(map(str, range(rows))),
                cost=np.zeros(1),
                lower=np.zeros(1),
                upper=np.zeros(1),
                integer=np.zeros(1, dtype=np.bool_),
                a=csr_array((rows, 1)),
                row_lower=np.full(rows, -np.inf),
                row_upper=np.ones(rows),
            )
        )

    def add(self, column: PlacementColumn) -> bool:
        """Add a column, unless it is there, and return True if it is new."""
        key = column.ask, frozenset(column.placement.items())
        if key in self._known:
            return False
        self._known.add(key)
        self.columns.append(column)
        uses = dict(uses_of(self._model, self._jobs[column.ask], column.placement))
        rows = [column.ask, *(len(self._jobs) + place for place in uses)]
        parts = [1.0, *(amount / self._limits[place] for place, amount in uses.items())]
        self._lp.add_column(-column.gain, rows, parts)
        return True

    def solve(self) -> MasterOptimum:
        """Return the optimum over the columns so far."""
        found = self._lp.solve()
        duals = np.maximum(-found.duals, 0.0)
        fees, parts = duals[: len(self._jobs)], duals[len(self._jobs) :]
        each = np.divide(parts, self._limits, out=np.zeros_like(parts), where=self._limits > 0)
        machine, uplink, rack_uplink = np.split(each, self._splits)
        prices = ResourcePrices(machine.reshape(self._model.capacity.shape), uplink, rack_uplink)
        return MasterOptimum(-found.value, found.point[1:], prices, fees)


def uses_of(
    model: ReservedModel, job: int, placement: dict[int, int]
) -> Iterator[tuple[int, float]]:
    """Yield the limits that a placement uses, by number, with its amounts.

    Numbers go through resources machine by machine, then uplinks of machines, then of racks.
    """
    width, machines = model.capacity.shape[1], list(placement)
    for machine, count in placement.items():
        for resource in np.flatnonzero(model.worker[job]):
            yield machine * width + int(resource), count * float(model.worker[job, resource])
    racks = sorted({int(model.rack_of[machine]) for machine in machines})
    crossed = [(model.uplink, machine) for machine in machines if len(machines) > 1]
    crossed += [(model.rack_uplink, rack) for rack in racks if len(racks) > 1]
    for links, at in crossed:
        if model.reserved[job] and np.isfinite(links[at]):
            before = model.capacity.size + (model.uplink.size if links is model.rack_uplink else 0)
            yield before + at, float(model.reserved[job])
