"""An irreducible infeasible part of a program: rows and bounds that are all needed.

Found by a deletion filter: leave out a part, and if the program is still infeasible, leave it out
for good. Parts are halves first, single ones at last. A linear program starts from the rows with a
price in its elastic version, which minimises the sum of the violations of the rows: by duality
these rows are infeasible together with the bounds.
"""

import ast
import re
import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple, TypeVar

import numpy as np
from scipy.sparse import csr_array, eye_array, hstack

from ..instances import SolutionStatus
from .program import Caps, Floats, Matrix, Solution
from .solver_interface.solve import NO_CAPS, solve

WORDS = {"j": "job", "s": "server", "t": "slot"}
"""The words for index letters of docstrings, if any."""

DECLARED = re.compile(r"^ +(\w+)\[([^\]]*)\]", re.MULTILINE)
"""A component and its index letters in the docstring of a formulation."""

INDEX = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,]+""")
"""One index in the name of a row, quoted if it has signs."""


def letters(docstring: str) -> dict[str, tuple[str, ...]]:
    """Return the index letters of each component that a formulation's docstring declares."""
    return {
        name: tuple(letter.strip() for letter in inside.split(","))
        for name, inside in DECLARED.findall(docstring)
    }


def parts(name: str) -> tuple[str, tuple[str, ...]]:
    """Split the name of a row: ``capacity[s1,3]`` is ``capacity`` with ``s1`` and ``3``."""
    component, _, inside = name.partition("[")
    found = INDEX.findall(inside.removesuffix("]"))
    return component, tuple(ast.literal_eval(one) if one[0] in "'\"" else one for one in found)


