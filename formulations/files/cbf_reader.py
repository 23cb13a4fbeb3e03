"""Reads conic programs in the Conic Benchmark Format, without semidefinite parts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import isfinite
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from ...instances.errors import InputError
from ..conic import Cone, ConicProgram, Sort
from .names import program_text

SORTS: dict[str, Sort] = {
    "L=": "zero",
    "L+": "positive",
    "Q": "quadratic",
    "EXP": "exponential",
    "L-": "positive",
    "QR": "quadratic",
}
"""Our cones by their names in files. Rows in ``L-`` and ``QR`` are first transformed."""
MIRRORED, ROTATED, FREE = "L-", "QR", "F"
KNOWN = (FREE, *SORTS)
POWER = re.compile(r"@(\d+):POW")
NAMED = re.compile(r"# (\d+) (.+)")
"""A comment of `cbf_lines` that names a column."""

DUAL = "POW*CONES"
EMPTY = {
    "INT": "continuous columns: no program in cones here has integers",
    **dict.fromkeys(
        ("PSDVAR", "PSDCON", "OBJFCOORD", "FCOORD", "HCOORD", "DCOORD"),
        "linear, quadratic, exponential and power cones: nothing semidefinite",
    ),
}
"""Sections that may only be empty."""

Sum = tuple[dict[int, float], float]
"""Columns with their factors, and a constant."""


def read_cbf(path: Path) -> ConicProgram:
    """Return the program in a file, and unpack a .gz file. A maximised objective is turned.

    A rotated cone ``2 s_0 s_1 >= |(s_2, ..)|^2`` becomes the quadratic cone of
    ``(2 s_0 + s_1, 2 s_0 - s_1, 2 s_2, ..)``. Columns have the names that `cbf_lines` writes as
    comments, or ``x0``, ``x1``, ...

    Raises:
        InputError: With the first line that cannot be read.
    """
    return parse_cbf(program_text(path), str(path))


def parse_cbf(text: str, source: str) -> ConicProgram:
    """Return the program of a text. Errors name the source and the line."""
    reader = _CbfReader(source, text.split("\n"))
    while (words := reader.next_words()) is not None:
        reader.section(words)
    return reader.program()


@dataclass
class _CbfReader:
    source: str
    lines: list[str]
    line: int = 0
    sections: set[str] = field(default_factory=set)
    names: dict[int, str] = field(default_factory=dict)
    sign: float = 1.0
    powers: list[Fraction | None] = field(default_factory=list)
    domains: dict[str, list[tuple[str, int, int]]] = field(default_factory=dict)
    """The cones of VAR and CON: word, size and line."""
    sizes: dict[str, int] = field(default_factory=dict)
    cost: dict[int, float] = field(default_factory=dict)
    offset: float = 0.0
    rows: dict[int, dict[int, float]] = field(default_factory=dict)
    constants: dict[int, float] = field(default_factory=dict)

    def error(self, found: str, expected: str) -> InputError:
        advice = "write it as `ringyard corpus export` writes programs in cones"
        return InputError.of(self.source, f"line {self.line}", found, expected, advice)

    def next_words(self) -> list[str] | None:
        """Return the words of the next line that is not blank, or None at the end."""
        while self.line < len(self.lines):
            line = self.lines[self.line].strip()
            self.line += 1
            if named := NAMED.fullmatch(line):
                self.names[int(named[1])] = named[2]
            if line and line[0] != "#":
                return line.split()
        return None

    def body(self, expected: str, count: int) -> list[str]:
        """Return the words of the next line of a section, which must be `count` words."""
        words = self.next_words() or ["the end of the file"]
        if len(words) != count:
            raise self.error(" ".join(words), expected)
        return words

    def whole(self, word: str, below: int | None = None) -> int:
        """Return a number of things, or the place of one."""
        if not (word.isascii() and word.isdecimal() and len(word) < 10):
            raise self.error(word, "a whole number of at least 0")
        if below is not None and int(word) >= below:
            raise self.error(word, f"a number below {below}, counted from 0")
        return int(word)

    def number(self, word: str) -> float:
        try:
            value = float(word)
        except ValueError:
            value = float("nan")
        if not isfinite(value) or "_" in word:
            raise self.error(word, "a finite number")
        return value

    def section(self, words: list[str]) -> None:
        """Read a section."""
        name = words[0]
        readers = {
            "VER": self._version,
            "OBJSENSE": self._sense,
            "POWCONES": self._powers,
            "VAR": self._domain,
            "CON": self._domain,
            "OBJACOORD": self._costs,
            "OBJBCOORD": self._offset,
            "ACOORD": self._entries,
            "BCOORD": self._constants,
            DUAL: self._dual,
            **dict.fromkeys(EMPTY, self._nothing),
        }
        if len(words) > 1 or name not in readers:
            raise self.error(" ".join(words), f"a section: {', '.join(readers)}")
        if name in self.sections:
            raise self.error(name, "each section once")
        if "VER" not in self.sections and name != "VER":
            raise self.error(name, "VER first")
        self.sections.add(name)
        readers[name](name)

    def _dual(self, name: str) -> None:
        raise self.error(name, "no dual cones")

    def _version(self, _: str) -> None:
        (version,) = self.body("a version", 1)
        if version not in ("1", "2", "3", "4"):
            raise self.error(version, "version 1, 2, 3 or 4")

    def _sense(self, _: str) -> None:
        (sense,) = self.body("MIN or MAX", 1)
        if sense not in ("MIN", "MAX"):
            raise self.error(sense, "MIN or MAX")
        self.sign = 1.0 if sense == "MIN" else -1.0

    def _nothing(self, name: str) -> None:
        (count,) = self.body("a count", 1)
        if self.whole(count):
            raise self.error(f"{name} {count}", EMPTY[name])

    def _powers(self, _: str) -> None:
        count, left = map(self.whole, self.body("how many cones and numbers", 2))
        for _cone in range(count):
            (size,) = map(self.whole, self.body("how many numbers", 1))
            parts = []
            for _part in range(size):
                (word,) = self.body("a number", 1)
                if self.number(word) <= 0:
                    raise self.error(word, "a number above 0")
                parts.append(Fraction(word))
            left -= size
            self.powers.append(parts[0] / sum(parts) if size == 2 else None)
        if left:
            raise self.error(f"{left} numbers left", "as many numbers as POWCONES says")

    def _domain(self, name: str) -> None:
        size, count = map(self.whole, self.body("how many rows or columns and cones", 2))
        self.sizes[name] = size
        cones = self.domains[name] = []
        for _ in range(count):
            word, length = self.body("a cone and its size", 2)
            cones.append((word, self.whole(length), self.line))
            self._known(word, cones[-1][1])
        if (total := sum(length for _, length, _ in cones)) != size:
            raise self.error(f"cones of {total} in all", f"{name} of {size} in all")

    def _known(self, word: str, size: int) -> None:
        """Raise an error if a cone is not one of ours, or has another size."""
        power = POWER.fullmatch(word)
        if power is not None and self.powers[self.whole(power[1], len(self.powers))] is None:
            raise self.error(word, "a power cone of two numbers")
        if power is None and word not in KNOWN:
            raise self.error(word, f"a cone: {', '.join(KNOWN)} or @k:POW")
        three = power is not None or word == "EXP"
        least = 3 if three else {ROTATED: 2, "Q": 1}.get(word, 0)
        if size < least or (three and size > least):
            expected = f"the size {least}" if three else f"a size of at least {least}"
            raise self.error(f"{word} {size}", expected)

    def _of(self, name: str) -> int:
        """Return how many rows or columns there are, which must be said before their numbers."""
        if name not in self.sizes:
            raise self.error("no " + name, f"a section {name} before this one")
        return self.sizes[name]

    def _listed(self, size: int) -> Iterator[list[str]]:
        (count,) = self.body("a count", 1)
        for _ in range(self.whole(count)):
            yield self.body(f"{size - 1} places and a number", size)

    def _costs(self, _: str) -> None:
        columns = self._of("VAR")
        for place, value in self._listed(2):
            self._put(self.cost, self.whole(place, columns), value)

    def _put(self, held: dict[int, float], place: int, value: str) -> None:
        if place in held:
            raise self.error(f"{place}", "each place once")
        held[place] = self.number(value)

    def _offset(self, _: str) -> None:
        (word,) = self.body("a number", 1)
        self.offset = self.number(word)

    def _entries(self, _: str) -> None:
        rows, columns = self._of("CON"), self._of("VAR")
        for row, column, value in self._listed(3):
            held = self.rows.setdefault(self.whole(row, rows), {})
            self._put(held, self.whole(column, columns), value)

    def _constants(self, _: str) -> None:
        rows = self._of("CON")
        for place, value in self._listed(2):
            self._put(self.constants, self.whole(place, rows), value)

    def program(self) -> ConicProgram:
        """Return the program of all that was read."""
        for name in ("VER", "OBJSENSE", "VAR"):
            if name not in self.sections:
                raise self.error("the end of the file", f"a section {name}")
        count = self.sizes["VAR"]
        names = [self.names.get(j) for j in range(count)]
        if None in names or len({*names}) < count:
            names = [f"x{j}" for j in range(count)]
        columns: list[Sum] = [({j: 1.0}, 0.0) for j in range(count)]
        sums = [
            (self.rows.get(i, {}), self.constants.get(i, 0.0))
            for i in range(self.sizes.get("CON", 0))
        ]
        cones: list[Cone] = []
        rows: list[Sum] = []
        for name, parts in (("VAR", columns), ("CON", sums)):
            at = 0
            for word, size, line in self.domains.get(name, []):
                self.line = line
                if word != FREE and size:
                    cones.append(self._cone(word, size))
                    rows += self._held(word, parts[at : at + size])
                at += size
        labels = [f"cone{k}[{i}]" for k, cone in enumerate(cones) for i in range(cone.size)]
        found = [(i, j, v) for i, (terms, _) in enumerate(rows) for j, v in terms.items() if v]
        at_row, at_column, values = zip(*found, strict=True) if found else ((), (), ())
        cost = [self.sign * self.cost.get(j, 0.0) + 0.0 for j in range(count)]
        shape = (len(rows), count)
        return ConicProgram(
            columns=tuple(str(name) for name in names),
            rows=tuple(labels),
            cost=np.array(cost),
            offset=self.sign * self.offset + 0.0,
            a=csr_array((np.array(values, float), (at_row, at_column)), shape=shape),
            b=np.array([constant for _, constant in rows], dtype=float),
            cones=tuple(cones),
        )

    def _cone(self, word: str, size: int) -> Cone:
        if power := POWER.fullmatch(word):
            return Cone("power", size, self.powers[int(power[1])])
        return Cone(SORTS[word], size)

    def _held(self, word: str, parts: list[Sum]) -> list[Sum]:
        """Return the rows of a cone, which differ from the file's for two kinds of cones."""
        if word == MIRRORED:
            return [self._sum((part, -1)) for part in parts]
        if word != ROTATED:
            return parts
        one, other, *rest = parts
        return [
            self._sum((one, 2), (other, 1)),
            self._sum((one, 2), (other, -1)),
            *(self._sum((part, 2)) for part in rest),
        ]

    def _sum(self, *parts: tuple[Sum, int]) -> Sum:
        """Return a sum of sums with whole factors, if doubles can hold it exactly."""
        constant = sum((Fraction(own) * factor for (_, own), factor in parts), Fraction(0))
        terms: dict[int, Fraction] = {}
        for (own_terms, _), factor in parts:
            for j, value in own_terms.items():
                terms[j] = terms.get(j, Fraction(0)) + Fraction(value) * factor
        return {j: self._double(value) for j, value in terms.items()}, self._double(constant)

    def _double(self, value: Fraction) -> float:
        if abs(value) > 1e300 or Fraction(float(value)) != value:
            raise self.error(f"{float(value)!r} in {ROTATED}", "sums that a double holds")
        return float(value)
