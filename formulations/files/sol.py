"""Points in .sol files: of MIPLIB, of solvers, and of programs that read NL text."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite

import numpy as np

from ...instances.errors import InputError, Problem, Words
from ..program import Floats
from .names import from_file, number, to_file

NO_VALUE = (
    *("=obj=", "solution status:", "objective value:", "#", "Optimal - ", "Stopped on "),
    *("----------", "=========="),  # MiniZinc: the end of a solution, and of the search.
)
"""Beginnings of lines that name no column."""

NO_SOLUTION = ("=====UNSATISFIABLE", "=====UNKNOWN", "=====ERROR")
"""MiniZinc's words for it."""

NO_POINT = (
    "=infeas=",
    "=unkn=",
    "=unbd=",
    "no solution available",
    "Infeasible - ",
    "Unbounded",
    *NO_SOLUTION,
)

HIGHS_POINT, HIGHS_COLUMNS = "# Primal solution values", "# Columns"

MOST = 10
"""Number of errors reported at once."""


def sol_lines(values: Mapping[str, float], objective: float) -> Iterator[str]:
    """Yield the lines of a .sol file: the objective, and every column that is not 0.

    MIPLIB's form is a line ``=obj= value``, then lines ``name value``. Other columns are 0.
    """
    yield f"=obj= {number(objective)}"
    yield from (f"{to_file(name)} {number(value)}" for name, value in values.items() if value)


def read_sol(text: str, columns: tuple[str, ...], source: str) -> Floats:
    """Return the values in a .sol file, in the order of the columns.

    Raises:
        InputError: If a line names no column or has no number, or no point exists.
    """
    point = np.zeros(len(columns))
    for j, value in exact_sol(text, columns, source).items():
        point[j] = float(value)
    return point


def exact_sol(text: str, columns: tuple[str, ...], source: str) -> dict[int, Fraction]:
    """Return the values in a .sol file exactly as written, without zeros, by column.

    Raises:
        InputError: If a line names no column or has no number, or no point exists.
    """
    known = {name: j for j, name in enumerate(columns)}
    point: dict[int, Fraction] = {}
    problems: list[Problem] = []
    for count, line in _value_lines(text, source):
        words = line.removeprefix("**").split()
        if len(words) > 2 and words[0].isdecimal():
            words = words[1:]  # CBC begins with the number of the column.
        name = words[0] if words[0] in known else from_file(words[0])
        value = _number(words[1]) if len(words) > 1 else None
        if value is None:
            advice = "write a name, a blank and a value"
            problems.append(Problem(f"line {count}", line, "a column and a number", advice))
        elif name not in known:
            advice = "check --formulation and --horizon"
            problems.append(Problem(f"line {count}", words[0], "a column of the program", advice))
        elif known[name] in point:
            problems.append(Problem(f"line {count}", words[0], "each column once", "remove one"))
        else:
            point[known[name]] = value
    if problems:
        raise InputError(source, problems[:MOST], len(problems[MOST:]))
    return {j: value for j, value in point.items() if value}


def _value_lines(text: str, source: str) -> Iterator[tuple[int, str]]:
    """Yield number and text of the lines that should hold a column and its value."""
    lines = [line.strip() for line in text.splitlines()]
    begin, end = 0, len(lines)
    if HIGHS_POINT in lines:
        begin = next((n + 1 for n, line in enumerate(lines) if line.startswith(HIGHS_COLUMNS)), end)
        end = next((n for n in range(begin, end) if lines[n].startswith("#")), end)
    if begin == len(lines) or any(line.startswith(NO_POINT) for line in lines):
        found = Words("no point")
        advice = "let the solver run until it has one"
        raise InputError.of(source, "file", found, "the values of a point", advice)
    for count, line in enumerate(lines[begin:end], start=begin + 1):
        if line and not line.startswith(NO_VALUE):
            yield count, line


def _number(word: str) -> Fraction | None:
    try:
        value = float(word)
        if not isfinite(value):
            return None
        return Fraction(word) if value else Fraction(0)  # Exponents may be too large to write out.
    except ValueError:
        return None


OPTIONS, MOST_OPTIONS = "Options", 4
"""With more options, two of them are missing, and a tolerance follows the numbers of values."""


@dataclass(frozen=True, slots=True)
class AmplAnswer:
    """A solver's answer to an NL file."""

    message: str
    code: int
    """Hundreds: 0 solved, 1 maybe, 2 no point, 3 no end, 4 a limit, 5 a failure."""
    point: Floats | None


def read_ampl_sol(text: str, columns: int, source: str) -> AmplAnswer:
    """Return the answer in a .sol file, which may have no values.

    The format: D. M. Gay, Hooking your solver to AMPL, 1997. A message, a line `Options` with some
    numbers behind it, how many duals and values there are, these, and `objno 0 CODE`.

    Raises:
        InputError: If it is cut off, is of another program, or is no such file.
    """
    lines = [line.strip() for line in text.splitlines()]
    try:
        place = lines.index(OPTIONS)
        count = int(lines[place + 1])
        extra = count > MOST_OPTIONS
        at = place + 2 + count - (2 if extra else 0)
        _, duals, size, values = (int(line) for line in lines[at : at + 4])
        begin = at + 4 + extra + duals
        point = np.array([float(line) for line in lines[begin : begin + values]])
        end = next(
            (line for line in lines[begin + values :] if line.startswith("objno")), "objno 0 0"
        )
        code = int(end.split()[2])
    except (ValueError, IndexError) as error:
        raise _fault(source, Words("something else"), "a .sol file of an NL program") from error
    if size != columns or values not in (0, columns) or len(point) != values:
        raise _fault(source, f"{values} values of {size} columns", f"{columns} columns")
    message = " ".join(filter(None, lines[:place]))
    return AmplAnswer(message, code, point if values else None)


def _fault(source: str, found: object, expected: str) -> InputError:
    advice = "let the solver write the file of this program"
    return InputError.of(source, "file", found, expected, advice)
