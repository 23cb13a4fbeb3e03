"""Programs in cones: what they state, how a point is priced, and what a CBF file says."""

from decimal import Decimal
from fractions import Fraction

import cvxpy
import numpy as np
import pytest

from ringyard.formulations.adapters.conic_programs import knows, solve_conic
from ringyard.formulations.conic import Affine, ConicProgram, Held, Sort, conic_program
from ringyard.formulations.corpus.exact import priced_in_cones
from ringyard.formulations.files.cbf import cbf_lines
from ringyard.formulations.online.smd import SmdJob
from ringyard.formulations.online.sum_of_ratios import job_of, quickest, ratio_cones
from ringyard.formulations.rental.cones import cones
from ringyard.formulations.rental.convex import solve_convex
from ringyard.formulations.rental.widths import classes_of
from ringyard.instances import RentalInstance
from ringyard.papers.study import named

RENTALS = [named("boa-two-types"), named("rental-small-s2")]
JOBS = [job_of(named("pdors-s0"), 4), job_of(named("pdors-small-10x4x8"), 2)]
PROGRAMS = [*map(cones, RENTALS), *map(ratio_cones, JOBS)]

Numbers = list[list[str]]


def value(program: ConicProgram, engine: str) -> float:
    point, sure, _ = solve_conic(program, engine)
    assert sure
    return float(program.cost @ point + program.offset)


@pytest.mark.parametrize("instance", RENTALS, ids=lambda one: one.name)
def test_cones_of_rentals_have_the_value_of_the_convex_program(instance: RentalInstance) -> None:
    budget = float(instance.budget_gpus)
    known = solve_convex(classes_of(instance), budget)
    assert known is not None
    assert value(cones(instance), "clarabel") == pytest.approx(known.mean_jct, rel=1e-7)


@pytest.mark.parametrize("job", JOBS, ids=lambda one: one.name)
def test_cones_of_ratios_have_the_least_time_of_a_fine_grid(job: SmdJob) -> None:
    """No point of the grid is quicker, one is hardly slower, and whole numbers are no quicker."""
    least = value(ratio_cones(job), "clarabel")
    most = [room / need for room, need in zip(job.reserved, job.worker, strict=True) if need]
    w, p = np.meshgrid(np.geomspace(1, min(most), 800), np.geomspace(1, 60, 800))
    tried = zip(job.worker, job.server, job.reserved, strict=True)
    fits = np.all([a * w + b * p <= room for a, b, room in tried], axis=0)
    best = float(np.where(fits, job.time_ms(w, p), np.inf).min())
    assert least <= best * (1 + 1e-7)
    assert least >= best * (1 - 0.02)
    assert least <= quickest(job).time_ms * (1 + 1e-7)


@pytest.mark.parametrize("program", PROGRAMS)
def test_solvers_agree(program: ConicProgram) -> None:
    engines = [name for name in ("clarabel", "ecos") if knows(name, program)]
    engines = engines if len(engines) == 2 else ["clarabel", "scs"]
    first, second = (value(program, name) for name in engines)
    assert first == pytest.approx(second, rel=1e-6)


def one_cone(sort: Sort, exponent: Fraction | None = None) -> ConicProgram:
    """Return three columns in a cone."""
    parts = tuple(Affine({name: 1.0}) for name in "xyz")
    return conic_program(dict.fromkeys("xyz", 1.0), [Held("k", sort, parts, exponent)])


@pytest.mark.parametrize(
    ("sort", "exponent", "point", "inside"),
    [
        ("quadratic", None, (5, 3, 4), True),
        ("quadratic", None, (Fraction(5) - Fraction(1, 10**40), 3, 4), False),
        ("quadratic", None, (-5, 3, 4), False),
        ("power", Fraction(1, 3), (8, 1, -2), True),
        ("power", Fraction(1, 3), (8, 1, 2 + Fraction(1, 10**40)), False),
        ("power", Fraction(1, 2), (0, 4, 1), False),
        ("power", Fraction(1, 2), (-1, -1, 0), False),
        ("exponential", None, (1, 1, 0), True),
        ("exponential", None, (Decimal("2.7182818284590452354"), 1, 1), True),
        ("exponential", None, (Decimal("2.7182818284590452353"), 1, 1), False),
        ("exponential", None, (1, 0, 0), False),
        ("zero", None, (0, 0, 0), True),
        ("positive", None, (0, 1, -1), False),
    ],
)
def test_points_are_told_apart_at_the_border(
    sort: Sort, exponent: Fraction | None, point: tuple[Fraction, ...], inside: bool
) -> None:
    values = {j: Fraction(x) for j, x in enumerate(point)}
    found = priced_in_cones(one_cone(sort, exponent), values)
    assert found.holds() is inside
    assert found.value == sum(values.values())


def test_a_miss_is_a_part_of_the_largest_number() -> None:
    """Sides 3 and 4 need 5; of 4 there is 1 too little, and 4 is the largest."""
    found = priced_in_cones(one_cone("quadratic"), {0: Fraction(4), 1: Fraction(3), 2: Fraction(4)})
    assert float(found.rows.amount) == pytest.approx(1 / 4)
    assert found.rows.where == "k"


def sections(program: ConicProgram) -> dict[str, Numbers]:
    """Return the sections of a CBF file: a keyword, its lines, and an empty line."""
    found: dict[str, Numbers] = {}
    text = [line for line in cbf_lines(program) if not line.startswith("#")]
    for block in "\n".join(text).strip().split("\n\n"):
        head, *lines = block.splitlines()
        found[head] = [line.split() for line in lines]
    return found


def solved_anew(program: ConicProgram) -> float:
    """Return the optimum of the file, read by what CBLIB's description says, and not by us."""
    read = sections(program)
    assert read["VER"] == [["3"]]
    assert read["OBJSENSE"] == [["MIN"]]
    columns, rows = int(read["VAR"][0][0]), int(read["CON"][0][0])
    assert read["VAR"][1] == ["F", str(columns)]
    a, b, cost = np.zeros((rows, columns)), np.zeros(rows), np.zeros(columns)
    for i, j, entry in read["ACOORD"][1:]:
        a[int(i), int(j)] = float(entry)
    for i, entry in read["BCOORD"][1:]:
        b[int(i)] = float(entry)
    for j, entry in read["OBJACOORD"][1:]:
        cost[int(j)] = float(entry)
    powers = [float(line[0]) for line in read.get("POWCONES", [[]])[1:]]
    exponents = [powers[k + 1] / (powers[k + 1] + powers[k + 2]) for k in range(0, len(powers), 3)]
    x, first, held = cvxpy.Variable(columns), 0, []
    for sort, size in read["CON"][1:]:
        s = (a @ x + b)[first : first + int(size)]
        first += int(size)
        if sort == "L+":
            held.append(s >= 0)
        elif sort == "Q":
            held.append(cvxpy.norm(s[1:]) <= s[0])
        elif sort == "EXP":
            assert size == "3"
            held.append(cvxpy.ExpCone(s[2], s[1], s[0]))
        else:
            exponent = exponents[int(sort.removeprefix("@").removesuffix(":POW"))]
            held.append(cvxpy.PowCone3D(s[0], s[1], s[2], exponent))
    assert first == rows
    offset = float(read["OBJBCOORD"][0][0]) if "OBJBCOORD" in read else 0.0
    problem = cvxpy.Problem(cvxpy.Minimize(cost @ x + offset), held)
    problem.solve(solver="CLARABEL")
    return float(problem.value)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_file_says_the_program(program: ConicProgram) -> None:
    assert solved_anew(program) == pytest.approx(value(program, "clarabel"), rel=1e-5)
