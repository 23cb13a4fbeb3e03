"""Programs in the LP format that CPLEX began, written and read."""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..program import ENDLESS, Matrix
from ..rows import assembled
from .names import ProgramReader, number, program_text, ranged, split, to_file

WIDTH = 120
"""Characters after which a line is broken: readers limit its length, CPLEX to 560."""


def lp_lines(matrix: Matrix) -> Iterator[str]:
    """Yield the lines of an LP file.

    A row with two different sides becomes two rows, the second with ``~`` after its name, since
    common readers take no double inequalities. Columns come in the order in which rows name them.
    """
    names = [to_file(name) for name in matrix.columns]
    yield "Minimize"
    yield from _wrapped(" obj:", _objective(matrix, names))
    yield "Subject To"
    yield from _rows(split(matrix, ranged(matrix)), names)
    yield "Bounds"
    for name, low, high in zip(names, matrix.lower.tolist(), matrix.upper.tolist(), strict=True):
        if low == high:
            yield f" {name} = {number(low)}"
        elif np.isinf(low) and np.isinf(high):
            yield f" {name} free"
        else:
            yield f" {_limit(low)} <= {name} <= {_limit(high)}"
    yield "General"
    yield from (f" {names[j]}" for j in np.flatnonzero(matrix.integer))
    yield "End"


def _objective(matrix: Matrix, names: list[str]) -> Iterator[str]:
    """Yield the terms of the objective. Columns without a row are named here."""
    unused = np.bincount(matrix.a.indices, minlength=len(names)) == 0
    for j in np.flatnonzero(unused | (matrix.cost != 0)):
        yield _term(matrix.cost[j], names[j])
    if matrix.offset:
        yield _term(matrix.offset, "")


def _rows(matrix: Matrix, names: list[str]) -> Iterator[str]:
    a = matrix.a
    sides = zip(matrix.row_lower.tolist(), matrix.row_upper.tolist(), strict=True)
    for i, (row, (low, high)) in enumerate(zip(matrix.rows, sides, strict=True)):
        span = slice(a.indptr[i], a.indptr[i + 1])
        entries = zip(a.data[span].tolist(), a.indices[span].tolist(), strict=True)
        terms = [_term(value, names[j]) for value, j in entries] or [f"0 {names[0]}"]
        sign, side = (
            ("=", low) if low == high else ("<=", high) if np.isfinite(high) else (">=", low)
        )
        if np.isfinite(side):
            yield from _wrapped(f" {to_file(row)}:", [*terms, f"{sign} {number(side)}"])


def _term(value: float, name: str) -> str:
    sign = "-" if value < 0 else "+"
    size = number(abs(value))
    return f"{sign} {size} {name}".rstrip() if size != "1" or not name else f"{sign} {name}"


def _limit(bound: float) -> str:
    return number(bound) if np.isfinite(bound) else "-inf" if bound < 0 else "+inf"


def _wrapped(head: str, terms: Iterable[str]) -> Iterator[str]:
    """Yield a head and its terms on as many lines as they need."""
    line = head
    for term in terms:
        if len(line) > WIDTH:
            yield line
            line = " "
        line += f" {term}"
    yield line


HEADS = {
    "minimize": re.compile(r"min(imi[sz]e|imum)?", re.IGNORECASE),
    "maximize": re.compile(r"max(imi[sz]e|imum)?", re.IGNORECASE),
    "rows": re.compile(r"subject\s+to|such\s+that|st\.?|s\.\s*t\.", re.IGNORECASE),
    "bounds": re.compile(r"bounds?", re.IGNORECASE),
    "general": re.compile(r"gen(erals?)?|int(egers?)?", re.IGNORECASE),
    "binary": re.compile(r"bin(ary|aries)?", re.IGNORECASE),
    "semi": re.compile(r"semis?|semi-continuous", re.IGNORECASE),
    "end": re.compile(r"end", re.IGNORECASE),
}
OTHERS = re.compile(
    r"(sos\d?|pwlobj|lazy\s+constraints|user\s+cuts|general\s+constraints?|multi-objectives?)$",
    re.IGNORECASE,
)
"""Sections of some writers that the format did not begin with."""

LETTERS = r"A-Za-z!\"#$%&(),;?@_'`{}|~"
TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
    r"|(?P<sense><=|=<|>=|=>|<|>|=)"
    rf"|(?P<name>[{LETTERS}][{LETTERS}0-9./]*)"
    r"|(?P<sign>[-+:]))"
)


class Token(NamedTuple):
    """A number, a comparison, a name or a sign, with its position."""

    kind: str
    text: str
    line: int


