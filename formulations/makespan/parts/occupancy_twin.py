"""The matrix of `occupancy` from arrays alone, equal to the Pyomo model's row by row."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from ....instances import MakespanInstance
from ...files.names import label
from ...program import Floats, Matrix
from .data import ProgramData
from .timetable import roomy_data

Ints = NDArray[np.int64]
Block = tuple[Ints, Ints, Ints]
"""Rows, columns and values of some entries."""


class RowFamily(NamedTuple):
    """The rows of one kind: their entries, counted from the family's first row, and bounds."""

    blocks: list[Block]
    lower: Floats
    upper: Floats


@dataclass(frozen=True, slots=True)
class ColumnGrid:
    """The job, server and slot of every column: one for the makespan, starts, GPUs."""

    data: ProgramData
    gpus: Ints
    release: Ints
    least: Ints
    sizes: Ints
    start: tuple[Ints, Ints]
    """Job and slot of each column `start`."""
    place: tuple[Ints, Ints, Ints]
    """Job, server and slot of each column `gpus`."""

    @property
    def first(self) -> int:
        """The first slot in which any job may work."""
        return int(self.release.min())

    @property
    def starts(self) -> Ints:
        """The columns `start`."""
        return 1 + np.arange(len(self.start[0]))

    @property
    def places(self) -> Ints:
        """The columns `gpus`."""
        return 1 + len(self.start[0]) + np.arange(len(self.place[0]))

    def working(self, jobs: Ints, slots: Ints) -> Ints:
        """Return the place of pairs of job and slot among all in which jobs may work."""
        before = np.cumsum(self.data.horizon - self.release)[:-1]
        return np.concatenate([[0], before])[jobs] + slots - self.release[jobs]


def twin(instance: MakespanInstance, horizon: int | None = None) -> Matrix:
    """Return the matrix of the relaxation with all jobs ended by `horizon`."""
    data, last = roomy_data(instance, horizon)
    grid = _grid(data)
    columns, rows = _columns(grid), _rows(grid)
    a, row_lower, row_upper = _stacked(grid, len(columns))
    room = np.array([[data.room(job, server) for server in data.sizes] for job in data.tasks])
    sizes = np.minimum(grid.gpus[grid.place[0]], room[grid.place[:2]])
    return Matrix(
        columns=columns,
        rows=rows,
        cost=np.eye(1, len(columns))[0],
        lower=np.zeros(len(columns)),
        upper=np.concatenate([[last], np.ones(len(grid.starts)), sizes]).astype(float),
        integer=np.ones(len(columns), dtype=np.bool_),
        a=a,
        row_lower=row_lower,
        row_upper=row_upper,
    )


def _grid(data: ProgramData) -> ColumnGrid:
    gpus, _, release, least = (np.array(row) for row in zip(*data.tasks.values(), strict=True))
    sizes = np.array(list(data.sizes.values()))
    job, late = _unroll(data.horizon - least - release + 1)
    owner, within = _unroll((data.horizon - release) * len(sizes))
    server, slot = np.divmod(within, (data.horizon - release)[owner])
    place = (owner, server, slot + release[owner])
    return ColumnGrid(data, gpus, release, least, sizes, (job, late + release[job]), place)


def _unroll(counts: Ints) -> tuple[Ints, Ints]:
    """Return 0, 0, ..., 1, 1, ... by the counts, and beside it 0, 1, ..., 0, 1, ..."""
    owner = np.repeat(np.arange(len(counts)), counts)
    return owner, np.arange(len(owner)) - (np.cumsum(counts) - counts)[owner]


def _stacked(grid: ColumnGrid, columns: int) -> tuple[Any, Floats, Floats]:
    """Return all rows, one family under the other, with their bounds."""
    families = [_once(grid), _gang(grid), _capacity(grid), _makespan(grid)]
    tops = np.cumsum([0, *(len(family.upper) for family in families)])
    entries = [
        (rows + top, places, values)
        for top, family in zip(tops, families, strict=False)
        for rows, places, values in family.blocks
    ]
    at_rows, at_columns, values = (np.concatenate(part) for part in zip(*entries, strict=True))
    a = coo_array((values.astype(float), (at_rows, at_columns)), shape=(tops[-1], columns))
    lower = np.concatenate([family.lower for family in families])
    return a.tocsr(), lower, np.concatenate([family.upper for family in families])


def _once(grid: ColumnGrid) -> RowFamily:
    ones = np.ones(len(grid.gpus))
    return RowFamily([(grid.start[0], grid.starts, np.ones_like(grid.starts))], ones, ones)


def _gang(grid: ColumnGrid) -> RowFamily:
    job, _, slot = grid.place
    held = (grid.working(job, slot), grid.places, np.ones_like(grid.places))
    start, later = _unroll(grid.least[grid.start[0]])
    job, slot = (part[start] for part in grid.start)
    running = (grid.working(job, slot + later), grid.starts[start], -grid.gpus[job])
    zeros = np.zeros(int((grid.data.horizon - grid.release).sum()))
    return RowFamily([held, running], zeros, zeros)


def _capacity(grid: ColumnGrid) -> RowFamily:
    _, server, slot = grid.place
    slots = grid.data.horizon - grid.first
    rows = server * slots + slot - grid.first
    upper = np.repeat(grid.sizes, slots).astype(float)
    blocks = [(rows, grid.places, np.ones_like(grid.places))]
    return RowFamily(blocks, np.full_like(upper, -np.inf), upper)


def _makespan(grid: ColumnGrid) -> RowFamily:
    job, slot = grid.start
    jobs = np.arange(len(grid.gpus))
    ends = (job, grid.starts, slot + grid.least[job])
    latest = (jobs, np.zeros_like(jobs), -np.ones_like(jobs))
    return RowFamily([ends, latest], np.full(len(jobs), -np.inf), np.zeros(len(jobs)))


def _columns(grid: ColumnGrid) -> tuple[str, ...]:
    data = grid.data
    jobs = {label(job): task.release for job, task in data.tasks.items()}
    starts = (f"start[{label(job)},{t}]" for job in data.tasks for t in data.starts(job))
    servers = [label(server) for server in data.sizes]
    places = (
        f"gpus[{job},{server},{t}]"
        for job, release in jobs.items()
        for server in servers
        for t in range(release, data.horizon)
    )
    return ("makespan_slots", *starts, *places)


def _rows(grid: ColumnGrid) -> tuple[str, ...]:
    data = grid.data
    jobs = [label(job) for job in data.tasks]
    return (
        *(f"every_job_once[{job}]" for job in jobs),
        *(f"gang[{label(job)},{t}]" for job, t in data.active()),
        *(
            f"capacity[{label(server)},{t}]"
            for server in data.sizes
            for t in range(grid.first, data.horizon)
        ),
        *(f"makespan[{job}]" for job in jobs),
    )
