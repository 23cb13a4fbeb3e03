"""How strong the linear relaxations are: golden values on the small family, and who dominates whom.

Each program gets the best known makespan as its horizon. Its relaxation is solved by HiGHS, so
the values hold to its tolerance; the bound by configurations is exact, and whole.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import pytest

from ringyard.formulations.catalogue import find_formulation
from ringyard.formulations.makespan.configurations import configuration_bound
from ringyard.formulations.matrix import relaxed, stated_matrix
from ringyard.formulations.solver_interface.solve import solve
from ringyard.instances import Limits, SolutionStatus
from ringyard.instances.catalogue import entries, load

PROGRAMS = ("occupancy", "linearised", "patterns")
"""Each dominates the one before it."""

CLOSE = 1e-6
SMALL = [
    entry
    for entry in entries().values()
    if entry.family == "small" and entry.jobs <= 12 and load(entry.name).progress != "continuous"
]
"""`ringyard reproduce relaxations` solves the programs of the two larger ones, for minutes."""

GROUPS = {
    "few_jobs": [entry.name for entry in SMALL if entry.jobs <= 8],
    "many_jobs": [entry.name for entry in SMALL if entry.jobs > 8],
}

every_group = pytest.mark.parametrize(
    "group", [pytest.param(name, marks=pytest.mark.slow) for name in GROUPS]
)


def best(name: str) -> Fraction:
    return entries()[name].upper[0].value


def strengths(name: str) -> dict[str, float]:
    """Return the value of every relaxation that the instance has."""
    instance, found = load(name), {}
    for program in PROGRAMS:
        formulation = find_formulation(program)
        if formulation.refuses(instance) is None:
            matrix = stated_matrix(instance, formulation, int(best(name)))
            solution = solve(relaxed(matrix))
            assert solution.status is SolutionStatus.OPTIMAL
            assert solution.value is not None
            found[program] = solution.value
    bound = configuration_bound(instance, Limits())
    return found if bound is None else found | {"configurations": float(bound.value)}


@every_group
def test_relaxations_have_their_values(group: str, golden: Callable[[str, str], None]) -> None:
    lines = []
    for name in GROUPS[group]:
        values = strengths(name)
        assert all(value <= best(name) + CLOSE for value in values.values())
        for weak, strong in pairwise(PROGRAMS):
            if strong in values:
                assert values[strong] >= values[weak] - CLOSE
        # A hair more, so that a five behind the last digit is always rounded up.
        shown = [f"{program} {value + 1e-7:.4f}" for program, value in values.items()]
        lines.append("  ".join([f"{name:24} best {best(name)}", *shown]))
    golden(group, "\n".join(lines) + "\n")
