"""Delta debugging of programs: the smallest on which an answer is still wrong.

A reduction is a list of moves on a program, such as the rows that can be left out. All are tried
together, then halves, at last each by itself, and those stay after which the answer is as wrong as
before. Columns are left out at their values in the point that shows it, so that the rest of the
point still does.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Context
from fractions import Fraction
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from ..instances import Limits
from .exact import Point
from .program import Floats, Matrix
from .wrong import EXACT, FoundWrong, Suspect, Wrong, found_of, still_wrong, write_found

DENSE = 10**6
"""Equations are solved where rows times columns are no more than this."""


class ProgramCase(NamedTuple):
    """A program, and a point that may show that an answer is wrong."""

    program: Matrix
    point: Point | None


class Moves(NamedTuple):
    """Steps that make a program simpler: their number, and the results at some places."""

    many: int
    after: Callable[[Sequence[int]], ProgramCase]


Reduction = Callable[[ProgramCase], Moves]


def fewer_rows(case: ProgramCase) -> Moves:
    """Leave out rows."""
    program = case.program

    def after(out: Sequence[int]) -> ProgramCase:
        kept = np.setdiff1d(np.arange(len(program.rows)), out)
        return case._replace(program=program.with_rows(kept))

    return Moves(len(program.rows), after)


def fewer_columns(case: ProgramCase) -> Moves:
    """Leave out columns: they stay where the point has them, or at 0."""
    program = case.program
    at = [Fraction(0)] * len(program.columns) if case.point is None else case.point

    def after(out: Sequence[int]) -> ProgramCase:
        kept = np.setdiff1d(np.arange(len(program.columns)), out)
        there = np.zeros(len(program.columns))
        there[list(out)] = [float(at[j]) for j in out]
        used, fewer = program.a @ there, program.with_columns(kept)
        moved = replace(
            fewer,
            offset=program.offset + float(program.cost @ there),
            a=fewer.a.tocsr(),
            row_lower=program.row_lower - used,
            row_upper=program.row_upper - used,
        )
        return ProgramCase(
            moved, None if case.point is None else tuple(case.point[j] for j in kept)
        )

    return Moves(len(program.columns), after)


def fewer_entries(case: ProgramCase) -> Moves:
    """Leave out coefficients, by setting them to 0."""
    return _new_entries(case, np.arange(case.program.a.nnz), np.zeros(case.program.a.nnz))


def _new_entries(case: ProgramCase, places: Any, new: Floats) -> Moves:
    """Return the moves that put new numbers into places of the coefficients."""

    def after(some: Sequence[int]) -> ProgramCase:
        a, chosen = case.program.a.copy(), places[list(some)]
        a.data[chosen] = new[chosen]
        a.eliminate_zeros()
        return case._replace(program=replace(case.program, a=a))

    return Moves(len(places), after)


Vectors = dict[str, Any]


def new_numbers(make: Callable[[Matrix], Vectors]) -> Reduction:
    """Return the reduction that puts new numbers into vectors, place by place."""

    def reduce(case: ProgramCase) -> Moves:
        new = make(case.program)
        old = {name: getattr(case.program, name) for name in new}
        places = np.flatnonzero(np.any([new[name] != old[name] for name in new], axis=0))

        def after(some: Sequence[int]) -> ProgramCase:
            fields, chosen = {name: values.copy() for name, values in old.items()}, list(some)
            for name, values in fields.items():
                values[places[chosen]] = new[name][places[chosen]]
            return case._replace(program=replace(case.program, **fields))

        return Moves(len(places), after)

    return reduce


def setting(name: str, new: float, where: Callable[[Matrix], Any] = lambda _: True) -> Reduction:
    """Return the reduction that sets numbers of a vector, where that can be done, to a new one."""
    return new_numbers(
        lambda program: {name: np.where(where(program), new, getattr(program, name))}
    )


Simpler = Callable[[Floats], Floats]


def _digits(count: int) -> Simpler:
    context = Context(prec=count)

    def simpler(values: Floats) -> Floats:
        return np.array([float(context.create_decimal(repr(x))) for x in values.tolist()])

    return simpler


SIMPLER: tuple[Simpler, ...] = (
    np.zeros_like,
    np.sign,
    np.rint,
    *(_digits(n) for n in (1, 2, 3, 6)),
)
"""The simplest first."""

PAIRS = (("cost",), ("row_lower", "row_upper"), ("lower", "upper"))
"""Numbers of one place, which are made simpler together."""


def simpler_entries(simpler: Simpler) -> Reduction:
    """Return the reduction that makes coefficients simpler."""

    def reduce(case: ProgramCase) -> Moves:
        data = case.program.a.data
        new = simpler(data)
        return _new_entries(case, np.flatnonzero((new != data) & (new != 0)), new)

    return reduce


def simpler_numbers(names: tuple[str, ...], simpler: Simpler) -> Reduction:
    """Return the reduction that makes the numbers of rows or columns simpler."""

    def simplified(values: Floats) -> Floats:
        finite = np.isfinite(values)
        return np.where(finite, simpler(np.where(finite, values, 0.0)), values)

    return new_numbers(lambda program: {name: simplified(getattr(program, name)) for name in names})


def fewer_equations(case: ProgramCase) -> Moves:
    """Solve equations for continuous columns without bounds, and put these into the other rows."""
    program = case.program
    free = np.isinf(program.lower) & np.isinf(program.upper) & ~program.integer
    pairs: dict[int, int] = {}
    dense = program.a.toarray() if len(free) * len(program.rows) <= DENSE else np.zeros((0, 0))
    for i in np.flatnonzero(program.row_lower == program.row_upper) if dense.size else ():
        found = [j for j in np.flatnonzero(free & (dense[i] != 0)) if j not in pairs.values()]
        if found:
            pairs[int(i)] = int(found[0])
    rows = list(pairs)

    def after(some: Sequence[int]) -> ProgramCase:
        a, b, cost = dense.copy(), program.row_lower.copy(), program.cost.copy()
        top, offset = program.row_upper.copy(), program.offset
        out: list[int] = []
        for i in (rows[k] for k in some if a[rows[k], pairs[rows[k]]]):
            factors = a[:, pairs[i]] / a[i, pairs[i]]
            factors[[i, *out]], price = 0.0, cost[pairs[i]] / a[i, pairs[i]]
            a -= np.outer(factors, a[i])
            top, b, offset = top - factors * b[i], b - factors * b[i], offset + price * b[i]
            cost -= price * a[i]
            out.append(i)
        moved = replace(
            program, a=csr_array(a), row_lower=b, row_upper=top, cost=cost, offset=float(offset)
        )
        fewer = fewer_rows(case._replace(program=moved)).after(out)
        return fewer_columns(fewer).after([pairs[i] for i in out])

    return Moves(len(rows), after)


def fewer_neighbours(case: ProgramCase) -> Moves:
    """Leave out a row with all columns in it, or a column with all rows that it is in."""
    a, columns = case.program.a, case.program.a.tocsc()
    rows = len(case.program.rows)

    def after(some: Sequence[int]) -> ProgramCase:
        own = [k for k in some if k < rows]
        out = [k - rows for k in some if k >= rows]
        held = [columns.indices[columns.indptr[j] : columns.indptr[j + 1]] for j in out]
        used = [a.indices[a.indptr[i] : a.indptr[i + 1]] for i in own]
        fewer = fewer_rows(case).after(_distinct([own, *held]))
        return fewer_columns(fewer).after(_distinct([out, *used]))

    return Moves(rows + len(case.program.columns), after)


def _distinct(places: Sequence[Any]) -> list[int]:
    found: list[int] = np.unique(np.concatenate(places)).astype(int).tolist()
    return found


def no_offset(case: ProgramCase) -> Moves:
    """Leave out the constant of the objective."""
    program = replace(case.program, offset=0.0)
    return Moves(int(case.program.offset != 0), lambda some: case._replace(program=program))


REDUCTIONS: tuple[Reduction, ...] = (
    fewer_rows,
    fewer_columns,
    setting("cost", 0.0),
    no_offset,
    fewer_entries,
    setting("row_lower", -np.inf, lambda program: np.isfinite(program.row_upper)),
    setting("row_upper", np.inf, lambda program: np.isfinite(program.row_lower)),
    setting("integer", False),
    setting("lower", -np.inf),
    setting("upper", np.inf),
    fewer_equations,
    fewer_neighbours,
    *(simpler_entries(simpler) for simpler in SIMPLER),
    *(simpler_numbers(names, simpler) for names in PAIRS for simpler in SIMPLER),
)
"""All of them, in the order in which they are tried."""


@dataclass(slots=True)
class Shrinking:
    """Tests programs, each once, and keeps the smallest that is wrong."""

    suspect: Suspect
    program: Matrix
    wrong: Wrong
    limits: Limits
    report: Callable[["Shrinking"], None] = lambda state: None
    asked: int = 0
    seen: set[bytes] = field(default_factory=set)

    def run(self) -> None:
        """Reduce until no single move leads on, or the time is up."""
        self.seen, before = {fingerprint(self.program)}, None
        while before is not self.program:
            before = self.program
            for reduce in REDUCTIONS:
                self._reduce(reduce)

    def _reduce(self, reduce: Reduction) -> None:
        moves, done = reduce(ProgramCase(self.program, self.wrong.witness)), list[int]()
        for chunk in _chunks(moves.many):
            more = [k for k in chunk if k not in set(done)]
            if self.limits.over():
                return
            if more and self._still(moves.after(sorted([*done, *more]))):
                done += more

    def _still(self, case: ProgramCase) -> bool:
        """Test a program, and keep it if the answer is as wrong as before."""
        key = fingerprint(case.program)
        if key in self.seen or not case.program.columns:
            return False
        self.seen.add(key)
        self.asked += 1
        hints = () if case.point is None else (case.point,)
        found = self.suspect.wrong(case.program, hints, exact=self.wrong.shown == EXACT)
        if found is None or found.kind != self.wrong.kind:
            return False
        self.program, self.wrong = case.program, found
        self.report(self)
        return True


def _chunks(count: int) -> Iterator[range]:
    """Yield all places, then each half, at last each by itself."""
    size = count
    while size:
        for at in range(0, count, size):
            yield range(at, min(at + size, count))
        size = (size + 1) // 2 if size > 1 else 0


def fingerprint(program: Matrix) -> bytes:
    """Return a digest of a program without its names."""
    found = blake2b(digest_size=16)
    a = program.a
    vectors = (a.indptr, a.indices, a.data, program.cost, program.lower, program.upper)
    for part in (*vectors, program.integer, program.row_lower, program.row_upper):
        found.update((np.asarray(part, dtype=float) + 0.0).tobytes() + b"/")
    found.update(repr(program.offset).encode())
    return found.digest()


def renamed(program: Matrix) -> Matrix:
    """Return the program with short names, x0 .. and r0 .."""
    return replace(
        program,
        columns=tuple(f"x{j}" for j in range(len(program.columns))),
        rows=tuple(f"r{i}" for i in range(len(program.rows))),
    )


class KeptSmall(NamedTuple):
    """A small program in a folder: its path without an end, and its record."""

    stem: Path
    found: FoundWrong


def keep_small(
    state: Shrinking, folder: Path, solver: str, source: str, about: str = "", tries: int = 1
) -> KeptSmall | None:
    """Reduce a program, and write it to a folder with its record and report.

    `solver` has the options that the record names. If it answers right about the small program in
    all `tries`, nothing is written.
    """
    state.run()
    small = renamed(state.program)
    apart = state.suspect.caps.own_process
    found = found_of(small, state.wrong, solver, source, about=about, apart=apart)
    again = (still_wrong(found, small, apart) for _ in range(tries))
    if not any(one is not None and one.kind == found.kind for one in again):
        return None
    mark = fingerprint(small).hex()[:8]
    name = state.suspect.solver.name.replace(":", "-").replace(".", "-")
    stem = folder / f"{name}-{found.kind}-{mark}"
    folder.mkdir(parents=True, exist_ok=True)
    write_found(stem, small, found)
    return KeptSmall(stem, found)
