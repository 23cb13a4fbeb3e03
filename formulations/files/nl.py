"""Reads NL text back, so that points of nonlinear programs can be checked without a solver.

The format: D. M. Gay, Writing .nl files, Sandia report 2005-7907P. Only the operators of programs
here are known, and other ones are refused by their numbers.
"""

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ...instances import RefusedError
from ..program import Checker, Flags, Floats

OPERATORS: dict[str, tuple[int, Callable[..., float]]] = {
    "o0": (2, operator.add),
    "o1": (2, operator.sub),
    "o2": (2, operator.mul),
    "o3": (2, operator.truediv),
    "o5": (2, math.pow),
    "o11": (0, min),
    "o12": (0, max),
    "o13": (1, math.floor),
    "o14": (1, math.ceil),
    "o15": (1, abs),
    "o16": (1, operator.neg),
    "o39": (1, math.sqrt),
    "o43": (1, math.log),
    "o44": (1, math.exp),
    "o54": (0, lambda *terms: math.fsum(terms)),
}
"""Arguments (0: the next line has the number) and meaning of each operator."""

SKIPPED = {"x": 1, "d": 1, "k": 1, "S": 2}
"""Segments without meaning here, and the place of the number of their lines, from 1."""


SETS = ("sos", "sosno")
"""Suffixes that state special ordered sets."""


class NlError(RefusedError):
    """An NL text that cannot be read, with the words for what was expected in the last line."""

    def __init__(self, reason: str, expected: str) -> None:
        """Store what was expected."""
        super().__init__(reason)
        self.expected = expected


class NlLines:
    """The words of the lines of an NL text in turn, without comments."""

    def __init__(self, text: str) -> None:
        """Begin before the first line."""
        lines = text.splitlines()
        self.count = len(lines)
        self._lines = iter(lines)
        self.number = 0
        """The line that was read last, from 1."""
        self.last = ""

    def __iter__(self) -> "NlLines":
        """Return the lines that are left."""
        return self

    def __next__(self) -> list[str]:
        """Return the words of the next line."""
        self.last = next(self._lines)
        self.number += 1
        return self.last.split("#")[0].split()


class Arithmetic(NamedTuple):
    """Arithmetic for parts: the type of numbers, their sum, and the operators."""

    number: Callable[[float], Any]
    total: Callable[[Iterable[Any]], Any]
    operators: Mapping[str, Callable[..., Any]]


FLOATS = Arithmetic(float, math.fsum, {name: meaning for name, (_, meaning) in OPERATORS.items()})


@dataclass(slots=True)
class NlPart:
    """A row, an objective or a common subexpression: its linear terms and its formula."""

    linear: dict[int, float] = field(default_factory=dict)
    formula: list[str] = field(default_factory=list)

    def value(self, known: Sequence[Any], by: Arithmetic = FLOATS) -> Any:
        """Return its value, given the `known` values of columns and subexpressions."""
        terms = (by.number(factor) * known[column] for column, factor in self.linear.items())
        return by.total(terms) + _evaluate(self.formula, known, by)


@dataclass(slots=True)
class NlSegments:
    """The contents of the segments of an NL file."""

    integer: Flags
    rows: list[NlPart]
    objective: NlPart = field(default_factory=NlPart)
    shared: list[NlPart] = field(default_factory=list)
    bounds: list[tuple[float, float]] = field(default_factory=list)
    row_bounds: list[tuple[float, float]] = field(default_factory=list)

    def known(self, point: Floats) -> list[float]:
        """Return the values of columns and common subexpressions at a point."""
        values: list[float] = point.tolist()
        for part in self.shared:
            values.append(part.value(values))
        return values


def nl_checker(nl: bytes) -> Checker:
    """Return the checker of an NL file."""
    text = read_nl(nl)
    columns = np.array(text.bounds, dtype=float).reshape(-1, 2)
    rows = np.array(text.row_bounds, dtype=float).reshape(-1, 2)
    sizes = [max(map(abs, row.linear.values()), default=0.0) for row in text.rows]

    def worth(parts: list[NlPart], point: Floats) -> Floats:
        try:
            known = text.known(point)
            return np.array([part.value(known) for part in parts])
        except (ArithmeticError, ValueError):
            return np.full(len(parts), np.nan)

    return Checker(
        lower=columns[:, 0],
        upper=columns[:, 1],
        integer=text.integer,
        row_lower=rows[:, 0],
        row_upper=rows[:, 1],
        largest=np.array(sizes, dtype=float),
        rows=lambda point: worth(text.rows, point),
        value=lambda point: float(worth([text.objective], point)[0]),
    )


def read_nl(nl: bytes) -> NlSegments:
    """Return the contents of an NL file."""
    return parse_nl(NlLines(nl.decode("ascii")))


def parse_nl(lines: NlLines) -> NlSegments:
    """Return the contents of an NL text. After an error, `lines` knows the line that was read."""
    text = _header([next(lines) for _ in range(10)], lines.count)
    for words in lines:
        if words:
            _segment(text, words, lines)
    return text


