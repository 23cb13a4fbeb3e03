"""Points in .sol files: of MIPLIB, of solvers, and of programs that read NL text.

`solution_styles.py` reads the lines of HiGHS and GLPK.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite

import numpy as np

from ...instances.errors import InputError, Problem, Words
from ..program import Floats
from .names import from_file, number, to_file
from .solution_styles import HIGHS_COLUMNS, ValueLine, styled

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
    for one in _value_lines(text, known, source):
        place = _place(one.column, known)
        value = None if one.value is None else exact_number(one.value)
        if value is None:
            advice = "write a name, a blank and a value"
            fault = (one.line, "a column and a number", advice)
        elif place is None:
            advice = "check --formulation and --horizon"
            fault = (str(one.column), "a column of the program", advice)
        elif place in point:
            fault = (str(one.column), "each column once", "remove one")
        else:
            point[place] = value
            continue
        problems.append(Problem(f"line {one.number}", *fault))
    if problems:
        raise InputError(source, problems[:MOST], len(problems[MOST:]))
    return {j: value for j, value in point.items() if value}


def _place(column: str | int, known: Mapping[str, int]) -> int | None:
    """Return the place of a column that a file names, or gives by its place."""
    if isinstance(column, int):
        return column if 0 <= column < len(known) else None
    return known.get(column, known.get(from_file(column)))


def _value_lines(text: str, known: Mapping[str, int], source: str) -> Iterator[ValueLine]:
    """Yield the lines that should hold a column and its value."""
    lines = text.splitlines()
    values = styled(lines)
    found = _plain_lines(lines, known) if values is None else list(values)
    if found is None or (values is not None and known and not found and not _sparse(lines)):
        advice = "let the solver run until it has one"
        found_words = Words("no point")
        raise InputError.of(source, "file", found_words, "the values of a point", advice)
    yield from found


def _sparse(lines: list[str]) -> bool:
    """Return True if columns that are 0 have no line."""
    return any(line.startswith(HIGHS_COLUMNS) and line.endswith("sparse") for line in lines)


def _plain_lines(lines: list[str], known: Mapping[str, int]) -> list[ValueLine] | None:
    """Return lines with a name and a value, or None if the file says that there is no point."""
    found = []
    for at, line in enumerate(map(str.strip, lines), start=1):
        if line.startswith(NO_POINT):
            return None
        if line and not line.startswith(NO_VALUE):
            words = line.removeprefix("**").split()
            if len(words) > 2 and words[0].isdecimal():
                words = words[1:]  # CBC begins with the number of the column.
            name, _, last = line.rpartition(" ")
            if words[0] not in known and name.strip() in known:
                words = [name.strip(), last]  # Names of fixed MPS may have blanks.
            value = words[1] if len(words) > 1 else None
            found.append(ValueLine(at, line, words[0], value))
    return found


def exact_number(word: str) -> Fraction | None:
    """Return a finite number exactly as written, or None."""
    try:
        value = float(word)
        if not isfinite(value) or "_" in word:
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
