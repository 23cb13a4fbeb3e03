"""Values of the relaxations of ring programs, and what it takes to solve them."""

from collections.abc import Callable, Iterator
from functools import partial

from ...formulations.catalogue import find_formulation
from ...formulations.lifted import lifted
from ...formulations.matrix import matrix_of, relaxed, stated_matrix, stated_model
from ...formulations.mccormick import mccormick
from ...formulations.named import build_named
from ...formulations.program import Matrix
from ...instances import MakespanInstance, RefusedError
from ...instances.catalogue import entries
from ..study import named
from .strengths import Root, solved

MOST_NONZEROS = 1_000_000
"""Larger relaxations are left out."""

Stated = Callable[[MakespanInstance, int], Matrix]


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
            yield solved(Root(name, best, relaxation, program, None, {}), time_limit)
