"""Names and rows as files of programs can hold them, and the base of their readers."""

import re
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import ClassVar

import numpy as np

from ...instances.errors import InputError
from ...instances.reading.decode import read_text
from ..program import Flags, Matrix


def ranged(matrix: Matrix) -> Flags:
    """Return for each row whether it has two finite, different sides."""
    finite = np.isfinite(matrix.row_lower) & np.isfinite(matrix.row_upper)
    return np.asarray(finite & (matrix.row_lower != matrix.row_upper))


def split(matrix: Matrix, rows: Flags) -> Matrix:
    """Return the program with such rows as two: the upper side, and as ``name~`` the lower."""
    if not rows.any():
        return matrix
    order = np.repeat(np.arange(len(rows)), 1 + rows)
    second = np.append(False, order[1:] == order[:-1])
    first = rows[order] & ~second
    names = zip(order.tolist(), second.tolist(), strict=True)
    return replace(
        matrix,
        rows=tuple(matrix.rows[i] + ("~" if again else "") for i, again in names),
        a=matrix.a[order],
        row_lower=np.where(first, -np.inf, matrix.row_lower[order]),
        row_upper=np.where(second, np.inf, matrix.row_upper[order]),
    )


CODED = re.compile(r"[^A-Za-z0-9_,~\[\]]")
CODE = re.compile(r"#(10[0-9a-f]{4}|[0-9a-f]{1,5})\.")
MISTAKEN = re.compile(
    r"[^A-Za-z]|e\d|inf|nan|(free|end|st|obj|bounds?|bin(s|ary|aries)?|gen(s|erals?)?"
    r"|int(s|egers?)?|sec|semis?|sos|min(imi[sz]e)?|max(imi[sz]e)?)$",
    re.IGNORECASE,
)
BRACKETS, PARENTHESES = str.maketrans("[]", "()"), str.maketrans("()", "[]")

QUOTED = re.compile(r"""[()\[\],.'":\\]|^\|""")
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|-?inf|nan", re.ASCII)


def label(index: str) -> str:
    """Write the name of a job or server as Pyomo writes it in an index."""
    text = repr(index)
    plain = text[1:-1]
    return text if QUOTED.search(plain) or NUMBER.fullmatch(plain) else plain


def to_file(name: str) -> str:
    """Return a name as MPS, LP and .sol files can hold it."""
    text = CODED.sub(lambda found: f"#{ord(found[0]):x}.", name).translate(BRACKETS)
    return f"_{text}" if MISTAKEN.match(text) else text


def from_file(text: str) -> str:
    """Return the name that `to_file` wrote."""
    name = text.removeprefix("_").translate(PARENTHESES)
    return CODE.sub(lambda found: chr(int(found[1], 16)), name)


def name_of(text: str) -> str:
    """Return the name encoded in a text. Names of other writers stay unchanged."""
    name = from_file(text)
    return name if to_file(name) == text else text


def number(value: float) -> str:
    """Write a number in the fewest digits that read back to the same double."""
    return repr(float(value)).removesuffix(".0")


MOST_BYTES = 512 * 2**20
"""The largest file of a program that is read, unpacked. MIPLIB's are smaller but for a few."""


def program_text(path: Path) -> str:
    """Return the text of a file of a program, and unpack a .gz file."""
    return read_text(path, MOST_BYTES)


@dataclass
class ProgramReader:
    """The state that readers of programs share: the line, and the bounds of columns."""

    source: str
    advice: ClassVar[str]
    line: int = 0
    lower: dict[str, float] = field(default_factory=dict)
    upper: dict[str, float] = field(default_factory=dict)
    bounded: dict[str, int] = field(default_factory=dict)
    """The line of the last bound of a column."""

    def error(self, found: str, expected: str) -> InputError:
        """Return the error for the line that is read, with the text found and the text expected."""
        return InputError.of(self.source, f"line {self.line}", found, expected, self.advice)

    def bounds_of(self, column: str, most: float = inf) -> tuple[float, float]:
        """Return the bounds of a column. `most` is the upper one if none was read."""
        low, high = self.lower.get(column), self.upper.get(column, most)
        if low is None and high < 0:
            self.line = self.bounded[column]
            raise self.error(f"{column} up to {high:g}", "a lower bound, too: readers differ here")
        return 0.0 if low is None else low, high
