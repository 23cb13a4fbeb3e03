"""What the program over whole schedules says of tiny instances, beside other relaxations."""

from collections.abc import Iterator
from math import fsum

from ...analysis.tables import Cell, Table, columns_of
from ...formulations.catalogue import find_formulation
from ...formulations.makespan.master import whole_schedules
from ...formulations.matrix import relaxed, stated_matrix
from ...formulations.solver_interface.solve import solve
from ..relaxations.roots import best_known
from ..study import named

TINY = (
    "hand-overtake",
    "hand-exclusion",
    "hand-packed-rings",
    "hand-contend",
    "hand-contend-degraded",
    "hand-spread",
    "hand-theorem5",
    "hand-area",
    "small-03x2",
    "small-04x2",
    "small-04x3",
)
"""Instances whose schedules can be listed, up to a slot after the optimum."""

BESIDE = ("load-limit", "columns", "patterns")


def wholes_table(names: tuple[str, ...]) -> Table:
    """Return a line for each instance and horizon."""
    heads: dict[str, int | None] = {"instance": None, "optimum": 0, "horizon": 0, "schedules": 0}
    heads |= {"a row for each": 3, "master": 3, **dict.fromkeys(BESIDE, 3)}
    return Table(
        caption="Linear relaxations of the program over whole schedules, and others",
        columns=columns_of(heads),
        rows=tuple(line for name in names for line in _lines(name)),
        shared=1,
        notes=(
            "Values of relaxations, which speak of schedules that end by the horizon. Master: a "
            "row for each job. A row for each: for each job and schedule. One row for all has "
            "the optimum.",
        ),
    )


def _lines(name: str) -> Iterator[tuple[Cell, ...]]:
    best = best_known(name)
    for horizon in (best, best + 1):
        ends = [max(one.ends) for one in whole_schedules(named(name), horizon)]
        values = (_value(name, program, horizon) for program in ("master", *BESIDE))
        apart = 1 / fsum(1 / end for end in ends)
        yield name, best, horizon, len(ends), apart, *values


def _value(name: str, program: str, horizon: int) -> float | None:
    matrix = stated_matrix(named(name), find_formulation(program), horizon)
    return solve(relaxed(matrix)).value
