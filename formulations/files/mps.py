"""Programs in free MPS, written and read: ranges, bounds, integer markers, sense and offset."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ...instances.reading.decode import read_text
from ..program import ENDLESS, Floats, Matrix
from ..rows import assembled
from .names import ProgramReader, number, ranged, split, to_file


def mps_lines(matrix: Matrix) -> Iterator[str]:
    """Yield the lines of an MPS file.

    The row of the objective is `obj`, and its right-hand side is the offset, negated. Every integer
    column has both bounds written out, because readers differ in what they assume. A row with two
    sides becomes two if no range gives both exactly, as in `names.py`.
    """
    matrix = split(matrix, ranged(matrix) & np.isnan(_widths(matrix)))
    names = [to_file(name) for name in matrix.rows]
    sides = list(zip(names, matrix.row_lower.tolist(), matrix.row_upper.tolist(), strict=True))
    yield "NAME ringyard"
    yield "ROWS"
    yield " N obj"
    yield from (f" {_kind(low, high)} {name}" for name, low, high in sides)
    yield "COLUMNS"
    yield from _columns(matrix, names)
    yield "RHS"
    if matrix.offset:
        yield f" RHS obj {number(-matrix.offset)}"
    for name, low, high in sides:
        side = low if _kind(low, high) in "EG" else high
        if side and np.isfinite(side):
            yield f" RHS {name} {number(side)}"
    yield "RANGES"
    widths = _widths(matrix)
    yield from (f" RNG {names[i]} {number(widths[i])}" for i in np.flatnonzero(ranged(matrix)))
    yield "BOUNDS"
    yield from _bounds(matrix)
    yield "ENDATA"


def _kind(low: float, high: float) -> str:
    if low == high:
        return "E"
    if np.isfinite(low) and np.isfinite(high):
        return "G" if abs(low) <= abs(high) else "L"
    return "G" if np.isfinite(low) else "L" if np.isfinite(high) else "N"


def _widths(matrix: Matrix) -> Floats:
    """Return the ranges from which readers compute the other sides exactly, NaN without a range."""
    low, high = matrix.row_lower, matrix.row_upper
    width = np.subtract(high, low, where=ranged(matrix), out=np.full(len(low), np.nan))
    found: Floats = np.full(len(low), np.nan)
    for guess in (width, np.nextafter(width, 0), np.nextafter(width, np.inf)):
        exact = np.where(np.abs(low) <= np.abs(high), low + guess == high, high - guess == low)
        found[exact & np.isnan(found)] = guess[exact & np.isnan(found)]
    return found


def _columns(matrix: Matrix, rows: list[str]) -> Iterator[str]:
    a = matrix.a.tocsc()
    a.sort_indices()
    ends, entries = a.indptr.tolist(), zip(a.indices.tolist(), a.data.tolist(), strict=True)
    mixed = False
    marks = 0
    for j, (name, cost) in enumerate(zip(matrix.columns, matrix.cost.tolist(), strict=True)):
        if matrix.integer[j] != mixed:
            mixed = not mixed
            marks += 1
            yield f" MARK{marks} 'MARKER' '{'INTORG' if mixed else 'INTEND'}'"
        name = to_file(name)
        count = ends[j + 1] - ends[j]
        if cost or not count:
            yield f" {name} obj {number(cost)}"
        for _ in range(count):
            i, value = next(entries)
            yield f" {name} {rows[i]} {number(value)}"
    if mixed:
        yield f" MARK{marks + 1} 'MARKER' 'INTEND'"


def _bounds(matrix: Matrix) -> Iterator[str]:
    limits = zip(matrix.lower.tolist(), matrix.upper.tolist(), matrix.integer.tolist(), strict=True)
    for name, (low, high, integer) in zip(matrix.columns, limits, strict=True):
        name = to_file(name)
        endless = not np.isfinite(high)
        if low == high:
            yield f" FX BND {name} {number(low)}"
        elif endless and not np.isfinite(low):
            yield f" FR BND {name}"
        else:
            if not np.isfinite(low):
                yield f" MI BND {name}"
            elif low or integer or high < 0:
                yield f" LO BND {name} {number(low)}"
            if not endless:
                yield f" UP BND {name} {number(high)}"
            elif integer:
                yield f" PL BND {name}"


SECTIONS = ("NAME", "OBJSENSE", "ROWS", "COLUMNS", "RHS", "RANGES", "BOUNDS", "ENDATA")
WITHOUT, WITH = ("FR", "MI", "PL", "BV"), ("UP", "LO", "FX", "UI", "LI")
MAXIMISE = ("MAX", "MAXIMIZE", "MAXIMISE")


def read_mps(path: Path) -> Matrix:
    """Return the program in a file, and unpack a .gz file.

    Omissions are read like HiGHS, SCIP and Gurobi read them: an integer column between markers that
    has no bound is 0 or 1. These differ on an upper bound below 0 without a lower one, so such a
    file is refused. A maximised objective is turned. Names are those before `to_file`.

    Raises:
        InputError: With the first line that cannot be read.
    """
    return parse_mps(read_text(path), str(path))


def parse_mps(text: str, source: str) -> Matrix:
    """Return the program of a text. Errors name the source and the line."""
    reader, section = _Reader(source), ""
    for reader.line, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if not words or line.startswith("*"):
            continue
        if not line[0].isspace():
            section = reader.begin(words)
        elif section == "OBJSENSE":
            reader.turned = words[0].upper() in MAXIMISE
        else:
            reader.take(section, words)
        if section == "ENDATA":
            return reader.program()
    raise reader.error("the end of the file", "a line ENDATA")


@dataclass
class _Reader(ProgramReader):
    """Collects the sections of an MPS file. The first row of kind N is the objective."""

    advice = "write it as `ringyard export` writes programs"
    turned: bool = False
    kinds: dict[str, str] = field(default_factory=dict)
    objective: str | None = None
    integers: bool = False
    whole: dict[str, bool] = field(default_factory=dict)
    entries: dict[tuple[str, str], float] = field(default_factory=dict)
    sides: dict[str, float] = field(default_factory=dict)
    ranges: dict[str, float] = field(default_factory=dict)

    def begin(self, words: list[str]) -> str:
        """Begin a section."""
        if words[0] not in SECTIONS:
            raise self.error(words[0], f"a section: {', '.join(SECTIONS)}")
        if words[0] == "OBJSENSE" and words[1:]:
            self.turned = words[1].upper() in MAXIMISE
        return words[0]

    def take(self, section: str, words: list[str]) -> None:
        """Take a line of a section."""
        if section == "ROWS":
            self._row(words)
        elif section == "COLUMNS":
            self._column(words)
        elif section in ("RHS", "RANGES"):
            held = self.sides if section == "RHS" else self.ranges
            # The name of the set may be left out.
            for row, value in self._pairs(words if len(words) % 2 == 0 else words[1:]):
                if row in held:
                    raise self.error(row, "each row once")
                held[row] = value
        elif section == "BOUNDS":
            self._bound(words)
        else:
            raise self.error(words[0], "a section first")

    def _row(self, words: list[str]) -> None:
        if len(words) != 2 or words[0] not in ("N", "L", "G", "E"):
            raise self.error(" ".join(words), "N, L, G or E and a name")
        kind, name = words
        if name in self.kinds:
            raise self.error(name, "each row once")
        self.kinds[name] = kind
        if kind == "N" and self.objective is None:
            self.objective = name

    def _column(self, words: list[str]) -> None:
        if words[1:2] == ["'MARKER'"]:
            self.integers = words[-1] == "'INTORG'"
            return
        name = words[0]
        if self.whole.setdefault(name, self.integers) != self.integers:
            raise self.error(name, "all lines of a column between the same markers")
        for row, value in self._pairs(words[1:]):
            if (row, name) in self.entries:
                raise self.error(f"{name} {row}", "each coefficient once")
            self.entries[row, name] = value

    def _pairs(self, words: list[str]) -> Iterator[tuple[str, float]]:
        if not words or len(words) % 2:
            raise self.error(" ".join(words), "names of rows, each with a number")
        for row, text in zip(words[::2], words[1::2], strict=True):
            if row not in self.kinds:
                raise self.error(row, "a name from ROWS")
            yield row, self._number(text)

    def _number(self, text: str, *, finite: bool = True) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if math.isnan(value) or (finite and math.isinf(value)):
            raise self.error(text, "a finite number" if finite else "a number")
        return value

    def _bound(self, words: list[str]) -> None:
        kind, rest = words[0], words[1:]
        some: tuple[int, ...] = (1, 2, 3) if kind in WITHOUT else (2, 3) if kind in WITH else ()
        if len(rest) not in some:
            expected = f"{', '.join((*WITHOUT, *WITH))}, a name of the set, a column, a number"
            raise self.error(" ".join(words), expected)
        unnamed = len(rest) == min(some)
        name = rest[0] if unnamed else rest[1]
        if name not in self.whole:
            raise self.error(name, "a name from COLUMNS")
        self.bounded[name] = self.line
        self.whole[name] |= kind in ("BV", "UI", "LI")
        value = self._limit(rest[-1]) if kind in WITH else 0.0
        least = {"LO": value, "LI": value, "FX": value, "FR": -math.inf, "MI": -math.inf, "BV": 0.0}
        most = {"UP": value, "UI": value, "FX": value, "FR": math.inf, "PL": math.inf, "BV": 1.0}
        if kind in least:
            self.lower[name] = least[kind]
        if kind in most:
            self.upper[name] = most[kind]

    def _limit(self, text: str) -> float:
        """Read a bound, which may be infinite in words or by its size."""
        value = self._number(text, finite=False)
        return math.copysign(math.inf, value) if abs(value) >= ENDLESS else value

    def program(self) -> Matrix:
        """Return the program of all that was read."""
        rows = [name for name, kind in self.kinds.items() if kind != "N"]
        columns = list(self.whole)
        at = {name: i for i, name in enumerate(rows)}
        to = {name: j for j, name in enumerate(columns)}
        sign = -1.0 if self.turned else 1.0
        return assembled(
            columns,
            rows,
            [(at[r], to[c], v) for (r, c), v in self.entries.items() if r in at],
            cost=(sign * self.entries.get((self.objective or "", name), 0.0) for name in columns),
            offset=-sign * self.sides.get(self.objective or "", 0.0),
            sides=map(self._sides, rows),
            bounds=map(self._bounds, columns),
            whole=self.whole.values(),
        )

    def _sides(self, row: str) -> tuple[float, float]:
        side, kind, width = self.sides.get(row, 0.0), self.kinds[row], self.ranges.get(row)
        if kind == "E":
            return (side + min(width or 0.0, 0.0), side + max(width or 0.0, 0.0))
        if kind == "L":
            return (-math.inf if width is None else side - abs(width), side)
        return (side, math.inf if width is None else side + abs(width))

    def _bounds(self, column: str) -> tuple[float, float]:
        binary = self.whole[column] and column not in self.lower
        return self.bounds_of(column, 1.0 if binary else math.inf)
