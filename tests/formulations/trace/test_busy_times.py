"""The fluid relaxation: its arrays are those of the model, and its numbers are safe."""

from decimal import Decimal
from fractions import Fraction

import busy_times_model
import numpy as np
import pytest
from trace_optimum import cluster, job, tiny

from ringyard.formulations.matrix import matrix_of, set_point
from ringyard.formulations.program import Matrix
from ringyard.formulations.solver_interface.solve import solve
from ringyard.formulations.trace import busy_times
from ringyard.formulations.trace.demand import demands
from ringyard.instances import InputError

ARRAYS = ("cost", "lower", "upper", "integer", "row_lower", "row_upper")


def same(one: Matrix, other: Matrix) -> bool:
    arrays = all((getattr(one, name) == getattr(other, name)).all() for name in ARRAYS)
    names = (one.columns, one.rows) == (other.columns, other.rows)
    return arrays and names and (one.a != other.a).nnz == 0


def test_a_job_that_no_server_may_run_is_named() -> None:
    alone = cluster([job("a", 1, 8, allowed_regions=("moon",))], 1)
    with pytest.raises(InputError, match=r"jobs\.a\.allowed_regions"):
        demands(alone)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("intervals", [2, 1000])
def test_the_arrays_are_those_of_the_model(seed: int, intervals: int) -> None:
    instance = tiny(seed)
    starts = busy_times.interval_starts(instance, intervals)
    model = busy_times_model.build(instance, starts)
    assert same(busy_times.twin(instance, starts), matrix_of(model))


def test_a_release_inside_an_interval_cuts_it() -> None:
    instance = cluster([job("a", 1, 8), job("b", 1, 8, arrival=6)], 1)
    matrix = busy_times.twin(instance, (0, 4, 8, 16))
    means = -matrix.a[[2, 3]].sum(axis=0)
    columns = dict(zip(matrix.columns, zip(means, matrix.upper, strict=True), strict=True))
    half, quarter = np.nextafter(0.5, 1), np.nextafter(0.25, 1)
    assert columns == {
        "end[0]": (-1, 16 + 8 + 1),
        "end[1]": (-1, 16 + 8 + 1),
        "part[0,0]": (0.5, half),
        "part[0,1]": (4.5, half),
        "part[0,2]": (8.5, 1),
        "part[0,3]": (16.5, 1),
        "part[1,1]": (6.5, quarter),
        "part[1,2]": (8.5, 1),
        "part[1,3]": (16.5, 1),
    }


def test_what_is_rounded_is_rounded_up() -> None:
    instance = cluster([job("a", 1, 3, communication=Decimal(1)), job("b", 2, 7)], 1, 1)
    starts = busy_times.interval_starts(instance, 1000)
    matrix = busy_times.twin(instance, starts)
    (a, b), upper = demands(instance), dict(zip(matrix.columns, matrix.upper, strict=True))
    for k in range(len(starts) - 1):
        assert Fraction(upper[f"part[0,{k}]"]) >= Fraction(a.rate, a.work)
        assert Fraction(upper[f"part[1,{k}]"]) >= Fraction(b.rate, b.work)
    halves = dict(zip(matrix.rows, matrix.row_lower, strict=True))
    assert Fraction(halves["half_after_mean[1]"]) <= Fraction(b.work, 2 * b.rate)


def test_the_endless_interval_begins_when_all_could_have_ended() -> None:
    instance = cluster([job("a", 1, 9, arrival=2), job("b", 2, 20), job("c", 1, 4)], 2)
    assert busy_times.interval_starts(instance, 1000) == tuple(range(28))
    assert busy_times.interval_starts(instance, 4) == (0, 7, 14, 21, 28)


def test_parts_go_in_and_come_out() -> None:
    instance = cluster([job("a", 2, 2), job("b", 1, 2)], 2)
    model = busy_times_model.build(instance, (0, 1, 2, 3, 4))
    parts = {(0, 2): 0.5, (0, 3): 0.5, (1, 0): 0.5, (1, 1): 0.5}
    busy_times_model.write(model, parts)
    assert busy_times_model.read(model) == parts
    assert [end.value for end in model.end.values()] == pytest.approx([4, 2])


def test_a_solver_puts_the_smaller_job_first() -> None:
    instance = cluster([job("a", 2, 2), job("b", 2, 1)], 2)
    starts = busy_times.interval_starts(instance, 1000)
    model, matrix = busy_times_model.build(instance, starts), busy_times.twin(instance, starts)
    solution = solve(matrix)
    assert solution.point is not None
    set_point(model, matrix, solution.point)
    found = {place: round(part, 6) for place, part in busy_times_model.read(model).items()}
    assert found == {(1, 0): 1, (0, 1): 0.5, (0, 2): 0.5}