def without_slots(name: str, known: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return component, jobs and servers of a row, which belong together over all slots."""
    component, index = parts(name)
    return component, *(word for letter, word in _paired(component, index, known) if letter in "js")


def in_words(rows: Iterable[str], known: dict[str, tuple[str, ...]]) -> list[str]:
    """Return a line for each component: its jobs, servers, slots, and how many rows."""
    found: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        component, index = parts(row)
        found.setdefault(component, []).append(dict(_paired(component, index, known)))
    return [_line(component, members) for component, members in found.items()]


def _paired(
    component: str, index: tuple[str, ...], known: dict[str, tuple[str, ...]]
) -> list[tuple[str, str]]:
    names = known.get(component, ())
    if len(names) != len(index):
        names = tuple(f"index {i}" for i in range(1, len(index) + 1))
    return list(zip(names, index, strict=True))


def _line(component: str, members: list[dict[str, str]]) -> str:
    words = []
    for letter in members[0]:
        values = list(dict.fromkeys(member[letter] for member in members))
        word = WORDS.get(letter, letter)
        plural = "s" if letter in WORDS and len(values) > 1 else ""
        words.append(f"{word}{plural} {_ranges(values)}")
    count = f" ({len(members)} rows)" if len(members) > 1 else ""
    return f"{component}{': ' if words else ''}{', '.join(words)}{count}"


def _ranges(values: list[str]) -> str:
    """Join values. Whole numbers in a row become a range."""
    if not all(value.isdecimal() for value in values):
        return " ".join(values)
    numbers = sorted(map(int, values))
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return " ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


T = TypeVar("T")

PRICED = 1e-9
"""Dual values below this are set to 0."""


class ColumnBound(NamedTuple):
    """A bound of a column, by its place."""

    column: int
    upper: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Core:
    """Rows and columns by name whose rows and bounds no point satisfies.

    If `minimal`, leaving out any one of them admits a point.
    """

    rows: tuple[str, ...]
    lower: tuple[str, ...]
    """Columns whose lower bound takes part."""
    upper: tuple[str, ...]
    """Columns whose upper bound takes part."""
    minimal: bool


def irreducible(
    program: Matrix,
    solver: str = "highs",
    caps: Caps = NO_CAPS,
    group: Callable[[str], Hashable] | None = None,
) -> Core | None:
    """Return an irreducible infeasible part of a program, or None if it is not shown infeasible.

    Columns marked as integers stay so. `relaxed` gives the linear relaxation. Rows with the same
    value of `group` are kept or removed together, and all bounds are then kept. The time of `caps`
    is for all solves together. When it is up, the part found so far is returned.
    """
    oracle = _Oracle(program, solver, caps)
    rows = list(range(len(program.rows)))
    if not oracle.infeasible(rows, oracle.bounds(rows)):
        return None
    parts = _grouped(_start(oracle, rows), program, group)
    parts = _filtered(
        parts, lambda kept: oracle.infeasible(_flat(kept), oracle.bounds(_flat(kept)))
    )
    rows = _flat(parts)
    bounds = oracle.bounds(rows)
    if group is None:
        bounds = _filtered(bounds, lambda kept: oracle.infeasible(rows, kept))
    return Core(
        rows=tuple(program.rows[i] for i in rows),
        lower=tuple(program.columns[bound.column] for bound in bounds if not bound.upper),
        upper=tuple(program.columns[bound.column] for bound in bounds if bound.upper),
        minimal=oracle.sure,
    )


class _Oracle:
    """Solves parts of a program within the time. `sure` is True until an answer fails to come."""

    def __init__(self, program: Matrix, solver: str, caps: Caps) -> None:
        self.program, self.solver, self.caps, self.sure = program, solver, caps, True
        self.until = inf if caps.time_s is None else time.monotonic() + caps.time_s

    def bounds(self, rows: Sequence[int]) -> list[ColumnBound]:
        """Return the finite bounds of the columns in these rows, and the bounds that cross."""
        low, high = self.program.lower, self.program.upper
        used = low > high
        used[self.program.a[rows].indices] = True
        return [
            ColumnBound(int(column), upper)
            for column in np.flatnonzero(used)
            for upper, limits in ((False, low), (True, high))
            if np.isfinite(limits[column])
        ]

    def infeasible(self, rows: Sequence[int], bounds: Sequence[ColumnBound]) -> bool | None:
        """Return True if no point satisfies these rows and bounds, or None if unknown."""
        found = self.ask(_only(self.program, rows, bounds))
        if found is None or found.status is SolutionStatus.NOTHING:
            self.sure = False
            return None
        return found.status is SolutionStatus.INFEASIBLE

    def ask(self, program: Matrix) -> Solution | None:
        """Solve a program, or return None if the time is up."""
        left = self.until - time.monotonic()
        if left <= 0:
            return None
        return solve(program, self.solver, replace(self.caps, time_s=None if left == inf else left))


def _start(oracle: _Oracle, rows: list[int]) -> list[int]:
    """Return the rows with a price in the elastic program, if they alone are infeasible."""
    if oracle.program.integer.any():
        return rows
    found = oracle.ask(_elastic(oracle.program))
    if found is None or found.duals is None:
        return rows
    priced = [i for i in rows if abs(found.duals[i]) > PRICED]
    return priced if oracle.infeasible(priced, oracle.bounds(priced)) else rows


def _elastic(program: Matrix) -> Matrix:
    """Return the program that minimises how much the rows are violated. Bounds stay hard."""
    rows = len(program.rows)
    slack = eye_array(rows, format="csr")
    names = tuple(f"{side}{i}" for side in ("above", "below") for i in range(rows))
    return replace(
        program,
        columns=program.columns + names,
        cost=np.concatenate([np.zeros(len(program.columns)), np.ones(2 * rows)]),
        lower=np.concatenate([program.lower, np.zeros(2 * rows)]),
        upper=np.concatenate([program.upper, np.full(2 * rows, inf)]),
        integer=np.concatenate([program.integer, np.zeros(2 * rows, dtype=np.bool_)]),
        a=csr_array(hstack([program.a, slack, -slack])),
    )


def _grouped(
    rows: list[int], program: Matrix, group: Callable[[str], Hashable] | None
) -> list[list[int]]:
    if group is None:
        return [[i] for i in rows]
    found: dict[Hashable, list[int]] = {}
    for i in rows:
        found.setdefault(group(program.rows[i]), []).append(i)
    return list(found.values())


def _flat(parts: list[list[int]]) -> list[int]:
    return [i for part in parts for i in part]


def _filtered(parts: list[T], infeasible: Callable[[list[T]], bool | None]) -> list[T]:
    """Remove superfluous parts: in halves, quarters, ... and one by one."""
    size = len(parts)
    while size:
        at = 0
        while at < len(parts):
            rest = parts[:at] + parts[at + size :]
            if infeasible(rest):
                parts = rest
            else:
                at += size
        size = (size + 1) // 2 if size > 1 else 0
    return parts


def _only(program: Matrix, rows: Sequence[int], bounds: Sequence[ColumnBound]) -> Matrix:
    """Return the program with these rows and bounds only, without costs."""
    return replace(
        program.with_rows(rows),
        cost=np.zeros(len(program.columns)),
        lower=_kept(program.lower, -inf, [bound.column for bound in bounds if not bound.upper]),
        upper=_kept(program.upper, inf, [bound.column for bound in bounds if bound.upper]),
    )


def _kept(limits: Floats, free: float, places: list[int]) -> Floats:
    found = np.full_like(limits, free)
    found[places] = limits[places]
    return found
