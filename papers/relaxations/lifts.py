"""Programs lifted to products of their columns, with and without a semidefinite matrix."""

import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...analysis.tables import Table, columns_of
from ...formulations.adapters.semidefinite import semidefinite_value
from ...formulations.catalogue import find_formulation
from ...formulations.matrix import stated_matrix
from ...instances import RefusedError
from ..study import named
from .roots import LIFTED, best_known
from .strengths import Root

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