def tokens_of(line: str, number: int) -> tuple[list[Token], str]:
    """Return the tokens that begin a line, and the remaining text."""
    tokens: list[Token] = []
    at = 0
    while (found := TOKEN.match(line, at)) is not None:
        kind = str(found.lastgroup)
        tokens.append(Token(kind, found[kind], number))
        at = found.end()
    return tokens, line[at:].strip()


SENSES = {"<": "<", "<=": "<", "=<": "<", ">": ">", ">=": ">", "=>": ">", "=": "="}
TURNED = {"<": ">", ">": "<", "=": "="}
INFINITE = re.compile(r"inf(inity)?$", re.IGNORECASE)


def read_lp(path: Path) -> Matrix:
    """Return the program in a file, and unpack a .gz file.

    Only the common syntax of all readers is accepted: one row after another, each ended by a
    comparison and a number. Syntax of some readers is refused: products, semi-continuous columns,
    special ordered sets, and rows with two sides in one line. A column is 0 or more if no bound
    differs. Readers differ on an upper bound below 0 without a lower one, so such a file is
    refused. A maximised objective is turned. Names are those before `to_file`.

    Raises:
        InputError: With the first line that cannot be read.
    """
    return parse_lp(program_text(path), str(path))


def parse_lp(text: str, source: str) -> Matrix:
    """Return the program of a text. Errors name the source and the line."""
    reader, section, waiting = _LpReader(source), "", list[Token]()
    for reader.line, whole in enumerate(text.splitlines(), start=1):
        line = whole.partition("\\")[0].strip()
        head = next((name for name, words in HEADS.items() if words.fullmatch(line)), None)
        if not line:
            continue
        if head is None:
            if OTHERS.match(line):
                raise reader.error(line, "a section that every reader knows")
            found, rest = tokens_of(line, reader.line)
            if rest:
                raise reader.error(rest[:40], "numbers, names, signs, comparisons")
            waiting += found
            if section in ("minimize", "maximize", "rows"):
                continue
        reader.take(section, waiting)
        waiting = []
        section = head or section
        if section == "end":
            return reader.program()
    raise reader.error("the end of the file", "a line End")


