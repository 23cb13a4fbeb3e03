"""How many cells of each sort: a program that shares out jobs, in parts, over their blocks.

Jobs of one size that contention slows down alike are one group. In a cell, leaves that lie in the
same blocks carry the same. The first program, linear, asks how many servers are needed until a
horizon; the second one takes whole numbers of the cells of least reduced cost, and minimises what
their leaves carry beyond the horizon, in all, which `blocks_anneal.py` does afterwards for whole
jobs.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import count
from math import ceil, inf
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from ...formulations.door.solve import solve
from ...formulations.program import Caps, Floats, Matrix
from ...instances import Limits
from ...simulation.model import Ints
from .blocks import NEVER
from .cells_shapes import ServerCell

KEPT = 14
"""Cells that the second program has, and those of one or two servers beside them."""

NODES, NEAR = 200, 1e-3
"""Nodes of the second program, and servers that it leaves undecided."""

ALIKE, GROUPS = 1.03, 4
"""Jobs are one group if contention slows none of them down by so much more than another; else
they are so many groups."""

FINER = 1.0
"""GPU-slots beyond the horizon that a cell may cost to be left out for one of fewer lanes."""


class SortedCell(NamedTuple):
    """A cell, and of what sort each of its blocks is: in blocks of one sort jobs take the same."""

    cell: ServerCell
    sorts: tuple[int, ...]


class CellChoice(NamedTuple):
    """Cells for all servers, and the slots that jobs need on them, could they be parted."""

    cells: list[SortedCell]
    slots: int


class JobGroup(NamedTuple):
    """Jobs of a size, by number, and the slots that all of them take in blocks of each sort."""

    gpus: int
    slots: Ints


def servers_needed(
    cells: Sequence[SortedCell], groups: Sequence[JobGroup], horizon: float
) -> tuple[float, Floats]:
    """Return the servers that do all jobs, in parts, by a horizon; and reduced costs of cells."""
    program = _program(cells, groups, horizon)
    found = solve(program)
    if found.value is None or found.duals is None:
        return inf, np.zeros(len(cells))
    return found.value, (program.cost - program.a.T @ found.duals)[: len(cells)]


def choose(
    cells: Sequence[SortedCell],
    groups: Sequence[JobGroup],
    reduced: Floats,
    servers: int,
    horizon: float,
    limits: Limits,
) -> CellChoice | None:
    """Return cells of so many servers that carry little beyond a horizon, if there are any."""
    few = set(np.argsort(reduced, kind="stable")[:KEPT].tolist())
    kept = [one for i, one in enumerate(cells) if i in few or one.cell.servers <= 2]
    caps = Caps(time_s=limits.left_s(), nodes=NODES, gap=NEAR)
    found = solve(_program(kept, groups, horizon, servers), caps=caps)
    if found.point is None or found.value is None:
        return None
    counts = np.round(found.point[: len(kept)]).astype(int).tolist()
    chosen = [one for one, n in zip(kept, counts, strict=True) for _ in range(n)]
    beyond = found.value - sum(FINER * len(one.cell.lanes) for one in chosen)
    leaves = sum(sum(one.cell.lanes) for one in chosen)
    return CellChoice(chosen, ceil(horizon + max(0.0, beyond) / leaves))


def group_jobs(gpus: Ints, slots: Ints) -> list[JobGroup]:
    """Group jobs, which take ``slots[j, sort]``; sorts of other sizes have `NEVER`."""
    groups = []
    for size in np.unique(gpus):
        jobs = np.flatnonzero(gpus == size)
        some = slots[jobs][:, (slots[jobs] < NEVER).all(axis=0)]
        slowed = some.sum(axis=1) / some.min(axis=1, initial=NEVER)
        alike = slowed.max() <= ALIKE * slowed.min()
        parts = np.array_split(jobs[np.argsort(slowed, kind="stable")], 1 if alike else GROUPS)
        groups += [JobGroup(int(size), slots[part].sum(axis=0)) for part in parts if part.size]
    return groups


def _program(
    cells: Sequence[SortedCell],
    groups: Sequence[JobGroup],
    horizon: float,
    servers: int | None = None,
) -> Matrix:
    """Return the second program, or the first one if no servers are given.

    Its columns: how many of each cell; what alike leaves carry beyond the horizon, in horizons;
    and which part of a group is in a block. Its rows: alike leaves; groups; and all servers.
    """
    alike = [_alike_leaves(one.cell) for one in cells]
    leaves = np.array([n for them in alike for n in them.values()], float)
    table, row = _CellTable(len(cells) + leaves.size), 0
    for c, (one, them) in enumerate(zip(cells, alike, strict=True)):
        rows = dict(zip(them, count(row), strict=False))
        for r in rows.values():
            table.put(r, c, 1.0)
            table.put(r, len(cells) + r, 1.0)
        for b, (block, sort) in enumerate(zip(one.cell.blocks, one.sorts, strict=True)):
            above = [r for held, r in rows.items() if b in held]
            for g, group in enumerate(groups):
                if group.gpus == block.gpus and group.slots[sort] < NEVER:
                    column = table.column()
                    table.put(leaves.size + g, column, 1.0)
                    for r in above:
                        table.put(r, column, -group.slots[sort] / horizon)
        row += len(them)
    if servers is not None:
        for c, one in enumerate(cells):
            table.put(leaves.size + len(groups), c, float(one.cell.servers))
    return _matrix(table, cells, leaves * horizon, len(groups), servers)


def _alike_leaves(cell: ServerCell) -> dict[tuple[int, ...], int]:
    """Return how many leaves lie in the same blocks, by these."""
    return Counter(
        tuple(b for b, block in enumerate(cell.blocks) if block.low <= leaf < block.high)
        for leaf in range(sum(cell.lanes))
    )


class _CellTable:
    """The values of a program, as they are put there."""

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.places = list[tuple[int, int]]()
        self.values = list[float]()

    def column(self) -> int:
        """Return a new column."""
        self.columns += 1
        return self.columns - 1

    def put(self, row: int, column: int, value: float) -> None:
        """Put a value there."""
        self.places.append((row, column))
        self.values.append(value)


def _matrix(
    table: _CellTable,
    cells: Sequence[SortedCell],
    beyond: Floats,
    groups: int,
    servers: int | None,
) -> Matrix:
    rows, columns, first = beyond.size + groups + (servers is not None), table.columns, len(cells)
    cost, upper, lower = np.zeros(columns), np.full(columns, inf), np.zeros(rows)
    lower[beyond.size : beyond.size + groups] = 1.0
    row_upper = np.where(np.arange(rows) < beyond.size, inf, 1.0)
    if servers is None:
        cost[:first] = [one.cell.servers for one in cells]
        upper[first : first + beyond.size] = 0.0
    else:
        cost[:first] = [FINER * len(one.cell.lanes) for one in cells]
        cost[first : first + beyond.size] = beyond
        row_upper[-1] = servers
    return Matrix(
        columns=tuple(map(str, range(columns))),
        rows=tuple(map(str, range(rows))),
        cost=cost,
        lower=np.zeros(columns),
        upper=upper,
        integer=(np.arange(columns) < first) & (servers is not None),
        a=csr_array((table.values, tuple(zip(*table.places, strict=True))), shape=(rows, columns)),
        row_lower=lower,
        row_upper=row_upper,
    )
