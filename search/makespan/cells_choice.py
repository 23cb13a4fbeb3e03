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

KEPT = 24
"""Cells that the second program has, and those of one or two servers beside them."""

NODES, NEAR = 200, 1e-3
"""Nodes of the second program, and servers that it leaves undecided."""

ALIKE, GROUPS = 1.03, 4
"""Jobs are one group if contention slows none of them down by so much more than another; else
they are so many groups."""

TURN = 0.25
"""Part of the horizon, at least, that a cell which is two in turn is each of them."""

FINER = 1.0
"""GPU-slots beyond the horizon that a cell may cost to be left out for one of fewer lanes, or with
fewer GPUs in early blocks."""


class SortedCell(NamedTuple):
    """A cell, and of what sort each of its blocks is: in blocks of one sort jobs take the same."""

    cell: ServerCell
    sorts: tuple[int, ...]


class CellChoice(NamedTuple):
    """Cells for all servers, and the slots that jobs need on them, could they be parted.

    All early blocks of each cell are used for `early` slots of these.
    """

    cells: list[SortedCell]
    slots: int
    early: list[float]


class JobGroup(NamedTuple):
    """Jobs of a size, by number, and the slots that all of them take in blocks of each sort."""

    gpus: int
    slots: Ints


class ServersNeeded(NamedTuple):
    """Servers that do all jobs, in parts, and how many of each cell, with its reduced cost."""

    servers: float
    cells: Floats
    reduced: Floats


def servers_needed(
    cells: Sequence[SortedCell], groups: Sequence[JobGroup], horizon: float
) -> ServersNeeded:
    """Return the fewest servers that do all jobs, in parts, by a horizon."""
    program, _ = _program(cells, groups, horizon)
    found, first = solve(program), len(cells)
    if found.value is None or found.duals is None or found.point is None:
        return ServersNeeded(inf, np.zeros(first), np.zeros(first))
    reduced = program.cost - program.a.T @ found.duals
    return ServersNeeded(found.value, found.point[:first], reduced[:first])


def choose(
    cells: Sequence[SortedCell],
    groups: Sequence[JobGroup],
    reduced: Floats,
    servers: int,
    horizon: float,
    limits: Limits,
) -> CellChoice | None:
    """Return cells of so many servers that carry little beyond a horizon, if there are any.

    The last ones, of which no reduced cost is given, are kept.
    """
    few = {*np.argsort(reduced, kind="stable")[:KEPT].tolist(), *range(reduced.size, len(cells))}
    kept = [one for i, one in enumerate(cells) if i in few or one.cell.servers <= 2]
    caps = Caps(time_s=limits.left_s(), nodes=NODES, gap=NEAR)
    program, turns = _program(kept, groups, horizon, servers)
    found = solve(program, caps=caps)
    if found.point is None or found.value is None:
        return None
    counts = np.round(found.point[: len(kept)]).astype(int).tolist()
    numbers = [c for c, n in enumerate(counts) for _ in range(n)]
    chosen = [kept[c] for c in numbers]
    beyond = found.value - sum(_fineness(one.cell) for one in chosen)
    leaves = sum(sum(one.cell.lanes) for one in chosen)
    early = [horizon * found.point[turns[c]] / counts[c] if c in turns else 0.0 for c in numbers]
    return CellChoice(chosen, ceil(horizon + max(0.0, beyond) / leaves), early)


def _fineness(cell: ServerCell) -> float:
    return FINER * (len(cell.lanes) + _early_gpus(cell))


def _early_gpus(cell: ServerCell) -> int:
    return sum(block.gpus for block in cell.blocks if block.early)


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
) -> tuple[Matrix, dict[int, int]]:
    """Return the second program, or the first one if no servers are given.

    Its columns: how many of each cell; what alike leaves carry beyond the horizon, in horizons;
    which part of a group is in a block, and for how long all early blocks of a cell are used, in
    horizons: these columns are returned as well, by cell. Its rows: alike leaves, and early blocks;
    groups; all servers; and limits of cells with early blocks.
    """
    alike = [_alike_leaves(one.cell) for one in cells]
    leaves = np.array([n for them in alike for n in them.values()], float)
    table, row, turns = _CellTable(len(cells) + leaves.size), 0, dict[int, int]()
    for c, (one, them) in enumerate(zip(cells, alike, strict=True)):
        rows = dict(zip(them, count(row), strict=False))
        if not all(them.values()):
            turns[c] = table.column()
        for r, n in zip(rows.values(), them.values(), strict=True):
            table.put(r, c if n else turns[c], 1.0)
            table.put(r, len(cells) + r, 1.0)
            if n and c in turns:
                table.put(r, turns[c], -1.0)
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
        _limit(turns, table, leaves.size + len(groups) + 1)
    return _matrix(table, cells, leaves * horizon, len(groups), servers), turns


def _limit(turns: dict[int, int], table: "_CellTable", row: int) -> None:
    """Let one cell at most be two in turn, each of them for a part of the horizon."""
    for c, column in turns.items():
        table.put(row, c, -1.0)
        table.put(row + 1, c, -TURN)
        table.put(row + 1, column, 1.0)
        table.put(row + 2, c, 1.0 - TURN)
        table.put(row + 2, column, -1.0)


def _alike_leaves(cell: ServerCell) -> dict[tuple[int, ...], int]:
    """Return how many leaves lie in the same blocks, by these; early blocks are apart, with 0."""
    blocks = list(enumerate(cell.blocks))
    alike: dict[tuple[int, ...], int] = Counter(
        tuple(b for b, block in blocks if block.low <= leaf < block.high and not block.early)
        for leaf in range(sum(cell.lanes))
    )
    return dict(alike) | {(b,): 0 for b, block in blocks if block.early}


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
    rows, columns, first = 1 + max(row for row, _ in table.places), table.columns, len(cells)
    cost, upper, lower = np.zeros(columns), np.full(columns, inf), np.zeros(rows)
    lower[beyond.size : beyond.size + groups] = 1.0
    row_upper = np.where(lower > 0.0, 1.0, inf)
    lower[beyond.size + groups + 1 : beyond.size + groups + 2] = -1.0
    upper[first : first + beyond.size][beyond == 0] = 0.0
    if servers is None:
        cost[:first] = [one.cell.servers for one in cells]
        upper[first : first + beyond.size] = 0.0
    else:
        cost[:first] = [_fineness(one.cell) for one in cells]
        cost[first : first + beyond.size] = beyond
        row_upper[beyond.size + groups] = servers
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