@dataclass
class _LpReader(ProgramReader):
    """Collects the sections of an LP file."""

    advice = "write it as `ringyard export` writes programs, or as MPS"
    sign: float = 1.0
    columns: dict[str, int] = field(default_factory=dict)
    cost: dict[str, float] = field(default_factory=dict)
    offset: float = 0.0
    rows: dict[str, tuple[dict[str, float], str, float]] = field(default_factory=dict)
    whole: set[str] = field(default_factory=set)

    def take(self, section: str, tokens: list[Token]) -> None:
        """Take all rows of a section, or a line of one."""
        if not tokens:
            return
        last = self.line
        if section in ("minimize", "maximize"):
            self.sign = 1.0 if section == "minimize" else -1.0
            self._objective(tokens)
        elif section == "rows":
            at = 0
            while at < len(tokens):
                at = self._row(tokens, at)
        elif section == "bounds":
            self._bound(tokens)
        elif section in ("general", "binary"):
            self._kinds(section, tokens)
        elif section == "semi":
            raise self.error(tokens[0].text, "no semi-continuous columns")
        else:
            raise self.error(tokens[0].text, "a line Minimize or Maximize first")
        self.line = last

    def _objective(self, tokens: list[Token]) -> None:
        _, at = self._label(tokens, 0)
        terms, constant, at = self._sum(tokens, at)
        if at < len(tokens):
            self.line = tokens[at].line
            raise self.error(tokens[at].text, "terms of the objective, or Subject To")
        self.cost = {name: self.sign * value for name, value in terms.items()}
        self.offset = self.sign * constant

    def _row(self, tokens: list[Token], at: int) -> int:
        """Read the row at a place, and return the place after it."""
        self.line = tokens[at].line
        name, at = self._label(tokens, at)
        name = f"c{len(self.rows) + 1}" if name is None else name
        if name in self.rows:
            raise self.error(name, "each row once")
        terms, constant, at = self._sum(tokens, at)
        if at == len(tokens):
            raise self.error(name, "terms, then <=, >= or =")
        if constant or not terms:
            raise self.error(name, "columns at the left, and all numbers without one at the right")
        sense, self.line = SENSES[tokens[at].text], tokens[at].line
        side, at = self._limit(tokens, at + 1)
        again = at < len(tokens) and tokens[at].line == self.line
        if again and tokens[at + 1 : at + 2] != [Token(":", ":", self.line)]:
            raise self.error(tokens[at].text, "a row that ends with one number")
        self.rows[name] = terms, sense, side
        return at

    def _label(self, tokens: list[Token], at: int) -> tuple[str | None, int]:
        if at + 1 < len(tokens) and tokens[at].kind == "name" and tokens[at + 1].text == ":":
            return tokens[at].text, at + 2
        return None, at

    def _sum(self, tokens: list[Token], at: int) -> tuple[dict[str, float], float, int]:
        """Return the terms and the constant from a place on, and the place after them."""
        terms: dict[str, float] = {}
        constant, first, count = 0.0, at, len(tokens)
        while at < count and tokens[at].kind != "sense":
            self.line = tokens[at].line
            sign, before = 1.0, at
            while at < count and tokens[at].text in ("+", "-"):
                sign = -sign if tokens[at].text == "-" else sign
                at += 1
            if before > first and at == before:
                raise self.error(tokens[at].text, "a sign between terms")
            factor = None
            if at < count and tokens[at].kind == "number":
                factor, at = float(tokens[at].text), at + 1
            if at < count and tokens[at].kind == "name":
                name, at = tokens[at].text, at + 1
                if name in terms:
                    raise self.error(name, "each column once in a row")
                terms[self._column(name)] = sign * (1.0 if factor is None else factor)
            elif factor is not None:
                constant += sign * factor
            else:
                found = tokens[at].text if at < count else "a sign alone"
                raise self.error(found, "a number or the name of a column")
        return terms, constant, at

    def _column(self, name: str) -> str:
        self.columns.setdefault(name, len(self.columns))
        return name

    def _limit(self, tokens: list[Token], at: int) -> tuple[float, int]:
        """Return the number at a place, perhaps endless, and the place after it."""
        sign = 1.0
        while at < len(tokens) and tokens[at].text in ("+", "-"):
            sign, at = (-sign if tokens[at].text == "-" else sign), at + 1
        if at < len(tokens) and tokens[at].kind == "number":
            value = float(tokens[at].text)
            return sign * (math.inf if value >= ENDLESS else value), at + 1
        if at < len(tokens) and INFINITE.match(tokens[at].text):
            return sign * math.inf, at + 1
        raise self.error(tokens[at].text if at < len(tokens) else "nothing", "a number")

    def _bound(self, tokens: list[Token]) -> None:
        """Take one line: `x free`, or a column with a limit at one side or at both."""
        if tokens[0].kind == "name" and not INFINITE.match(tokens[0].text):
            name, rest = tokens[0].text, tokens[1:]
            if [one.text.lower() for one in rest] == ["free"]:
                self._compared(name, ">", -math.inf)
                return self._compared(name, "<", math.inf)
        else:
            value, at = self._limit(tokens, 0)
            rest = tokens[at:]
            if len(rest) < 2 or rest[0].kind != "sense" or rest[1].kind != "name":
                raise self.error(" ".join(one.text for one in tokens), "a comparison and a column")
            name = rest[1].text
            self._compared(name, TURNED[SENSES[rest[0].text]], value)
            rest = rest[2:]
            if not rest:
                return None
        if not rest or rest[0].kind != "sense":
            raise self.error(" ".join(one.text for one in tokens), "<=, >=, = or free")
        value, at = self._limit(rest, 1)
        if at < len(rest):
            raise self.error(rest[at].text, "one column in a line")
        return self._compared(name, SENSES[rest[0].text], value)

    def _compared(self, name: str, sense: str, value: float) -> None:
        self._column(name)
        self.bounded[name] = self.line
        if sense in ">=":
            self.lower[name] = value
        if sense in "<=":
            self.upper[name] = value

    def _kinds(self, section: str, tokens: list[Token]) -> None:
        for one in tokens:
            if one.kind != "name" or one.text not in self.columns:
                raise self.error(one.text, "columns of rows or bounds")
            self.whole.add(one.text)
            if section == "binary":
                self._compared(one.text, ">", 0.0)
                self._compared(one.text, "<", 1.0)

    def program(self) -> Matrix:
        """Return the program of all that was read."""
        sums = [terms for terms, *_ in self.rows.values()]
        i = np.repeat(np.arange(len(sums)), [len(terms) for terms in sums])
        j = [self.columns[name] for terms in sums for name in terms]
        values = [value for terms in sums for value in terms.values()]
        return assembled(
            list(self.columns),
            list(self.rows),
            (i, j, values),
            cost=(self.cost.get(name, 0.0) for name in self.columns),
            offset=self.offset,
            sides=(
                (-math.inf if sense == "<" else side, math.inf if sense == ">" else side)
                for _, sense, side in self.rows.values()
            ),
            bounds=map(self.bounds_of, self.columns),
            whole=(name in self.whole for name in self.columns),
        )
