"""Reads NL text back, so that points of nonlinear programs can be checked without a solver.

The format: D. M. Gay, Writing .nl files, Sandia report 2005-7907P. Only the operators of programs
here are known, and other ones are refused by their numbers.
"""

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...instances import RefusedError
from ...instances.reading.decode import read_text
from ..program import Checker, Flags, Floats, Nonlinear
from .names import name_of

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


def read_nl_file(path: Path) -> Nonlinear:
    """Return the program in an NL file. Names of columns are in a .col file next to it, if any.

    Without that file, columns are called ``x0``, ``x1``, ...
    """
    nl = read_text(path).encode()
    count = len(read_nl(nl).integer)
    names = path.with_name(path.name.removesuffix(".gz")).with_suffix(".col")
    columns = tuple(f"x{j}" for j in range(count))
    if names.is_file():
        columns = tuple(name_of(line.strip()) for line in read_text(names).splitlines())
    return Nonlinear(columns=columns, nl=nl)


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
    lines = [line.split("#")[0].split() for line in nl.decode("ascii").splitlines()]
    text = _header(lines[:10])
    stream = iter(lines[10:])
    for words in stream:
        _segment(text, words, stream)
    return text


def _header(lines: list[list[str]]) -> NlSegments:
    """Read numbers of columns and rows, and which columns are integers.

    Columns come in groups, the integers last in each: nonlinear in both rows and objective, in
    rows only, in the objective only, linear.
    """
    columns, rows = int(lines[1][0]), int(lines[1][1])
    in_rows, in_objective, in_both = map(int, lines[4][:3])
    binary, whole, *nonlinear = map(int, lines[6][:5])
    ends = [in_both, in_rows, max(in_rows, in_objective), columns]
    integer = np.zeros(columns, dtype=np.bool_)
    for end, count in zip(ends, [*nonlinear, binary + whole], strict=True):
        integer[end - count : end] = True
    return NlSegments(integer=integer, rows=[NlPart() for _ in range(rows)])


def _segment(text: NlSegments, words: list[str], stream: Iterator[list[str]]) -> None:
    kind, number = words[0][0], words[0][1:]
    if kind == "C":
        text.rows[int(number)].formula = _formula(stream)
    elif kind == "O":
        if words[1] != "0":
            raise RefusedError("a program is minimised: change the signs of this objective")
        text.objective.formula = _formula(stream)
    elif kind == "V":
        linear = _linear(stream, int(words[1]))
        text.shared.append(NlPart(linear, _formula(stream)))
    elif kind == "J":
        text.rows[int(number)].linear = _linear(stream, int(words[1]))
    elif kind == "G":
        text.objective.linear = _linear(stream, int(words[1]))
    elif kind == "r":
        text.row_bounds = [_range(next(stream)) for _ in text.rows]
    elif kind == "b":
        text.bounds = [_range(next(stream)) for _ in text.integer]
    elif kind in SKIPPED:
        count = number if SKIPPED[kind] == 1 else words[1]
        for _ in range(int(count)):
            next(stream)
    else:
        raise RefusedError(f"an NL file with a segment {kind!r} cannot be checked")


def _linear(stream: Iterator[list[str]], count: int) -> dict[int, float]:
    pairs = [next(stream) for _ in range(count)]
    return {int(column): float(factor) for column, factor in pairs}


def _range(words: list[str]) -> tuple[float, float]:
    """Read a line of bounds: its first digit says which there are."""
    numbers = [float(word) for word in words[1:]]
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
    raise RefusedError("complementarity cannot be checked")


def _formula(stream: Iterator[list[str]]) -> list[str]:
    """Read the lines of one formula in prefix notation."""
    words: list[str] = []
    missing = 1
    while missing:
        (word,) = next(stream)
        words.append(word)
        missing -= 1
        if word[0] == "o":
            if word not in OPERATORS:
                raise RefusedError(f"an NL file with the operator {word!r} cannot be checked")
            arguments, _ = OPERATORS[word]
            if not arguments:
                (count,) = next(stream)
                words.append(count)
                arguments = int(count)
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
