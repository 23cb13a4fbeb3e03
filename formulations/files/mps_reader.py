"""Reads programs in MPS, free and fixed. docs/reference/programs.md has the conventions."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ...instances.errors import InputError
from ..program import ENDLESS, Matrix
from ..rows import assembled
from .logical import with_indicators, with_semicontinuous
from .names import ProgramReader, program_text

LISTED = ("ROWS", "USERCUTS", "LAZYCONS")
SECTIONS = ("NAME", "OBJSENSE", "OBJNAME", *LISTED, "COLUMNS", "RHS", "RANGES", "BOUNDS")
LOGIC = "INDICATORS"
OTHERS = {
    "SOS": "no special ordered sets",
    "SOS1": "no special ordered sets",
    "SOS2": "no special ordered sets",
    "SETS": "no special ordered sets",
    "QUADOBJ": "a linear objective",
    "QMATRIX": "a linear objective",
    "QSECTION": "a linear objective",
    "QCMATRIX": "linear rows",
    "CSECTION": "linear rows",
    "PWLOBJ": "a linear objective",
    "GENCONS": "linear rows",
}
"""Sections of some writers that no program here can state. They may be empty."""

WITHOUT, WITH = ("FR", "MI", "PL", "BV"), ("UP", "LO", "FX", "UI", "LI", "SC", "SI")
SENSES = {"MAX": True, "MAXIMIZE": True, "MAXIMISE": True, "MAXIMUM": True}
SENSES |= {"MIN": False, "MINIMIZE": False, "MINIMISE": False, "MINIMUM": False}

FIELDS = ((1, 3), (4, 12), (14, 22), (24, 36), (39, 47), (49, 61))
"""Places of the six fields of a line in fixed MPS. All other places are blank."""


def read_mps(path: Path) -> Matrix:
    """Return the program in a file, and unpack a .gz file.

    Raises:
        InputError: With the first line that cannot be read.
    """
    return parse_mps(program_text(path), str(path))


def parse_mps(text: str, source: str) -> Matrix:
    """Return the program of a text, which is free MPS or, if that fails, fixed MPS.

    Raises:
        InputError: With the line at which the reader that gets further stops.
    """
    lines = text.split("\n")
    free, fixed = _Reader(source), _Reader(source, words_of=_fields)
    try:
        return free.parse(lines)
    except InputError as first:
        try:
            return fixed.parse(lines)
        except (InputError, ValueError) as second:
            if isinstance(second, InputError) and fixed.line > free.line:
                raise
        raise first from None


def _fields(line: str) -> list[str]:
    """Return the fields of a line in fixed MPS that are not blank."""
    line = line.rstrip()
    if line[:1] > " ":
        return line.split()
    ends = [0, *(place for span in FIELDS for place in span), max(len(line), FIELDS[-1][1])]
    gaps = zip(ends[::2], ends[1::2], strict=True)
    if "\t" in line or any(line[begin:end].strip() for begin, end in gaps):
        raise ValueError("a text between fields")
    return [word for begin, end in FIELDS if (word := line[begin:end].strip())]


@dataclass
class _Reader(ProgramReader):
    """Collects the sections of an MPS file. The first row of kind N is the objective."""

    advice = "write it as `ringyard export` writes programs"
    words_of: Callable[[str], list[str]] = str.split
    turned: bool = False
    kinds: dict[str, str] = field(default_factory=dict)
    place: dict[str, int] = field(default_factory=dict)
    objective: str | None = None
    named: tuple[int, str] | None = None
    """Line and name of an objective in OBJNAME."""
    integers: bool = False
    whole: dict[str, bool] = field(default_factory=dict)
    last: str = ""
    seen: set[int] = field(default_factory=set)
    """The rows of the last column."""
    at_row: list[int] = field(default_factory=list)
    at_column: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    sides: dict[str, float] = field(default_factory=dict)
    ranges: dict[str, float] = field(default_factory=dict)
    sets: dict[str, str] = field(default_factory=dict)
    semi: dict[str, int] = field(default_factory=dict)
    """The line that makes a column semi-continuous."""
    indicators: dict[str, tuple[str, int, int]] = field(default_factory=dict)
    """The column of a row's condition, its value and the line."""

    def parse(self, lines: list[str]) -> Matrix:
        """Return the program of some lines."""
        take: Callable[[list[str]], None] = self._nothing
        for self.line, line in enumerate(lines, start=1):
            words = self.words_of(line)
            if not words or line[0] == "*":
                continue
            if "$" in line:
                words = self._without_comment(words)
            if line[0] > " ":
                if words[0] == "ENDATA":
                    return self.program()
                take = self._begin(words)
            else:
                take(words)
        raise self.error("the end of the file", "a line ENDATA")

    def _without_comment(self, words: list[str]) -> list[str]:
        """Return the words before one that begins with a dollar and is no name."""
        for i, word in enumerate(words[2:], start=2):
            if word[0] == "$" and word not in self.place and word not in self.whole:
                return words[:i]
        return words

    def _begin(self, words: list[str]) -> Callable[[list[str]], None]:
        """Begin a section, and return what takes its lines."""
        section = words[0]
        takers = {
            "OBJSENSE": self._sense,
            "OBJNAME": self._objname,
            **dict.fromkeys(LISTED, self._row),
            "COLUMNS": self._column,
            "RHS": self._side,
            "RANGES": self._range,
            "BOUNDS": self._bound,
            LOGIC: self._indicator,
            **dict.fromkeys(OTHERS, self._other(section)),
            "NAME": self._nothing,
        }
        if section not in takers:
            raise self.error(section, f"a section: {', '.join((*SECTIONS, LOGIC))} or ENDATA")
        if section in ("OBJSENSE", "OBJNAME") and words[1:]:
            takers[section](words[1:])
        return takers[section]

    def _nothing(self, words: list[str]) -> None:
        raise self.error(words[0], "a section first")

    def _other(self, section: str) -> Callable[[list[str]], None]:
        def take(words: list[str]) -> None:
            raise self.error(f"{section}: {' '.join(words)}", OTHERS[section])

        return take

    def _sense(self, words: list[str]) -> None:
        if words[0].upper() not in SENSES:
            raise self.error(words[0], "MIN or MAX")
        self.turned = SENSES[words[0].upper()]

    def _objname(self, words: list[str]) -> None:
        self.named = self.line, words[0]

    def _row(self, words: list[str]) -> None:
        if len(words) != 2 or words[0] not in ("N", "L", "G", "E"):
            raise self.error(" ".join(words), "N, L, G or E and a name")
        kind, name = words
        if name in self.kinds:
            raise self.error(name, "each row once")
        self.place[name] = len(self.kinds)
        self.kinds[name] = kind
        if kind == "N" and self.objective is None:
            self.objective = name

    def _column(self, words: list[str]) -> None:
        if not (len(words) == 3 and words[0] == self.last and self._quick(*words)):
            self._any_column(words)

    def _quick(self, _: str, row: str, text: str) -> bool:
        """Take one more entry of a column, the most common line. Return False for other lines."""
        try:
            i, value = self.place[row], float(text)
        except (KeyError, ValueError):
            return False
        if i in self.seen or value - value != 0.0 or "_" in text:
            return False
        self.seen.add(i)
        self.at_row.append(i)
        self.at_column.append(len(self.whole) - 1)
        self.values.append(value)
        return True

    def _any_column(self, words: list[str]) -> None:
        if words[1:2] == ["'MARKER'"]:
            self._marker(words)
            return
        if words[0] != self.last:
            self._new_column(words[0])
        for row, value in self._pairs(words[1:]):
            i = self.place[row]
            if i in self.seen:
                raise self.error(f"{self.last} {row}", "each coefficient once")
            self.seen.add(i)
            self.at_row.append(i)
            self.at_column.append(len(self.whole) - 1)
            self.values.append(value)

    def _marker(self, words: list[str]) -> None:
        if words[-1] not in ("'INTORG'", "'INTEND'"):
            raise self.error(words[-1], "'INTORG' or 'INTEND'")
        self.integers = words[-1] == "'INTORG'"

    def _new_column(self, name: str) -> None:
        if name in self.whole:
            raise self.error(name, "all lines of a column together")
        self.whole[name] = self.integers
        self.last = name
        self.seen = set()

    def _pairs(self, words: list[str]) -> list[tuple[str, float]]:
        """Return names of rows with their numbers."""
        if not words or len(words) % 2:
            found = " ".join(words) or "nothing"
            raise self.error(found, "names of rows, each with a number")
        pairs = []
        for row, text in zip(words[::2], words[1::2], strict=True):
            if row not in self.place:
                raise self.error(row, "a name from ROWS")
            pairs.append((row, self._number(text)))
        return pairs

    def _number(self, text: str, *, finite: bool = True) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if value - value != 0.0 or "_" in text:
            if not finite and math.isinf(value):
                return value
            raise self.error(text, "a finite number" if finite else "a number")
        return value

    def _set(self, section: str, words: list[str], named: bool) -> list[str]:
        """Return the words without the name of their set. A section may have one set only."""
        if not named:
            return words
        if self.sets.setdefault(section, words[0]) != words[0]:
            expected = f"only the set {self.sets[section]}: readers differ on a second one"
            raise self.error(words[0], expected)
        return words[1:]

    def _side(self, words: list[str]) -> None:
        for row, value in self._given("RHS", words, self.sides):
            kind = self.kinds[row]
            if abs(value) >= ENDLESS:
                if (kind, value > 0) not in (("L", True), ("G", False)):
                    raise self.error(f"{row} {value:g}", f"a number below {ENDLESS:g}")
                value = math.copysign(math.inf, value)
            self.sides[row] = value

    def _range(self, words: list[str]) -> None:
        for row, value in self._given("RANGES", words, self.ranges):
            if math.isinf(self.sides.get(row, 0.0)):
                raise self.error(row, "a row with a finite right-hand side")
            self.ranges[row] = math.copysign(math.inf, value) if abs(value) >= ENDLESS else value

    def _given(
        self, section: str, words: list[str], held: dict[str, float]
    ) -> Iterator[tuple[str, float]]:
        """Yield rows and numbers. The name of the set may be left out."""
        for row, value in self._pairs(self._set(section, words, len(words) % 2 == 1)):
            if row in held:
                raise self.error(row, "each row once")
            yield row, value

    def _bound(self, words: list[str]) -> None:
        kind, rest = words[0], words[1:]
        some: tuple[int, ...] = (1, 2, 3) if kind in WITHOUT else (2, 3) if kind in WITH else ()
        if len(rest) not in some:
            expected = f"{', '.join((*WITHOUT, *WITH))}, a name of the set, a column, a number"
            raise self.error(" ".join(words), expected)
        name, *numbers = self._set("BOUNDS", rest, len(rest) > min(some))
        if name not in self.whole:
            raise self.error(name, "a name from COLUMNS")
        self.bounded[name] = self.line
        value = self._limit(numbers[-1]) if kind in WITH else 0.0
        if kind in ("SC", "SI"):
            self._semicontinuous(kind, name)
        self.whole[name] |= kind in ("BV", "UI", "LI", "SI")
        least = {"LO": value, "LI": value, "FX": value, "FR": -math.inf, "MI": -math.inf, "BV": 0.0}
        most = {"UP": value, "UI": value, "FX": value, "FR": math.inf, "PL": math.inf, "BV": 1.0}
        most |= {"SC": value, "SI": value}
        for limits, held in ((least, self.lower), (most, self.upper)):
            if kind in limits and held.setdefault(name, limits[kind]) != limits[kind]:
                raise self.error(" ".join(words), "each bound once: readers differ on a second one")
        if math.inf in (self.lower.get(name), -self.upper.get(name, 0.0)):
            raise self.error(" ".join(words), f"a number below {ENDLESS:g}")

    def _semicontinuous(self, kind: str, name: str) -> None:
        if kind == "SC" and self.whole[name]:
            raise self.error(f"SC {name}", "SI: readers differ on integers that are SC")
        self.semi[name] = self.line

    def _limit(self, text: str) -> float:
        """Read a bound, which may be infinite in words or by its size."""
        value = self._number(text, finite=False)
        return math.copysign(math.inf, value) if abs(value) >= ENDLESS else value

    def _indicator(self, words: list[str]) -> None:
        if len(words) != 4 or words[0] != "IF" or words[3] not in ("0", "1"):
            raise self.error(" ".join(words), "IF, a row, a column, and 0 or 1")
        _, row, column, value = words
        if self.kinds.get(row, "N") == "N":
            raise self.error(row, "a name from ROWS, not of kind N")
        if column not in self.whole:
            raise self.error(column, "a name from COLUMNS")
        if row in self.indicators:
            raise self.error(row, "each row once")
        self.indicators[row] = column, int(value), self.line

    def program(self) -> Matrix:
        """Return the program of all that was read."""
        objective = self._objective()
        rows = [name for name, kind in self.kinds.items() if kind != "N"]
        columns = list(self.whole)
        new = np.full(len(self.kinds), -1)
        new[[self.place[name] for name in rows]] = np.arange(len(rows))
        i, j = np.array(self.at_row, np.int64), np.array(self.at_column, np.int64)
        values, sign = np.array(self.values, float), -1.0 if self.turned else 1.0
        own = i == self.place.get(objective or "", -1)
        cost = np.zeros(len(columns))
        cost[j[own]] = sign * values[own]
        kept = new[i] >= 0 if len(i) else own
        matrix = assembled(
            columns,
            rows,
            (new[i[kept]], j[kept], values[kept]),
            cost=cost,
            offset=-sign * self.sides.get(objective or "", 0.0),
            sides=map(self._sides, rows),
            bounds=map(self._bounds, columns),
            whole=self.whole.values(),
        )
        to = {name: j for j, name in enumerate(columns)}
        conditions = {
            int(new[self.place[row]]): (to[column], value, line)
            for row, (column, value, line) in self.indicators.items()
        }
        semi = {to[name]: line for name, line in self.semi.items()}
        return with_semicontinuous(with_indicators(matrix, conditions, self), semi, self)

    def _objective(self) -> str | None:
        if self.named is None:
            return self.objective
        self.line, name = self.named
        if self.kinds.get(name) != "N":
            raise self.error(name, "a row of kind N")
        return name

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
