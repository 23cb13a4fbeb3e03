"""Values of the relaxations of ring programs, and what it takes to solve them.

Some are lifted to products of their columns, with and without a semidefinite matrix.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ...analysis.tables import Table, columns_of
from ...formulations.adapters.conic_programs import semidefinite_value
from ...formulations.catalogue import find_formulation
from ...formulations.matrix import matrix_of, relaxed, stated_matrix, stated_model
from ...formulations.mccormick import mccormick
from ...formulations.named import build_named
from ...formulations.program import Matrix
from ...formulations.relaxations import lifted
from ...instances import MakespanInstance, RefusedError
from ...instances.catalogue import entries
from ..study import named
from .strengths import Root, solved

MOST_NONZEROS = 1_000_000
"""Larger relaxations are left out."""

Stated = Callable[[MakespanInstance, int], Matrix]


def _stated(name: str, change: Callable[[Matrix], Matrix] = relaxed) -> Stated:
    return lambda instance, slots: change(stated_matrix(instance, find_formulation(name), slots))


def _envelopes(instance: MakespanInstance, horizon: int) -> Matrix:
    return mccormick(stated_model(instance, find_formulation("nonconvex"), horizon))


def _hull(instance: MakespanInstance, horizon: int) -> Matrix:
    return relaxed(matrix_of(build_named("disjunctive-hull", instance, horizon)))


LIFTED = ("load-limit", "occupancy", "patterns")
"""Programs whose columns all have bounds."""

RELAXATIONS: dict[str, Stated] = {
    "load-limit": _stated("load-limit"),
    "nonconvex by McCormick": _envelopes,
    "disjunctive by big-M": _stated("disjunctive"),
    "disjunctive by hull": _hull,
    "linearised": _stated("linearised"),
    "occupancy": _stated("occupancy"),
    "patterns": _stated("patterns"),
    "server-configurations": _stated("server-configurations"),
    "columns": _stated("columns"),
    **{f"{name} lifted": _stated(name, lifted) for name in LIFTED},
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


LEAST_GAIN = 1e-4
"""Values of a first-order solver that are nearer than this are the same."""


class Lift(NamedTuple):
    """The values of a program as it is, lifted, and with a semidefinite matrix."""

    instance: str
    program: str
    plain: float | None
    lifted: float | None
    conic: float | None
    seconds: float
    """Of the semidefinite program."""


def lifts(name: str, found: Iterable[Root]) -> Iterator[Lift]:
    """Yield the lifts of a named instance whose other relaxations are known."""
    own = {root.name: root.value for root in found if root.instance == name}
    for program in LIFTED:
        began = time.process_time()
        matrix = stated_matrix(named(name), find_formulation(program), best_known(name))
        try:
            conic: float | None = semidefinite_value(matrix)
        except RefusedError:
            conic = None
        spent = time.process_time() - began
        yield Lift(name, program, own.get(program), own.get(f"{program} lifted"), conic, spent)


def lift_table(found: Iterable[Lift]) -> Table:
    """Return a line for each program of each instance."""
    heads = {"instance": None, "best": 0, "program": None, "linear": 3, "lifted": 3}
    return Table(
        caption="Programs as they are, lifted, and with a semidefinite matrix of products",
        columns=columns_of({**heads, "semidefinite": 3, "s of SCS": 0}),
        rows=tuple((one.instance, best_known(one.instance), *one[1:]) for one in found),
        shared=2,
    )


def said(found: Iterable[Lift]) -> str:
    """Say where a semidefinite matrix adds to the lifted program."""
    pairs = [(one.lifted, one.conic) for one in found]
    known = [(a, b) for a, b in pairs if a is not None and b is not None]
    gains = sum(b > a * (1 + LEAST_GAIN) for a, b in known)
    return f"a semidefinite matrix adds to the lifted program in {gains} of {len(known)} cases"
