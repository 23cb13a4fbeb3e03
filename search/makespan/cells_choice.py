"""How many cells of each sort: what programs of cells say, and which jobs are alike in them."""

from collections.abc import Sequence
from math import ceil, inf
from typing import NamedTuple

import numpy as np

from ...formulations.program import Caps, Floats
from ...formulations.solver_interface.solve import solve
from ...instances import Limits
from ...simulation.model import Ints
from .blocks import NEVER
from .cells_program import JobGroup, SortedCell, choice_program, servers_program

NODES, NEAR = 100, 1e-3
"""Nodes of the second program, and the relative gap at which it ends."""

ALIKE, GROUPS = 1.03, 4
"""Jobs are one group if contention slows none of them down by so much more than another; else
they are so many groups."""


class ServersNeeded(NamedTuple):
    """Servers that do all jobs, in parts, and the reduced cost of each cell."""

    servers: float
    reduced: Floats


class CellChoice(NamedTuple):
    """Cells for all servers, and the slots that jobs need on them, could they be parted.

    Where those of `then` are, there are those of `first` until slot `until`.
    """

    cells: list[SortedCell]
    first: list[SortedCell]
    then: list[SortedCell]
    until: int
    slots: int

    def is_like(self, other: "CellChoice") -> bool:
        """Say whether the cells are the same."""
        return self[:3] == other[:3]

    def all_the_time(self) -> list[SortedCell]:
        """Return the cells in whose blocks jobs may start at any time, or after a while."""
        return [*self.then, *self.cells]


def servers_needed(
    cells: Sequence[SortedCell], groups: Sequence[JobGroup], horizon: float
) -> ServersNeeded:
    """Return the fewest servers that do all jobs, in parts, by a horizon."""
    program, count = servers_program(cells, groups, horizon), len(cells)
    found = solve(program)
    if found.value is None or found.duals is None:
        return ServersNeeded(inf, np.zeros(count))
    return ServersNeeded(found.value, (program.cost - program.a.T @ found.duals)[:count])


def choose(
    cells: Sequence[SortedCell],
    groups: Sequence[JobGroup],
    servers: int,
    horizon: float,
    limits: Limits,
    seed: int = 0,
    in_turn: bool = False,
) -> CellChoice | None:
    """Return cells of so many servers that carry little beyond a horizon, if any were found.

    With `in_turn` a few of the servers may be cut into some cells first, and then into others.
    """
    program = choice_program(cells, groups, horizon, servers, in_turn)
    caps = Caps(time_s=limits.left_s(), nodes=NODES, gap=NEAR, seed=seed)
    point = solve(program.matrix, caps=caps).point
    if point is None:
        return None
    counts = np.round(point).astype(int).tolist()
    first, then = (
        [cells[c] for c, times, column in columns for _ in range(times * counts[column])]
        for columns in (
            [(turn.cell, turn.times, turn.first) for turn in program.turns],
            [(turn.cell, turn.times, turn.then) for turn in program.turns],
        )
    )
    chosen = [one for one, n in zip(cells, counts, strict=False) for _ in range(n)]
    beyond = float(program.matrix.cost[program.beyond] @ point[program.beyond])
    leaves = sum(sum(one.cell.lanes) for one in (*chosen, *then))
    until = round(horizon * point[program.until])
    slots = ceil(horizon + beyond / leaves)
    return CellChoice(chosen, first, then, until, slots)


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
