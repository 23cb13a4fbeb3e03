"""Points are read from the files that HiGHS, GLPK and SCIP write, and statements from .solu."""

import re
from fractions import Fraction
from pathlib import Path

import highspy
import pyscipopt
import pytest
import swiglpk

from ringyard.formulations.files.sol import exact_sol
from ringyard.formulations.files.solu import Stated, parse_solu
from ringyard.instances import InputError

NAMES = ("x", "a_name_that_is_rather_long", "3", "whole", "unused")
TEXT = """\
Maximize
 obj: x + 1.5 a_name_that_is_rather_long + c3 + 2 whole + 0 unused
Subject To
 one: x + a_name_that_is_rather_long + c3 <= 4.375
 two: x - whole >= -0.5
 both: a_name_that_is_rather_long <= 2.25
Bounds
 x <= 1.5
 whole <= 100
General
INTEGERS
End
"""
OLD, RAW, PRETTY, GLPK_RAW, GLPK_PRETTY, SPARSE = range(-1, 5)


def lp(folder: Path, integers: str, bound: str = "2.25") -> Path:
    """Return a program whose one optimum is at (1.5, 2.25, 0.625, 1 or 2, 0)."""
    file = folder / "a.lp"
    text = TEXT.replace("INTEGERS", integers).replace("2.25\n", f"{bound}\n")
    file.write_text(text)
    return file


def solved(file: Path) -> highspy.Highs:
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    model.readModel(str(file))
    model.run()
    return model


COLUMNS = tuple(name if name != "3" else "c3" for name in NAMES)


def expected(whole: Fraction) -> dict[int, Fraction]:
    return {0: Fraction(3, 2), 1: Fraction(9, 4), 2: Fraction(5, 8), 3: whole}


@pytest.mark.parametrize("style", [OLD, RAW, PRETTY, GLPK_RAW, GLPK_PRETTY, SPARSE])
@pytest.mark.parametrize("integers", ["", " whole"])
def test_every_style_of_highs(style: int, integers: str, tmp_path: Path) -> None:
    model = solved(lp(tmp_path, integers))
    order = tuple(model.getLp().col_names_)
    model.writeSolution(str(tmp_path / "a.sol"), style)
    text = (tmp_path / "a.sol").read_text()
    found = exact_sol(text, order, "a.sol")
    # whole <= x + 0.5 = 2, an integer anyway.
    assert {order[j]: value for j, value in found.items()} == {
        COLUMNS[j]: value for j, value in expected(Fraction(2)).items()
    }
    windows = exact_sol(text.replace("\n", "\r\n"), order, "a.sol")
    assert windows == found


@pytest.mark.parametrize("style", [RAW, PRETTY, GLPK_RAW, GLPK_PRETTY, SPARSE])
def test_no_point_in_every_style_of_highs(style: int, tmp_path: Path) -> None:
    model = solved(lp(tmp_path, "", "-1"))
    model.writeSolution(str(tmp_path / "a.sol"), style)
    with pytest.raises(InputError, match="found no point"):
        exact_sol((tmp_path / "a.sol").read_text(), tuple(model.getLp().col_names_), "a.sol")


@pytest.mark.parametrize("raw", [True, False])
@pytest.mark.parametrize("integers", [False, True])
def test_both_styles_of_glpk(raw: bool, integers: bool, tmp_path: Path) -> None:
    swiglpk.glp_term_out(swiglpk.GLP_OFF)
    problem = swiglpk.glp_create_prob()
    swiglpk.glp_read_lp(problem, None, str(lp(tmp_path, " whole" if integers else "")))
    swiglpk.glp_simplex(problem, None)
    if integers:
        swiglpk.glp_intopt(problem, None)
        write = swiglpk.glp_write_mip if raw else swiglpk.glp_print_mip
    else:
        write = swiglpk.glp_write_sol if raw else swiglpk.glp_print_sol
    write(problem, str(tmp_path / "a.sol"))
    order = [swiglpk.glp_get_col_name(problem, j + 1) for j in range(len(COLUMNS))]
    found = exact_sol((tmp_path / "a.sol").read_text(), tuple(order), "a.sol")
    assert {order[j]: value for j, value in found.items()} == {
        COLUMNS[j]: value for j, value in expected(Fraction(2)).items()
    }


def test_a_file_of_scip(tmp_path: Path) -> None:
    model = pyscipopt.Model()
    model.hideOutput()
    model.readProblem(str(lp(tmp_path, " whole")))
    model.optimize()
    model.writeBestSol(str(tmp_path / "a.sol"))
    found = exact_sol((tmp_path / "a.sol").read_text(), COLUMNS, "a.sol")
    assert found == expected(Fraction(2))


def test_names_with_blanks_and_digits() -> None:
    columns = ("my x", "3", "y")
    assert exact_sol("=obj= 2\nmy x 1.5\ny 2\n", columns, "a") == {0: Fraction(3, 2), 2: 2}
    sparse = "# Primal solution values\nFeasible\n# Columns 2 sparse\n3 4 1\nmy x 0.5 0\n"
    assert exact_sol(sparse, columns, "a") == {0: Fraction(1, 2), 1: Fraction(4)}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("# Primal solution values\nFeasible\n# Columns 1\nx one\n", "line 4: found 'x one'"),
        ("s mip 0 1 o 3\nj 2 1\n", "line 2: found '1', expected a column of the program"),
        ("s mip 0 1 o 3\nj 1\n", "line 2: found 'j 1', expected a column and a number"),
        ("s mip 0 1 u 3\n", "found no point"),
        ("x 1\nx 2\n", "line 2: found 'x', expected each column once"),
        ("x 1_0\n", "line 1: found 'x 1_0', expected a column and a number"),
    ],
)
def test_a_fault_is_told_by_line(text: str, told: str) -> None:
    with pytest.raises(InputError, match=re.escape(told)):
        exact_sol(text, ("x",), "a.sol")


def test_statements_of_solu() -> None:
    text = "=opt=  air05    26374\n=best= sorrell7 -1.96e2\n=inf=  cryptanal\r\n=unkn= hawaii\n"
    assert parse_solu(f"# MIPLIB\n\n{text}=bestdual= sorrell7 -197.5\n", "a.solu") == {
        "air05": (Stated("opt", Fraction(26374)),),
        "sorrell7": (Stated("best", Fraction(-196)), Stated("bestdual", Fraction(-395, 2))),
        "cryptanal": (Stated("inf"),),
        "hawaii": (Stated("unkn"),),
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("=opt= a\n", "line 1: found '=opt= a', expected =opt=, a name and a finite number"),
        ("=inf= a 3\n", "expected =inf= and a name"),
        ("\n=optimal= a 3\n", "line 2: found '=optimal= a 3', expected one of =opt=, =best="),
        ("=opt= a 3\n=opt= a 4\n", "line 2: found '=opt= a 4', expected each statement"),
        ("=best= a inf\n", "expected =best=, a name and a finite number"),
    ],
)
def test_a_fault_of_solu_is_told_by_line(text: str, told: str) -> None:
    with pytest.raises(InputError, match=re.escape(told)):
        parse_solu(text, "a.solu")
