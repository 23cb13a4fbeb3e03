"""Files of programs mean to this package what they mean to HiGHS and SCIP, section by section."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import highspy
import numpy as np
import pyscipopt
import pytest
from solvers.program_texts import (
    ALIKE,
    CONDITIONS,
    LATER,
    LP_ALIKE,
    bounded,
    drawn_lp,
    drawn_text,
)

from ringyard.formulations.files.read import read_program
from ringyard.formulations.program import Caps, Matrix
from ringyard.formulations.solver_interface.solve import find_solver, solve
from ringyard.instances import InputError, SolutionStatus

SEEDS = range(12)
FREE = {f"free {seed}": drawn_text(seed, fixed=False) for seed in SEEDS}
LP = {**LP_ALIKE, **{f"lp {seed}": drawn_lp(seed) for seed in SEEDS}}
SEMI = "min\n x - 2 y\nst\n c: x + y >= 1\nbounds\n 2 <= x <= 5\n 3 <= y <= 4.5\n"
SEMI += "general\n y\nsemi\n x y\nend\n"

MPS = {**ALIKE, **FREE}


def written(folder: Path, text: str, suffix: str = ".mps") -> Path:
    file = folder / f"a{suffix}"
    file.write_text(text, newline="")
    return file


def highs_of(file: Path) -> highspy.Highs:
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    assert model.readModel(str(file)) != highspy.HighsStatus.kError
    return model


@contextmanager
def quiet() -> Iterator[None]:
    """Hide what SCIP prints below Python."""
    kept, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nothing, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)


def scip_of(file: Path) -> pyscipopt.Model:
    model = pyscipopt.Model()
    model.hideOutput()
    with quiet():
        model.readProblem(str(file))
    return model


def read(file: Path) -> Matrix:
    program = read_program(file)
    assert isinstance(program, Matrix)
    return program


def end_of(program: Matrix, sign: float) -> tuple[str, float | None]:
    """Return status and value of a program, in the sense of its file."""
    found = solve(program, find_solver("highs"), Caps(time_s=60.0))
    if found.status is SolutionStatus.OPTIMAL:
        assert found.value is not None
        return "optimal", sign * found.value
    return "none", None


def same_end(one: tuple[str, float | None], other: tuple[str, float | None]) -> bool:
    return one[0] == other[0] and (one[1] is None or one[1] == pytest.approx(other[1], abs=1e-6))


def compare_with_highs(file: Path) -> None:
    program, model = read(file), highs_of(file)
    lp = model.getLp()
    sign = -1.0 if lp.sense_ == highspy.ObjSense.kMaximize else 1.0
    assert list(program.columns) == list(lp.col_names_)
    assert list(program.rows) == list(lp.row_names_)
    assert (sign * program.cost).tolist() == list(lp.col_cost_)
    assert sign * program.offset == lp.offset_
    for ours, theirs in (
        (program.lower, lp.col_lower_),
        (program.upper, lp.col_upper_),
        (program.row_lower, lp.row_lower_),
        (program.row_upper, lp.row_upper_),
    ):
        assert ours.tolist() == list(theirs)
    whole = [kind == highspy.HighsVarType.kInteger for kind in lp.integrality_]
    assert program.integer.tolist() == (whole or [False] * len(program.columns))
    a = np.zeros(program.a.shape)
    starts = list(lp.a_matrix_.start_)
    for j in range(len(program.columns)):
        for k in range(starts[j], starts[j + 1]):
            a[lp.a_matrix_.index_[k], j] = lp.a_matrix_.value_[k]
    assert program.a.toarray().tolist() == a.tolist()
    model.run()
    optimal = model.getModelStatus() == highspy.HighsModelStatus.kOptimal
    value = model.getInfo().objective_function_value
    assert same_end(end_of(program, sign), ("optimal", value) if optimal else ("none", None))


def compare_with_scip(file: Path) -> None:
    program, model = read(file), scip_of(file)
    sign = -1.0 if model.getObjectiveSense() == "maximize" else 1.0
    theirs = {one.name: one for one in model.getVars()}
    ours = [name.replace(" ", "_") for name in program.columns]
    assert {*ours} == {*theirs}
    for j, name in enumerate(ours):
        one = theirs[name]
        assert sign * program.cost[j] == one.getObj()
        assert [program.lower[j], program.upper[j]] == [
            endless(one.getLbOriginal()),
            endless(one.getUbOriginal()),
        ]
        assert program.integer[j] == (one.vtype() != "CONTINUOUS")
    rows = {one.name: one for one in model.getConss()}
    for i, row in enumerate(name.replace(" ", "_") for name in program.rows):
        if row not in rows:  # SCIP leaves out rows without a side.
            assert np.isinf([program.row_lower[i], program.row_upper[i]]).all()
            continue
        sides = [endless(model.getLhs(rows[row])), endless(model.getRhs(rows[row]))]
        assert [program.row_lower[i], program.row_upper[i]] == sides
        values = model.getValsLinear(rows[row])
        dense = program.a[[i]].toarray().ravel().tolist()
        assert {n: v for n, v in zip(ours, dense, strict=True) if v} == {
            name: value for name, value in values.items() if value
        }
    assert same_end(end_of(program, sign), scip_end(model))


def scip_end(model: pyscipopt.Model) -> tuple[str, float | None]:
    model.optimize()
    if model.getStatus() == "optimal":
        return "optimal", model.getObjVal()
    return "none", None


def endless(bound: float) -> float:
    return float(np.copysign(np.inf, bound)) if abs(bound) >= 1e20 else bound


@pytest.mark.parametrize("name", MPS)
def test_mps_means_what_it_means_to_highs(name: str, tmp_path: Path) -> None:
    compare_with_highs(written(tmp_path, MPS[name]))


@pytest.mark.parametrize("name", [*MPS, *LATER])
def test_mps_means_what_it_means_to_scip(name: str, tmp_path: Path) -> None:
    compare_with_scip(written(tmp_path, {**MPS, **LATER}[name]))


@pytest.mark.parametrize("name", LP)
def test_lp_means_what_it_means_to_both(name: str, tmp_path: Path) -> None:
    compare_with_highs(written(tmp_path, LP[name], ".lp"))
    compare_with_scip(written(tmp_path, LP[name], ".lp"))


@pytest.mark.parametrize("name", CONDITIONS)
def test_conditions_have_the_optimum_that_scip_finds(name: str, tmp_path: Path) -> None:
    """SCIP knows conditions by constraints of its own, here they are rows."""
    file = written(tmp_path, CONDITIONS[name])
    sense = -1.0 if "MAX" in CONDITIONS[name] else 1.0
    found = end_of(read(file), sense)
    assert found[0] == "optimal"
    assert same_end(found, scip_end(scip_of(file)))


@pytest.mark.parametrize(
    "condition", ["y = 1 -> x + 2 z <= 3", "y = 0 -> - x - z >= -2.5", "y = 1 -> x - z = 1"]
)
def test_conditions_of_lp_have_the_optimum_that_scip_finds(condition: str, tmp_path: Path) -> None:
    text = f"max\n x + z - 0.5 y\nst\n c: x + z - y <= 7\n d: {condition}\n"
    file = written(tmp_path, f"{text}bounds\n x <= 5\n z <= 4\nbin\n y\nend\n", ".lp")
    found = end_of(read(file), -1.0)
    assert found[0] == "optimal"
    assert same_end(found, scip_end(scip_of(file)))


def test_semicontinuous_columns_of_lp_have_the_optimum_that_scip_finds(tmp_path: Path) -> None:
    file = written(tmp_path, SEMI, ".lp")
    program = read(file)
    # x is 0, or from 2 to 5, and y, 0 or a whole number from 3 to 4.5, is 4.
    assert program.columns == ("x", "y", "x~", "y~")
    assert end_of(program, 1.0) == ("optimal", pytest.approx(-8))
    assert same_end(end_of(program, 1.0), scip_end(scip_of(file)))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (bounded(" UP BND x -2\n"), "line 17: found 'x up to -2', expected a lower bound, too"),
        (bounded(" UP BND x 2\n UP BND x 3\n"), "line 18: found 'UP BND x 3', expected each bound"),
        (bounded(" UP B1 x 2\n UP B2 z 3\n"), "line 18: found 'B2', expected only the set B1"),
        (bounded(" FX BND x 1e30\n"), "line 17: found 'FX BND x 1e30', expected a number below"),
        (bounded(" SC BND y 3\n"), "line 17: found 'SC y', expected SI"),
        (
            bounded(" LO BND x -3\n SC BND x 3\n"),
            "line 18: found 'x from -3 to 3', expected bounds",
        ),
        (bounded(" LO BND x 2\n SC BND x 1e30\n"), "line 18: found 'x without an upper bound'"),
        (ALIKE["plain"].replace("r 4 g 1", "g 1e30"), "found 'g 1e+30', expected a number below"),
        (
            ALIKE["plain"].replace("r 4 g 1\n", "r 4\n R2 g 1\n"),
            "found 'R2', expected only the set",
        ),
        (ALIKE["plain"].replace("ROWS", "OBJSENSE\n MOX\nROWS", 1), "line 3: found 'MOX'"),
        (ALIKE["plain"].replace("ROWS", "OBJNAME r\nROWS", 1), "line 2: found 'r', expected a row"),
        (
            ALIKE["plain"].replace("ENDATA", "QUADOBJ\n x x 2\nENDATA"),
            "line 20: found 'QUADOBJ: x x 2', expected a linear objective",
        ),
        (
            ALIKE["plain"].replace("ENDATA", "SOS\n S1 SOS s 1\nENDATA"),
            "line 20: found 'SOS: S1 SOS s 1', expected no special ordered sets",
        ),
        (
            ALIKE["plain"].replace("ENDATA", "INDICATORS\n IF r x 1\nENDATA"),
            "line 20: found 'x', expected a column that is 0 or 1",
        ),
        (
            CONDITIONS["if 1"].replace(" UP BND x 6\n", ""),
            "line 20: found 'x without a bound', expected bounds on all columns of this row",
        ),
        (
            CONDITIONS["if 1"].replace("r 4", "r 0.1"),
            "line 21: found 'r with the number 13.1', expected sums that a double holds",
        ),
    ],
)
def test_what_readers_differ_on_or_no_program_states_is_refused_by_line(
    text: str, told: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as found:
        read(written(tmp_path, text))
    assert told in str(found.value)
