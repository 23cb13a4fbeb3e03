"""Points in the .sol files that programs write which read NL text.

The format: D. M. Gay, Hooking your solver to AMPL, 1997. A message, a line `Options` with some
numbers behind it, how many duals and values there are, these, and `objno 0 CODE`.
"""

from dataclasses import dataclass

import numpy as np

from ...instances.errors import InputError, Words
from ..program import Floats

OPTIONS, MOST_OPTIONS = "Options", 4
"""Where more options are counted, two of them are not there, and a tolerance stands after the
counts of values."""


@dataclass(frozen=True, slots=True)
class AmplAnswer:
    """What a program says of an NL file."""

    message: str
    code: int
    """Hundreds: 0 solved, 1 maybe, 2 no point, 3 no end, 4 a limit, 5 a failure."""
    point: Floats | None


def read_ampl_sol(text: str, columns: int, source: str) -> AmplAnswer:
    """Return what a .sol file says; it may have no values.

    Raises:
        InputError: Where it is cut off, is of another program, or is no such file.
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
