"""A conic program: linear expressions of its columns in cones, as in the Conic Benchmark Format.

The cones, over the values s of their rows:

- `zero` s = 0, and `positive` s >= 0, of any size;
- `quadratic` s_0 >= |(s_1, ..)|;
- `power` s_0^q s_1^(1-q) >= |s_2|, with s_0, s_1 >= 0 and a fraction q;
- `exponential` s_0 >= s_1 exp(s_2 / s_1), with s_1 > 0.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from .program import Floats

Sort = Literal["zero", "positive", "quadratic", "power", "exponential"]


class Cone(NamedTuple):
    """A cone over some rows, one after the other."""

    sort: Sort
    size: int
    exponent: Fraction | None = None
    """Of a power cone."""


class Affine(NamedTuple):
    """A sum of columns by name, with their factors, and a constant."""

    terms: Mapping[str, float]
    constant: float = 0.0


class Held(NamedTuple):
    """Expressions in a cone, under a name."""

    name: str
    sort: Sort
    parts: tuple[Affine, ...]
    exponent: Fraction | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConicProgram:
    """Minimise ``cost @ x + offset`` with ``a @ x + b`` in a product of cones. Columns are free."""

    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cost: Floats
    offset: float
    a: Any
    """A scipy.sparse csr_array, rows by columns."""
    b: Floats
    cones: tuple[Cone, ...]

    def blocks(self) -> Iterator[tuple[Cone, slice]]:
        """Yield the cones with the places of their rows."""
        first = 0
        for cone in self.cones:
            yield cone, slice(first, first + cone.size)
            first += cone.size


def conic_program(
    cost: Mapping[str, float], held: Iterable[Held], offset: float = 0.0
) -> ConicProgram:
    """Return the program of costs, which name every column, and of expressions in cones."""
    place, known = {name: j for j, name in enumerate(cost)}, list(held)
    parts = [part for one in known for part in one.parts]
    entries = [
        (i, place[name], value)
        for i, part in enumerate(parts)
        for name, value in part.terms.items()
        if value
    ]
    at_row, at_column, values = zip(*entries, strict=True)
    return ConicProgram(
        columns=tuple(cost),
        rows=tuple(f"{one.name}[{k}]" for one in known for k in range(len(one.parts))),
        cost=np.array(list(cost.values())),
        offset=offset,
        a=csr_array((values, (at_row, at_column)), shape=(len(parts), len(place))),
        b=np.array([part.constant for part in parts]),
        cones=tuple(Cone(one.sort, len(one.parts), one.exponent) for one in known),
    )


def times_at_least_one(name: str, one: str, other: str) -> Held:
    """Return the quadratic cone of two positive columns with a product of at least 1."""
    both, apart = Affine({one: 1.0, other: 1.0}), Affine({one: 1.0, other: -1.0})
    return Held(name, "quadratic", (both, apart, Affine({}, 2.0)))
