"""Fixed MPS, NL and CBF are read as they are meant, and `read_program` goes by the name."""

import gzip
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyomo.environ as pyo
import pytest
from solvers.program_texts import FIXED, PLAIN, drawn_text

from ringyard.formulations.adapters.conic_programs import solve_conic
from ringyard.formulations.conic import Cone, ConicProgram
from ringyard.formulations.corpus.exact import priced_in_cones
from ringyard.formulations.files.cbf import cbf_lines
from ringyard.formulations.files.cbf_reader import parse_cbf
from ringyard.formulations.files.mps_reader import parse_mps
from ringyard.formulations.files.nl import nl_checker
from ringyard.formulations.files.read import READERS, is_program, read_program
from ringyard.formulations.files.write import write_nl
from ringyard.formulations.online.sum_of_ratios import ratio_cones_of
from ringyard.formulations.program import Matrix, Nonlinear
from ringyard.formulations.rental.cones import cones
from ringyard.formulations.shrink import fingerprint
from ringyard.instances import InputError
from ringyard.instances.catalogue import load
from ringyard.instances.reading.files import PROGRAMS

SETTINGS = """\
VER
3
OBJSENSE
MAX
VAR
3 2
L- 1
F 2
"""


@pytest.mark.parametrize("seed", range(20))
def test_fixed_mps_says_what_free_mps_says(seed: int) -> None:
    """Its names have blanks, which no other reader here takes with all sections."""
    fixed = parse_mps(drawn_text(seed, fixed=True), "a.mps")
    free = parse_mps(drawn_text(seed, fixed=False), "a.mps")
    for one, other in ((fixed.columns, free.columns), (fixed.rows, free.rows)):
        assert one == tuple(name.replace("_", " ") for name in other)
    assert fingerprint(fixed) == fingerprint(free)


def test_the_fault_is_that_of_the_format_that_gets_further() -> None:
    with pytest.raises(InputError, match=r"line 8: found 'none', expected a name from ROWS"):
        parse_mps(FIXED.replace("x 1       r2  ", "x 1       none"), "a.mps")
    with pytest.raises(InputError, match=r"line 10: found 'none', expected a name from ROWS"):
        parse_mps(PLAIN.replace("y obj 1.5 r", "y obj 1.5 none"), "a.mps")


def test_the_format_goes_by_the_name(tmp_path: Path) -> None:
    texts = {
        "a.mps": PLAIN,
        "a.lp": "max\n x\nst\n c: x <= 3\nend\n",
        "a.cbf": "\n".join(cbf_lines(cones(load("rental-small-s0")))),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
        assert is_program(tmp_path / name)
        plain, packed = read_program(tmp_path / name), read_program(tmp_path / f"{name}.gz")
        assert plain.columns == packed.columns
        assert isinstance(plain, ConicProgram if name == "a.cbf" else Matrix)
    assert not is_program(tmp_path / "a.json")
    # The reader of instances, which may not import this room, knows the same names.
    assert tuple(READERS) == PROGRAMS
    expected = r"ends in .mps, .lp, .nl or .cbf, or one of these and .gz"
    with pytest.raises(InputError, match=expected):
        read_program(tmp_path / "a.json")
    with pytest.raises(InputError, match="an existing file"):
        read_program(tmp_path / "b.mps")


def nl_model(sense: object) -> pyo.ConcreteModel:
    model = pyo.ConcreteModel()
    model.x, model.y = pyo.Var(bounds=(0, 4)), pyo.Var(domain=pyo.Integers, bounds=(-2, 3))
    model.row = pyo.Constraint(expr=pyo.exp(model.x) + model.y <= 5)
    model.cost = pyo.Objective(expr=model.x * model.y - 3 * model.x + 2 * model.y + 1, sense=sense)
    return model


def test_the_text_of_nl_is_the_program(tmp_path: Path) -> None:
    write_nl(tmp_path / "a.nl", nl_model(pyo.minimize))
    program = read_program(tmp_path / "a.nl")
    assert isinstance(program, Nonlinear)
    assert program.nl == (tmp_path / "a.nl").read_bytes()
    assert program.columns == ("x", "y")
    (tmp_path / "a.col").unlink()
    assert read_program(tmp_path / "a.nl").columns == ("x0", "x1")
    (tmp_path / "a.col").write_text("x\n")
    with pytest.raises(InputError, match=r"a.col: file: found '1 different names', expected 2"):
        read_program(tmp_path / "a.nl")


def test_a_maximised_objective_of_nl_is_turned(tmp_path: Path) -> None:
    values = []
    for sense in (pyo.minimize, pyo.maximize):
        write_nl(tmp_path / "a.nl", nl_model(sense))
        program = read_program(tmp_path / "a.nl")
        assert isinstance(program, Nonlinear)
        values.append(nl_checker(program.nl).value(np.array([1.5, -2.0])))
    # x y - 3 x + 2 y + 1 at (1.5, -2).
    assert values == [pytest.approx(-10.5), pytest.approx(10.5)]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("g3", "b3", "line 1: found 'b3 "),
        ("o44", "o41", "line 12: found 'o41"),
        ("v0", "v7", "a complete NL text"),
        ("\nr", "\nS0 1 sosno\n0 1\nr", "expected no such sets"),
        ("\nr", "\nL0 1", "expected a segment that begins with"),
    ],
)
def test_a_fault_of_nl_is_told_by_line(old: str, new: str, told: str, tmp_path: Path) -> None:
    write_nl(tmp_path / "a.nl", nl_model(pyo.minimize))
    text = (tmp_path / "a.nl").read_text()
    assert old in text
    (tmp_path / "a.nl").write_text(text.replace(old, new, 1))
    with pytest.raises(InputError) as found:
        read_program(tmp_path / "a.nl")
    assert told in str(found.value)