def _header(lines: list[list[str]], most: int) -> NlSegments:
    """Read numbers of columns and rows, and which columns are integers.

    Columns come in groups, the integers last in each: nonlinear in both rows and objective, in
    rows only, in the objective only, linear. Each column and row has a line, of `most` in all.
    """
    columns, rows, objectives = map(int, lines[1][:3])
    if objectives > 1:
        raise NlError(f"a program with {objectives} objectives cannot be checked", "one objective")
    in_rows, in_objective, in_both = map(int, lines[4][:3])
    binary, whole, *nonlinear = map(int, lines[6][:5])
    if min(columns, rows, in_both, binary, whole, *nonlinear) < 0 or columns + rows > most:
        raise ValueError("sizes that no file of this length has")
    ends = [in_both, in_rows, max(in_rows, in_objective), columns]
    integer = np.zeros(columns, dtype=np.bool_)
    for end, count in zip(ends, [*nonlinear, binary + whole], strict=True):
        if not count <= end <= columns:
            raise ValueError("more integers than columns")
        integer[end - count : end] = True
    return NlSegments(integer=integer, rows=[NlPart() for _ in range(rows)])


def _segment(text: NlSegments, words: list[str], stream: NlLines) -> None:
    kind, number = words[0][0], words[0][1:]
    columns = len(text.integer)
    known = columns + len(text.shared)
    if kind in "CJ" and int(number) < 0:
        raise ValueError("a row before the first")
    if kind == "C":
        text.rows[int(number)].formula = _formula(stream, known)
    elif kind == "O":
        if words[1] != "0":
            raise NlError(
                "a program is minimised: change the signs of this objective", "O0 0, minimised"
            )
        text.objective.formula = _formula(stream, known)
    elif kind == "V":
        linear = _linear(stream, int(words[1]), known)
        text.shared.append(NlPart(linear, _formula(stream, known)))
    elif kind == "J":
        text.rows[int(number)].linear = _linear(stream, int(words[1]), columns)
    elif kind == "G":
        text.objective.linear = _linear(stream, int(words[1]), columns)
    elif kind == "r":
        text.row_bounds = [_range(next(stream)) for _ in text.rows]
    elif kind == "b":
        text.bounds = [_range(next(stream)) for _ in text.integer]
    elif kind == "S" and words[2] in SETS:
        raise NlError("an NL file with special ordered sets cannot be checked", "no such sets")
    elif kind in SKIPPED:
        count = number if SKIPPED[kind] == 1 else words[1]
        for _ in range(int(count)):
            next(stream)
    else:
        raise NlError(
            f"an NL file with a segment {kind!r} cannot be checked",
            f"a segment that begins with {', '.join('COVJGrb')} or {', '.join(SKIPPED)}",
        )


def _linear(stream: Iterator[list[str]], count: int, known: int) -> dict[int, float]:
    pairs = [next(stream) for _ in range(count)]
    linear = {int(column): _finite(factor) for column, factor in pairs}
    if linear and not (min(linear) >= 0 and max(linear) < known):
        raise ValueError("a column that is not there")
    return linear


def _finite(word: str) -> float:
    if not math.isfinite(value := float(word)):
        raise ValueError("not a number")
    return value


def _range(words: list[str]) -> tuple[float, float]:
    """Read a line of bounds: its first digit says which there are."""
    numbers = [float(word) for word in words[1:]]
    if any(map(math.isnan, numbers)):
        raise ValueError("not a number")
    match words[0]:
        case "0":
            return numbers[0], numbers[1]
        case "1":
            return -math.inf, numbers[0]
        case "2":
            return numbers[0], math.inf
        case "3":
            return -math.inf, math.inf
        case "4":
            return numbers[0], numbers[0]
    raise NlError("complementarity cannot be checked", "bounds of kind 0, 1, 2, 3 or 4")


def _formula(stream: Iterator[list[str]], known: int) -> list[str]:
    """Read the lines of one formula in prefix notation. Its columns are below `known`."""
    words: list[str] = []
    missing = 1
    while missing:
        (word,) = next(stream)
        words.append(word)
        missing -= 1
        if word[0] == "v" and not 0 <= int(word[1:]) < known:
            raise ValueError("a column that is not there")
        if word[0] == "n":
            _finite(word[1:])
        elif word[0] not in "ov":
            raise ValueError("no number, column or operator")
        if word[0] == "o":
            if word not in OPERATORS:
                raise NlError(
                    f"an NL file with the operator {word!r} cannot be checked",
                    f"an operator whose value can be checked: {', '.join(OPERATORS)}",
                )
            arguments, _ = OPERATORS[word]
            if not arguments:
                (count,) = next(stream)
                words.append(count)
                arguments = int(count)
                if arguments < 1:
                    raise ValueError("an operator without arguments")
            missing += arguments
    return words


def _evaluate(formula: list[str], known: Sequence[Any], by: Arithmetic) -> Any:
    """Return the value of a formula, read from its end."""
    stack: list[Any] = []
    count = 0
    for word in reversed(formula):
        if word[0] == "n":
            stack.append(by.number(float(word[1:])))
        elif word[0] == "v":
            stack.append(known[int(word[1:])])
        elif word[0] == "o":
            taken = [stack.pop() for _ in range(OPERATORS[word][0] or count)]
            stack.append(by.operators[word](*taken))
        else:
            count = int(word)
    return stack[-1] if stack else by.number(0.0)
