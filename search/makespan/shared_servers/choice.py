"""The number of servers per pattern: programs that divide jobs fractionally over their blocks.

Jobs of one size that contention slows down alike are one group. In a pattern, leaves that lie in
the same blocks carry the same load. The first program is linear: the servers needed by a horizon.
The second has whole patterns on the existing servers, and minimises the total load of their leaves
beyond the horizon. In it, some servers may be reused: they have some patterns first, and other
patterns for the remaining time.

The time of change is a variable, between a quarter and three quarters of the horizon. The idle
slots of the bundle's lanes are charged to the choice. The integer program stops after 100 nodes, so
its result depends on the seed of HiGHS.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import ceil, inf
from typing import NamedTuple

import numpy as np

from ....formulations.program import Caps, Floats, Matrix
from ....formulations.rows import Entry, GrownRows
from ....formulations.solver_interface.solve import solve
from ....instances import Limits
from ....simulation.model import Ints
from ..annealing.blocks import NEVER
from .patterns import PatternBlock, ServerPattern

IN_TURN, TIMES = 10, (1, 2)
"""Servers that are reused at most, and how many equal patterns a column stands for."""

TURN = 0.25
"""Least part of the horizon for either pattern of servers that are reused."""

FINER = 1.0
"""Penalty, in GPU-slots beyond the horizon, for each lane, and for each GPU of a first pattern."""


class SortedPattern(NamedTuple):
    """A pattern and the sort of each block. Jobs take equally long in all blocks of one sort."""

    pattern: ServerPattern
    sorts: tuple[int, ...]

    def lanes(self) -> list[tuple[PatternBlock, int]]:
        """Return the blocks that are whole lanes, each with its sort."""
        return [(self.pattern.blocks[i], self.sorts[i]) for i in self.pattern.whole_lanes()]


class JobGroup(NamedTuple):
    """Jobs of a size, by number, and the slots that all of them take in blocks of each sort."""

    gpus: int
    slots: Ints


class TurnColumns(NamedTuple):
    """Binary columns: are there `times` such patterns at first, or afterwards?"""

    pattern: int
    times: int
    first: int
    then: int


class ChoiceProgram(NamedTuple):
    """A program of whole patterns: its first columns are the number of each.

    Columns of `beyond` are loads of leaves beyond the horizon. `until` is the fraction of the
    horizon after which servers get their second pattern.
    """

    matrix: Matrix
    beyond: list[int]
    turns: list[TurnColumns]
    until: int


def servers_program(
    patterns: Sequence[SortedPattern], groups: Sequence[JobGroup], horizon: float
) -> Matrix:
    """Return the program of fewest servers. Its first columns are the number of each pattern."""
    program = _Sharing(groups, horizon)
    counts = [program.column(float(one.pattern.servers)) for one in patterns]
    for count, one in zip(counts, patterns, strict=True):
        program.share_out(one, [(count, 1.0)])
    return program.matrix()


def choice_program(
    patterns: Sequence[SortedPattern],
    groups: Sequence[JobGroup],
    horizon: float,
    servers: int,
    in_turn: bool,
) -> ChoiceProgram:
    """Return the program of least load beyond a horizon. With `in_turn` servers may be reused."""
    program = _Sharing(groups, horizon)
    held = [float(one.pattern.servers) for one in patterns]
    counts = [
        program.column(FINER * len(one.pattern.lanes), servers // one.pattern.servers, whole=True)
        for one in patterns
    ]
    until = program.column(0.0, 1.0 - TURN)
    turns, used, beyond = list[TurnColumns](), list[Entry](), list[int]()
    for c, one in enumerate(patterns):
        early, late = list[Entry](), list[Entry]()
        for times in TIMES if in_turn else ():
            if times * one.pattern.servers <= IN_TURN:
                turn, at_first, afterwards = program.turn(one, c, times, until)
                turns.append(turn)
                early.append((at_first, float(times)))
                late.append((afterwards, float(times)))
        used += [(column, held[c] * times) for column, times in (*early, *late)]
        beyond += program.share_out(one, [(counts[c], 1.0), *late], beyond=True)
        program.share_lanes(one, early)
    first = [(turn.first, held[turn.pattern] * turn.times) for turn in turns]
    then = [(turn.then, held[turn.pattern] * turn.times) for turn in turns]
    less = [(column, -number) for column, number in then]
    program.row(-inf, servers, [*zip(counts, held, strict=True), *then])
    program.row(-inf, IN_TURN, then)
    program.row(-inf, 0.0, [*first, *less])
    program.row(-inf, 0.0, [*used, *less])
    program.row(TURN, inf, [(until, 1.0)])
    return ChoiceProgram(program.matrix(), beyond, turns, until)


class _Sharing:
    """Columns and rows of a program in which blocks take parts of groups."""

    def __init__(self, groups: Sequence[JobGroup], horizon: float) -> None:
        self._groups, self._horizon = groups, horizon
        self._columns, self._rows = list[tuple[float, float, bool]](), GrownRows()
        self._parts = [list[Entry]() for _ in groups]

    def column(self, cost: float, upper: float = inf, whole: bool = False) -> int:
        """Append a column."""
        self._columns.append((cost, upper, whole))
        return len(self._columns) - 1

    def row(self, lower: float, upper: float, entries: Iterable[Entry]) -> None:
        """Append a row."""
        self._rows.add(str(len(self._rows.names)), lower, upper, entries)

    def share_out(
        self, one: SortedPattern, there: Sequence[Entry], beyond: bool = False
    ) -> list[int]:
        """Let the blocks of patterns take jobs. `there` is the number of patterns, in horizons.

        Return the columns of the loads of leaves beyond the horizon, if they may have any.
        """
        blocks, found = one.pattern.blocks, list[int]()
        taken = [self._taken(b.gpus, sort) for b, sort in zip(blocks, one.sorts, strict=True)]
        for inside, leaves in _alike_leaves(one.pattern).items():
            carried = [entry for b in inside for entry in taken[b]]
            if beyond:
                found.append(self.column(leaves * self._horizon))
                carried.append((found[-1], 1.0))
            self.row(0.0, inf, [*there, *carried])
        return found

    def share_lanes(self, one: SortedPattern, there: Sequence[Entry]) -> None:
        """Let the lanes of patterns take jobs of their own sizes."""
        if there:
            for (block, sort), lanes in Counter(
                (block.gpus, sort) for block, sort in one.lanes()
            ).items():
                self.row(0.0, inf, [*((c, lanes * n) for c, n in there), *self._taken(block, sort)])

    def _taken(self, gpus: int, sort: int) -> list[Entry]:
        """Return columns of the parts of groups that blocks of a sort take, and their horizons."""
        found = list[Entry]()
        for group, parts in zip(self._groups, self._parts, strict=True):
            if group.gpus == gpus and group.slots[sort] < NEVER:
                column = self.column(0.0)
                parts.append((column, 1.0))
                found.append((column, -group.slots[sort] / self._horizon))
        return found

    def turn(
        self, one: SortedPattern, c: int, times: int, until: int
    ) -> tuple[TurnColumns, int, int]:
        """Return columns of a pattern used in turn, and of the times for which it is used."""
        gpus = sum(block.gpus for block, _ in one.lanes())
        first = self.column(FINER * times * gpus, 1.0, whole=True)
        then = self.column(FINER * times * len(one.pattern.lanes), 1.0, whole=True)
        at_first, afterwards = self.column(0.0), self.column(0.0)
        for time, turn in ((at_first, first), (afterwards, then)):
            self.row(-inf, 0.0, [(time, 1.0), (turn, TURN - 1.0)])
        self.row(-inf, 0.0, [(at_first, 1.0), (until, -1.0)])
        self.row(-inf, 1.0, [(afterwards, 1.0), (until, 1.0)])
        return TurnColumns(c, times, first, then), at_first, afterwards

    def matrix(self) -> Matrix:
        """Return the program, infeasible if a group cannot be shared out as a whole."""
        for parts in self._parts:
            self.row(1.0, 1.0, parts or [(self.column(0.0, 0.0), 1.0)])
        cost, upper, whole = zip(*self._columns, strict=True)
        count = len(self._columns)
        return Matrix(
            columns=tuple(map(str, range(count))),
            cost=np.array(cost, float),
            lower=np.zeros(count),
            upper=np.array(upper, float),
            integer=np.array(whole),
            **self._rows.parts(count),
        )


def _alike_leaves(pattern: ServerPattern) -> dict[tuple[int, ...], int]:
    """Return how many leaves lie in the same blocks, by these."""
    blocks = list(enumerate(pattern.blocks))
    return Counter(
        tuple(b for b, block in blocks if block.low <= leaf < block.high)
        for leaf in range(sum(pattern.lanes))
    )


NODES, NEAR = 100, 1e-3
"""Nodes of the second program, and the relative gap at which it ends."""

ALIKE, GROUPS = 1.03, 4
"""Jobs are one group if contention slowdowns differ by at most this factor; else they are four
groups."""


class ServersNeeded(NamedTuple):
    """The number of servers that do all jobs, in parts, and the reduced cost of each pattern."""

    servers: float
    reduced: Floats


class PatternChoice(NamedTuple):
    """Patterns for all servers, and the slots that jobs need on them if they are divisible.

    The servers of `then` have the patterns of `first` until slot `until`.
    """

    patterns: list[SortedPattern]
    first: list[SortedPattern]
    then: list[SortedPattern]
    until: int
    slots: int

    def all_the_time(self) -> list[SortedPattern]:
        """Return the patterns in whose blocks jobs may start at any time, or after a while."""
        return [*self.then, *self.patterns]


def servers_needed(
    patterns: Sequence[SortedPattern], groups: Sequence[JobGroup], horizon: float
) -> ServersNeeded:
    """Return the fewest servers that do all jobs, in parts, by a horizon."""
    program, count = servers_program(patterns, groups, horizon), len(patterns)
    found = solve(program)
    if found.value is None or found.duals is None:
        return ServersNeeded(inf, np.zeros(count))
    return ServersNeeded(found.value, (program.cost - program.a.T @ found.duals)[:count])


def choose(
    patterns: Sequence[SortedPattern],
    groups: Sequence[JobGroup],
    servers: int,
    horizon: float,
    limits: Limits,
    seed: int = 0,
    in_turn: bool = False,
) -> PatternChoice | None:
    """Return patterns for all servers with little load beyond a horizon, if any were found.

    With `in_turn` a few of the servers may switch from some patterns to other ones.
    """
    program = choice_program(patterns, groups, horizon, servers, in_turn)
    caps = Caps(time_s=limits.left_s(), nodes=NODES, gap=NEAR, seed=seed)
    point = solve(program.matrix, caps=caps).point
    if point is None:
        return None
    counts = np.round(point).astype(int).tolist()
    first, then = list[SortedPattern](), list[SortedPattern]()
    for turn in program.turns:
        first += [patterns[turn.pattern]] * (turn.times * counts[turn.first])
        then += [patterns[turn.pattern]] * (turn.times * counts[turn.then])
    chosen = [one for one, n in zip(patterns, counts, strict=False) for _ in range(n)]
    beyond = float(program.matrix.cost[program.beyond] @ point[program.beyond])
    leaves = sum(sum(one.pattern.lanes) for one in (*chosen, *then))
    until = round(horizon * point[program.until])
    slots = ceil(horizon + beyond / leaves)
    return PatternChoice(chosen, first, then, until, slots)


def group_jobs(gpus: Ints, slots: Ints) -> list[JobGroup]:
    """Group jobs, which take ``slots[j, sort]``. Sorts of other sizes have `NEVER`."""
    groups = []
    for size in np.unique(gpus):
        jobs = np.flatnonzero(gpus == size)
        some = slots[jobs][:, (slots[jobs] < NEVER).all(axis=0)]
        slowed = some.sum(axis=1) / some.min(axis=1, initial=NEVER)
        alike = slowed.max() <= ALIKE * slowed.min()
        parts = np.array_split(jobs[np.argsort(slowed, kind="stable")], 1 if alike else GROUPS)
        groups += [JobGroup(int(size), slots[part].sum(axis=0)) for part in parts if part.size]
    return groups