def test_cones_are_read_as_they_are_written() -> None:
    for program in (
        cones(load("rental-small-s0")),
        ratio_cones_of(load("pdors-s0"), 1),
        replace(cones(load("rental-small-s0")), offset=2.5),
    ):
        found = parse_cbf("\n".join(cbf_lines(program)), "a.cbf")
        assert found.columns == program.columns
        assert found.cones == program.cones
        assert found.a.toarray().tolist() == program.a.toarray().tolist()
        assert found.b.tolist() == program.b.tolist()
        assert (found.cost.tolist(), found.offset) == (program.cost.tolist(), program.offset)


def cbf(cone: str, cost: str, rows: int = 3, powers: str = "") -> ConicProgram:
    """Return a program whose columns are in a cone, with x0 = 1 and x1 = 2."""
    text = f"VER\n3\n{powers}OBJSENSE\nMAX\nVAR\n{rows} 1\n{cone} {rows}\nCON\n2 1\nL= 2\n"
    text += f"OBJACOORD\n1\n{cost}\nACOORD\n2\n0 0 1\n1 1 1\nBCOORD\n2\n0 -1\n1 -2\n"
    return parse_cbf(text, "a.cbf")


@pytest.mark.parametrize(
    ("cone", "powers", "value"),
    [
        ("QR", "", 2.0),  # 2 * 1 * 2 >= z^2
        ("@0:POW", "POWCONES\n1 2\n2\n1\n3\n", 2**0.75),  # z <= 1^(1/4) 2^(3/4)
    ],
)
def test_cones_have_the_optimum_worked_out_by_hand(cone: str, powers: str, value: float) -> None:
    program = cbf(cone, "2 1", powers=powers)
    point = solve_conic(program, "clarabel").point
    assert point[:3] == pytest.approx([1.0, 2.0, value], abs=1e-6)


def test_an_exponential_cone_is_in_the_order_of_the_format() -> None:
    # x0 >= x1 exp(x2 / x1) with x0 = 1, x1 = 2: x2 <= 2 ln(1/2).
    point = solve_conic(cbf("EXP", "2 1"), "clarabel").point
    assert point == pytest.approx([1.0, 2.0, -1.3862943611], abs=1e-6)


def test_a_rotated_cone_holds_the_same_points_in_fractions() -> None:
    program = cbf("QR", "2 1", rows=4)
    assert [cone.sort for cone in program.cones] == ["quadratic", "zero"]
    for last, holds in ((Fraction(0), True), (Fraction(1, 10**9), False)):
        # 2 * 1 * 2 = 2^2 + 0^2, exactly on the border.
        point = {0: Fraction(1), 1: Fraction(2), 2: Fraction(2), 3: last}
        assert priced_in_cones(program, point).holds() is holds


def test_mirrored_and_free_columns() -> None:
    program = parse_cbf(SETTINGS + "OBJACOORD\n1\n0 5\nOBJBCOORD\n2\n", "a.cbf")
    assert program.cones == (Cone("positive", 1),)
    assert program.a.toarray().tolist() == [[-1, 0, 0]]
    assert (program.cost.tolist(), program.offset) == ([-5, 0, 0], -2)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (SETTINGS + "INT\n1\n0\n", "line 10: found 'INT 1', expected continuous columns"),
        (SETTINGS + "PSDVAR\n1\n3\n", "line 10: found 'PSDVAR 1', expected linear, quadratic"),
        (SETTINGS.replace("F 2", "SVECPSD 2"), "line 8: found 'SVECPSD', expected a cone: F"),
        (SETTINGS.replace("F 2", "EXP* 2"), "line 8: found 'EXP*', expected a cone: F"),
        (SETTINGS.replace("F 2", "@0:POW 2"), "line 8: found '0', expected a number below 0"),
        (SETTINGS.replace("F 2", "F 3"), "found 'cones of 4 in all', expected VAR of 3"),
        (SETTINGS + "OBJACOORD\n1\n3 1\n", "line 11: found '3', expected a number below 3"),
        (SETTINGS + "OBJACOORD\n2\n0 1\n0 1\n", "line 12: found '0', expected each place once"),
        (SETTINGS + "ACOORD\n0\n", "line 9: found 'no CON', expected a section CON before"),
        (SETTINGS + "POW*CONES\n1 2\n", "line 9: found 'POW*CONES', expected no dual cones"),
        (SETTINGS.replace("F 2", "QR 1"), "line 8: found 'QR 1', expected a size of at least 2"),
        (SETTINGS.replace("F 2", "EXP 2"), "line 8: found 'EXP 2', expected the size 3"),
        (SETTINGS + "CHANGE\n", "line 9: found 'CHANGE', expected a section"),
        ("VAR\n", "line 1: found 'VAR', expected VER first"),
        (SETTINGS.replace("MAX", "max"), "line 4: found 'max', expected MIN or MAX"),
    ],
)
def test_a_fault_of_cbf_is_told_by_line(text: str, told: str) -> None:
    with pytest.raises(InputError) as found:
        parse_cbf(text, "a.cbf")
    assert told in str(found.value)
