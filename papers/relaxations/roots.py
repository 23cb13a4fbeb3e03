"""Values of the relaxations of ring programs, and what it takes to solve them."""

import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from ...formulations.catalogue import find_formulation
from ...formulations.door.solve import solve
from ...formulations.lifted import lifted
from ...formulations.matrix import matrix_of, relaxed, stated_matrix, stated_model
from ...formulations.mccormick import mccormick
from ...formulations.named import build_named
from ...formulations.program import Caps, Matrix
from ...instances import Left, MakespanInstance, RefusedError
from ...instances.catalogue import entries
from ...run import ContradictionError
from ..study import named

MOST_NONZEROS = 1_000_000
"""Larger relaxations are left out."""

ENGINES = {"simplex": "simplex", "interior point": "ipm", "first order": "pdlp"}
"""Algorithms of HiGHS, by its own names."""

ALIKE = 1e-4
"""Values of engines that differ by more contradict each other, relative to the larger."""

Stated = Callable[[MakespanInstance, int], Matrix]


class Root(NamedTuple):
    """A relaxation of an instance: its size, its value, and seconds by engine; None at a limit."""

    instance: str
    best: float
    name: str
    program: Matrix
    value: float | None
    seconds: Mapping[str, float | None]

    @property
    def strength(self) -> float | None:
        """The value over the best that is known."""
        return None if self.value is None else self.value / self.best


def _plain(name: str, instance: MakespanInstance, horizon: int) -> Matrix:
    return relaxed(stated_matrix(instance, find_formulation(name), horizon))


def _envelopes(instance: MakespanInstance, horizon: int) -> Matrix:
    return mccormick(stated_model(instance, find_formulation("nonconvex"), horizon))


def _hull(instance: MakespanInstance, horizon: int) -> Matrix:
    return relaxed(matrix_of(build_named("disjunctive-hull", instance, horizon)))


def _lifted(name: str, instance: MakespanInstance, horizon: int) -> Matrix:
    return lifted(stated_matrix(instance, find_formulation(name), horizon))


LIFTED = ("load-limit", "occupancy", "patterns")
"""Programs whose columns all have bounds."""

RELAXATIONS: dict[str, Stated] = {
    "load-limit": partial(_plain, "load-limit"),
    "nonconvex by McCormick": _envelopes,
    "disjunctive by big-M": partial(_plain, "disjunctive"),
    "disjunctive by hull": _hull,
    "linearised": partial(_plain, "linearised"),
    "occupancy": partial(_plain, "occupancy"),
    "patterns": partial(_plain, "patterns"),
    "server-configurations": partial(_plain, "server-configurations"),
    "columns": partial(_plain, "columns"),
    **{f"{name} lifted": partial(_lifted, name) for name in LIFTED},
}


def best_known(name: str) -> int:
    """Return the best value on record of an instance in slots."""
    return int(entries()[name].upper[0].value)


def roots(name: str, time_limit: float) -> Iterator[Root]:
    """Yield the relaxations of a named instance that can be stated and are not too large."""
    instance, best = named(name), best_known(name)
    for relaxation, state in RELAXATIONS.items():
        try:
            program = state(instance, best)
        except RefusedError:
            continue
        if program.a.nnz <= MOST_NONZEROS:
            yield _solved(Root(name, best, relaxation, program, None, {}), time_limit)


def _solved(root: Root, time_limit: float) -> Root:
    """Solve a relaxation by each engine; values that differ are an error of one of them."""
    values, seconds = list[float](), dict[str, float | None]()
    for engine, word in ENGINES.items():
        caps, began = Caps(time_s=time_limit, settings=(("solver", word),)), time.process_time()
        found = solve(root.program, caps=caps)
        value = found.value if found.left is Left.OPTIMAL else None
        seconds[engine] = None if value is None else time.process_time() - began
        values += [] if value is None else [value]
    if values and max(values) - min(values) > ALIKE * max(1.0, max(values)):
        told = ", ".join(f"{value:.6g}" for value in values)
        raise ContradictionError(f"{root.instance}: {root.name} has the values {told}")
    return root._replace(value=values[0] if values else None, seconds=seconds)
