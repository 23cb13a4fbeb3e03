"""The exact programs give the optimum of tiny instances; OASiS's is never above it."""

from decimal import Decimal
from fractions import Fraction

import pytest
from brute import optimum
from little import few
from tiny import tiny

from ringyard.analysis.check import check
from ringyard.formulations.catalogue import find_formulation
from ringyard.formulations.matrix import set_point
from ringyard.formulations.solver_interface.solve import program_of, solve
from ringyard.instances import OnlineInstance, SolutionStatus
from ringyard.instances.catalogue import entries, load
from ringyard.instances.regions import with_regions

HAND = ("across", "inside", "packing", "roles", "servers", "trap", "turn", "wait")


def solved(name: str, instance: OnlineInstance) -> tuple[float, Fraction]:
    """Return the value of a program's optimum, and what the judge says of its schedule."""
    program = find_formulation(name)
    model = program.build(instance)
    matrix = program_of(model)
    if not matrix.columns:  # no job has a schedule
        return 0.0, Fraction(0)
    solution = solve(matrix)
    assert solution.status is SolutionStatus.OPTIMAL
    assert solution.value is not None
    set_point(model, matrix, solution.point)
    verdict = check(instance, program.read(model))
    assert verdict.valid
    return -solution.value, verdict.objective


def agree(instance: OnlineInstance) -> None:
    best, _ = optimum(instance)
    for name in ("offline", "schedules"):
        value, judged = solved(name, instance)
        assert value == pytest.approx(float(best), abs=1e-7)
        assert judged == best
    value, judged = solved("oasis", instance)
    assert value <= float(judged) + 1e-7
    assert judged <= best


@pytest.mark.parametrize("seed", few(8, range(20)))
def test_programs_give_the_optimum(seed: int) -> None:
    agree(tiny(seed))


@pytest.mark.parametrize("seed", range(12))
def test_programs_give_the_optimum_where_jobs_are_bound_to_regions(seed: int) -> None:
    agree(with_regions(tiny(seed), 2, Decimal("0.8"), seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20, 120))
def test_programs_give_the_optimum_of_many(seed: int) -> None:
    agree(tiny(seed))


def test_the_tiny_instances_have_all_that_matters() -> None:
    instances = [tiny(seed) for seed in range(40)]
    values = [optimum(instance)[0] for instance in instances]
    assert sum(value > 0 for value in values) > 20
    assert {m.hosts for one in instances for m in one.machines} == {"both", "workers", "servers"}
    assert any(
        solved("oasis", one)[1] < value for one, value in zip(instances, values, strict=True)
    )


@pytest.mark.parametrize("name", HAND)
def test_the_offline_program_gives_optima_argued_by_hand(name: str) -> None:
    instance = load(f"hand-online-{name}")
    assert solved("offline", instance)[1] == entries()[instance.name].upper[0].value


def test_a_list_of_schedules_that_is_too_long_is_refused() -> None:
    reason = find_formulation("schedules").refuses(load("pdors-small-06x3x6"))
    assert reason is not None
    assert "more than 20,000 schedules" in reason
