"""A digest of a program, the same on every machine."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import numpy as np

from ..conic import ConicProgram
from ..program import Floats, Matrix, Program

DIGITS = 12
"""Digits of numbers that the digest sees: the last ones may differ between machines."""


def digest_of(program: Program | ConicProgram) -> str:
    """Return a digest of a program, of its numbers to `DIGITS` digits.

    Of NL text, it sees the words without comments.
    """
    sums = sha256()
    if isinstance(program, ConicProgram):
        lines = _conic_lines(program)
    else:
        lines = _lines(program) if isinstance(program, Matrix) else _nl_lines(program.nl)
    for line in lines:
        sums.update(line.encode() + b"\n")
    return sums.hexdigest()


def _lines(matrix: Matrix) -> Iterator[str]:
    yield from ("\n".join(names) for names in (matrix.columns, matrix.rows))
    yield _digits(np.array([matrix.offset]))
    for values in (matrix.cost, matrix.lower, matrix.upper, matrix.row_lower, matrix.row_upper):
        yield _digits(values)
    yield "".join("1" if whole else "0" for whole in matrix.integer.tolist())
    yield from _sparse(matrix.a)


def _conic_lines(program: ConicProgram) -> Iterator[str]:
    yield from ("\n".join(names) for names in (program.columns, program.rows))
    yield " ".join(f"{cone.sort} {cone.size} {cone.exponent}" for cone in program.cones)
    yield from map(_digits, (np.array([program.offset]), program.cost, program.b))
    yield from _sparse(program.a)


def _sparse(given: Any) -> Iterator[str]:
    a = given.copy()
    a.sum_duplicates()
    a.eliminate_zeros()
    a.sort_indices()
    yield " ".join(map(str, a.indptr.tolist()))
    yield " ".join(map(str, a.indices.tolist()))
    yield _digits(a.data)


def _digits(values: Floats) -> str:
    return " ".join(f"{value + 0.0:.{DIGITS}g}" for value in values.tolist())


def _nl_lines(nl: bytes) -> Iterator[str]:
    for line in nl.decode("ascii").splitlines():
        yield " ".join(_word(word) for word in line.split("#")[0].split())


def _word(word: str) -> str:
    head, number = (word[0], word[1:]) if word[0] == "n" else ("", word)
    try:
        return f"{head}{float(number):.{DIGITS}g}"
    except ValueError:
        return word
