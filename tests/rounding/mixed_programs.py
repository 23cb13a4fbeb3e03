"""Small mixed programs with a point of the relaxation, and all roundings of a point."""

from itertools import product
from math import floor, prod
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from ringyard.rounding.program import MixedProgram, Widths

Floats = NDArray[np.float64]

DELTAS = st.sampled_from([0.5, 0.1, 0.01, 1e-4])
SIDES: Any = st.sampled_from(["packing", "covering"])
ENTRIES = st.sampled_from([0.0, 0.0, 0.5, 1.0, 1.0, 2.0, 3.7])
COUNTS = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0, 1.3, 2.75, 6.5])


def widths_of(cover: float, packing: float, m: int = 2, r: int = 401) -> Widths:
    return Widths(cover=cover, packing=packing, cover_rows=m, packing_rows=r)


@st.composite
def mixed_programs(draw: st.DrawFn, columns: int = 6) -> tuple[MixedProgram, Floats]:
    """Draw a program of at most three rows a side, and a point that satisfies them."""
    n = draw(st.integers(1, columns))
    sides = []
    point = np.array(draw(st.lists(COUNTS, min_size=n, max_size=n)))
    for slack in (st.sampled_from([1.0, 1.0, 0.8, 0.3]), st.sampled_from([1.0, 1.0, 1.5, 4.0])):
        rows = draw(st.lists(st.lists(ENTRIES, min_size=n, max_size=n), max_size=3))
        matrix = np.array(rows).reshape(len(rows), n)
        parts = np.array([draw(slack) for _ in rows])
        sides.append((matrix, parts * (matrix @ point)))
    (cover, demand), (packing, capacity) = sides
    cost = np.array(draw(st.lists(st.integers(0, 9), min_size=n, max_size=n)))
    program = MixedProgram(
        cost=cost, cover=cover, demand=demand, packing=packing, capacity=capacity
    )
    return program, point


def roundings(scaled: Floats) -> list[tuple[Floats, float]]:
    """Return every rounding of a point with its probability."""
    ways = []
    for value in scaled.tolist():
        down, part = floor(value), value - floor(value)
        ways.append([(down, 1 - part), (down + 1, part)] if part > 1e-9 else [(down, 1.0)])
    return [
        (np.array([x for x, _ in way], dtype=float), prod(p for _, p in way))
        for way in product(*ways)
    ]


def placement(workers: float = 60.0) -> MixedProgram:
    """Return workers and parameter servers on eight machines of two resources, 3 to 1."""
    machines, need = 8, np.array([[1.0, 2.0], [4.0, 1.0]])
    cover = np.kron(np.eye(2), np.ones(machines))
    packing = np.vstack([np.kron(need, np.eye(machines)), cover[:1]])
    capacity = np.concatenate([np.arange(10.0, 18.0), np.arange(45.0, 61.0, 2.0), [80.0]])
    return MixedProgram(
        cost=np.linspace(1.0, 3.0, 2 * machines) ** 2,
        cover=cover,
        demand=np.array([workers, workers / 3]),
        packing=packing,
        capacity=capacity,
    )
