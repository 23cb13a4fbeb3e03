"""What is written as OPB says the same as the program: read back by a reader of its own."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from ringyard.formulations.files.opb import pseudo_boolean
from ringyard.formulations.program import TOLERANCE, Matrix, matrix_checker
from ringyard.instances import RefusedError
from ringyard.testing.programs import TINY, UNBOUNDED, drawn, matrix, relaxed

Row = tuple[dict[int, int], str, int]


def read(text: str) -> tuple[int, dict[int, int], list[Row]]:
    """Return the number of bits, the objective, and the rows of an OPB text."""
    header, *lines = text.splitlines()
    _, _, count, _, rows = header.split()
    said = [line.removesuffix(";").split() for line in lines if not line.startswith("*")]
    assert said[0][0] == "min:"
    assert len(said) - 1 == int(rows)
    return (
        int(count),
        terms(said[0][1:]),
        [(terms(row[:-2]), row[-2], int(row[-1])) for row in said[1:]],
    )


def terms(words: list[str]) -> dict[int, int]:
    return {int(x.removeprefix("x")): int(f) for f, x in zip(words[::2], words[1::2], strict=True)}


def points(text: str) -> Iterator[tuple[set[int], int]]:
    """Yield the bits of each point, and the objective there."""
    count, objective, rows = read(text)
    for bits in product((0, 1), repeat=count):
        sums = [sum(f * bits[x - 1] for x, f in body.items()) for body, _, _ in rows]
        senses = zip(sums, rows, strict=True)
        if all(s == side if sense == "=" else s >= side for s, (_, sense, side) in senses):
            ones = {i for i, bit in enumerate(bits, start=1) if bit}
            yield ones, sum(f * bits[x - 1] for x, f in objective.items())


def whole_points(program: Matrix) -> set[tuple[float, ...]]:
    """Return the points of a program in whole numbers, by trying all."""
    ends = zip(np.ceil(program.lower), np.floor(program.upper), strict=True)
    checker = matrix_checker(program)
    tried = product(*(range(int(low), int(high) + 1) for low, high in ends))
    return {p for p in tried if checker.violation(np.array(p, dtype=float)) <= TOLERANCE}


PROGRAMS = [
    drawn(0),
    drawn(1),
    drawn(2),
    matrix([1, -2], [[1, 3], [2, -1]], ([-4, -3], [5, 2]), ([-3, 0.5], [4, 6.5]), offset=0.5),
    matrix([0.5, 1 / 3], [[0.1, 0.25]], (0.7, 0.95), (0, 5)),
    matrix([1, 1], [[1, 1], [0, 0]], ([2, -1], [2, 1]), ([2, 0], [2, 0])),
    matrix([1], [[1], [0]], ([0, 1], 3), (0, 3)),
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_text_has_the_points_and_values_of_the_program(program: Matrix) -> None:
    written = pseudo_boolean(program)
    found = {}
    for ones, objective in points("\n".join(written.lines())):
        point = written.point(ones)
        assert written.value(objective) == pytest.approx(matrix_checker(program).value(point))
        found[tuple(point)] = objective
    assert set(found) == whole_points(program)


def test_programs_that_bits_cannot_say_are_refused() -> None:
    for program in (relaxed(TINY), UNBOUNDED):
        with pytest.raises(RefusedError, match=r"continuous|no bounds"):
            pseudo_boolean(program)
