"""Mixed packing and covering programs, and the fractional points that are rounded."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..instances import InputError
from ..instances.directed_rounding import below
from ..instances.errors import Problem, Words

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

TOLERANCE = 1e-9
"""A row holds if it misses its side by no more than this part of the side."""
SOLVER = 1e-6
"""The same for the rows of a linear program at a solver's point."""

MOST = 1e15
"""Up to here whole numbers and their sums are exact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Widths:
    """The four numbers of a program on which the gain factors depend.

    ``cover`` is W_a, the least a_i / A_ij, and ``packing`` is W_b, the least b_i / B_ij, over
    positive entries of rows with a positive side. Without such entries they are infinite.
    """

    cover: float
    packing: float
    cover_rows: int
    packing_rows: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MixedProgram:
    """Minimise ``cost @ x``: ``cover @ x >= demand``, ``packing @ x <= capacity``, x whole, >= 0.

    No number is negative. A side without rows is an array of shape (0, columns).
    """

    cost: Floats
    cover: Floats
    demand: Floats
    packing: Floats
    capacity: Floats

    def __post_init__(self) -> None:
        """Refuse arrays that do not fit together, and numbers that are negative or not finite."""
        for name in self.__slots__:
            object.__setattr__(self, name, _floats(name, getattr(self, name)))
        shapes = {
            "cost": (self.cost.size,),
            "cover": (self.demand.size, self.cost.size),
            "demand": (self.demand.size,),
            "packing": (self.capacity.size, self.cost.size),
            "capacity": (self.capacity.size,),
        }
        problems = [
            p for name in shapes for p in _problems(name, getattr(self, name), shapes[name])
        ]
        _refuse("mixed program", problems)

    @property
    def widths(self) -> Widths:
        """Return W_a, W_b, m and r.

        Rows with a zero side do not enter W: such a cover row always holds, and such a packing row
        keeps its columns at zero in the fractional point.
        """
        return Widths(
            cover=_width(self.cover, self.demand),
            packing=_width(self.packing, self.capacity),
            cover_rows=self.demand.size,
            packing_rows=self.capacity.size,
        )

    def missing(self, x: Floats | Ints) -> Floats:
        """Return by how much each cover row falls short, 0 if it holds."""
        return _beyond(self.demand - self.cover @ x, self.demand)

    def excess(self, x: Floats | Ints) -> Floats:
        """Return by how much each packing row is over its capacity, 0 if it holds."""
        return _beyond(self.packing @ x - self.capacity, self.capacity)

    def holds(self, x: Floats | Ints) -> bool:
        """Return True if all rows hold."""
        return not (self.missing(x).any() or self.excess(x).any())


def check_numbers(point: Floats) -> None:
    """Refuse a point with numbers that are not finite or below zero by more than noise."""
    _refuse("fractional point", list(_problems("point", point, (point.size,), -SOLVER)))


def check_point(program: MixedProgram, point: Floats) -> None:
    """Refuse a point that the linear program does not allow.

    Raises:
        InputError: Its shape, a negative number, or a row that does not hold.
    """
    _refuse("fractional point", list(_problems("point", point, program.cost.shape, -SOLVER)))
    problems = []
    for name, gap, side in (
        ("cover", program.demand - program.cover @ point, program.demand),
        ("packing", program.packing @ point - program.capacity, program.capacity),
    ):
        for row in np.flatnonzero(gap > SOLVER * np.maximum(side, 1)):
            found = Words(f"a row that is missed by {gap[row]:g}")
            advice = "round a point of the linear program"
            problems.append(Problem(f"{name}[{row}]", found, "a row that holds", advice))
    _refuse("fractional point", problems)


def _refuse(source: str, problems: list[Problem]) -> None:
    if problems:
        raise InputError(source, problems[:20], max(0, len(problems) - 20))


def _floats(name: str, given: Any) -> Floats:
    try:
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        advice = "give every row the same number of entries"
        problem = Problem(name, Words(str(error)), "an array of numbers", advice)
        raise InputError("mixed program", [problem]) from None


def _width(rows: Floats, sides: Floats) -> float:
    largest = rows.max(axis=1, initial=0)
    counts = np.flatnonzero((largest > 0) & (sides > 0))
    near = sides[counts] / largest[counts]
    # Only values that are least after rounding can be least.
    least = counts[near == near.min(initial=np.inf)].tolist()
    pairs = ((Fraction(float(sides[i])), Fraction(float(largest[i]))) for i in least)
    return min((below(side / entry) for side, entry in pairs), default=np.inf)


def _beyond(gap: Floats, side: Floats) -> Floats:
    return np.where(gap > TOLERANCE * side, gap, 0.0)


def _problems(
    name: str, array: Floats, shape: tuple[int, ...], least: float = 0.0
) -> Iterator[Problem]:
    if array.shape != shape:
        found, wanted = Words(f"shape {array.shape}"), f"shape {shape}"
        yield Problem(name, found, wanted, "give one row per side and one column per cost")
        return
    for place in np.argwhere(~((array < MOST) & (array >= least))):
        path = name + "".join(f"[{i}]" for i in place)
        found = Words(f"{array[tuple(place)]:g}")
        yield Problem(path, found, "a number from 0 to 1e15", "correct this number")
