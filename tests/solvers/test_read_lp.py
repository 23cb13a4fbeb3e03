"""LP is read as it was written, and as HiGHS and SCIP read and write it; faults name a line."""

import gzip
from pathlib import Path

import highspy
import pytest
from pyscipopt import Model
from solvers.test_read_mps import odd

from ringyard.formulations.catalogue import find_formulation
from ringyard.formulations.files.lp import lp_lines, parse_lp, read_lp
from ringyard.formulations.files.mps_reader import read_mps
from ringyard.formulations.files.names import ranged, split
from ringyard.formulations.files.write import write_matrix
from ringyard.formulations.matrix import stated_matrix
from ringyard.formulations.program import Matrix
from ringyard.instances import InputError
from ringyard.instances.catalogue import load
from ringyard.testing.programs import INF, drawn

FOREIGN = """\
\\ a comment
MAXIMIZE
 profit: x + 2.5y - z
   + 3 w - 7
Such That
 less: x - y +
   4 w <= 4
 more: 1e0 y + 3 u >= -1 \\ another
 same: - z + u = +2
 2 x + y => 1
Bounds
 -3 <= y <= 8
 x <= 4
 x >= -1e30
 5 >= z
 u = 2
 v free
 q <= 1
 -Infinity <= w <= +inf
General
 y z
Binaries
 q
semi
End
"""


def highs() -> highspy.Highs:
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    return model


def by_name(program: Matrix, digits: int = 17) -> tuple[object, ...]:
    """Return all of a program, in the order of names; solvers write fifteen digits."""

    def short(value: float) -> float:
        return float(f"{value:.{digits}g}")

    columns = {
        name: (short(c), short(low), short(high), bool(whole))
        for name, c, low, high, whole in zip(
            program.columns,
            program.cost,
            program.lower,
            program.upper,
            program.integer,
            strict=True,
        )
    }
    entries = program.a.tocoo()
    held = {
        (program.rows[i], program.columns[j]): short(value)
        for i, j, value in zip(*entries.coords, entries.data, strict=True)
        if value
    }
    sides = zip(map(short, program.row_lower), map(short, program.row_upper), strict=True)
    return columns, held, dict(zip(program.rows, sides, strict=True)), short(program.offset)


def as_lp_can(program: Matrix) -> Matrix:
    """Return a program with its rows of two sides as two, as LP holds them."""
    return split(program, ranged(program))


def test_a_foreign_file_is_read() -> None:
    columns, held, rows, offset = by_name(parse_lp(FOREIGN, "a.lp"))
    assert columns == {
        "x": (-1, -INF, 4, False),
        "y": (-2.5, -3, 8, True),
        "z": (1, 0, 5, True),
        "w": (-3, -INF, INF, False),
        "u": (0, 2, 2, False),
        "v": (0, -INF, INF, False),
        "q": (0, 0, 1, True),
    }
    assert rows == {
        "less": (-INF, 4),
        "more": (-1, INF),
        "same": (2, 2),
        "c4": (1, INF),
    }
    assert offset == 7
    assert held == {
        ("less", "x"): 1,
        ("less", "y"): -1,
        ("less", "w"): 4,
        ("more", "y"): 1,
        ("more", "u"): 3,
        ("same", "z"): -1,
        ("same", "u"): 1,
        ("c4", "x"): 2,
        ("c4", "y"): 1,
    }


@pytest.mark.parametrize("seed", range(10))
def test_what_is_written_is_read(seed: int, tmp_path: Path) -> None:
    file = tmp_path / "a.lp"
    for program in (drawn(seed), odd(seed)):
        write_matrix(file, program)
        assert by_name(read_lp(file)) == by_name(as_lp_can(program))


def test_names_of_pyomo_and_gzip(tmp_path: Path) -> None:
    program = stated_matrix(load("hand-theorem5"), find_formulation("linearised"), 6)
    file = tmp_path / "a.lp.gz"
    file.write_bytes(gzip.compress("\n".join(lp_lines(program)).encode()))
    assert by_name(read_lp(file)) == by_name(as_lp_can(program))


@pytest.mark.parametrize("seed", range(10))
def test_highs_reads_and_writes_the_same(seed: int, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "a.lp", tmp_path / "b.lp"
    program = drawn(seed)
    write_matrix(ours, program)
    model = highs()
    assert model.readModel(str(ours)) == highspy.HighsStatus.kOk
    assert model.writeModel(str(theirs)) != highspy.HighsStatus.kError
    assert by_name(read_lp(theirs), 14) == by_name(as_lp_can(program), 14)


@pytest.mark.parametrize("seed", range(10))
def test_scip_reads_and_writes_the_same(seed: int, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "a.lp", tmp_path / "b.lp"
    program = drawn(seed)
    write_matrix(ours, program)
    model = Model()
    model.hideOutput()
    model.readProblem(str(ours))
    model.writeProblem(str(theirs), verbose=False)
    assert by_name(read_lp(theirs), 14) == by_name(as_lp_can(program), 14)


def test_highs_reads_the_foreign_file_alike(tmp_path: Path) -> None:
    file, turned = tmp_path / "a.lp", tmp_path / "a.mps"
    file.write_text(FOREIGN.replace("=>", ">="))  # HiGHS knows this order only
    model = highs()
    assert model.readModel(str(file)) == highspy.HighsStatus.kOk
    model.writeModel(str(turned))
    ours, theirs = parse_lp(FOREIGN, "a.lp"), read_mps(turned)
    assert by_name(ours)[0] == by_name(theirs)[0]
    assert sorted(by_name(ours)[2].values()) == sorted(by_name(theirs)[2].values())
    assert ours.offset == theirs.offset


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("End\n", "", "a line End"),
        ("MAXIMIZE", "", "line 3: found 'profit', expected a line Minimize or Maximize"),
        ("- z\n", "- z ^ 2\n", "line 3: found '^ 2', expected numbers, names"),
        ("- z\n", "- z + x\n", "line 3: found 'x', expected each column once"),
        ("+ 3 w", "3 w", "line 4: found '3', expected a sign between terms"),
        ("2 x + y", "2 x y", "line 10: found 'y', expected a sign between terms"),
        ("w - 7", "w - 7 <= 2", "line 4: found '<=', expected terms of the objective"),
        ("u >= -1", "u", "line 9: found 'same', expected a sign"),
        ("4 w <= 4", "4 w <= x", "line 7: found 'x', expected a number"),
        ("4 w <= 4", "4 w <= 4 x", "line 7: found 'x', expected a row that ends"),
        ("4 w <= 4", "4 w + 1 <= 4", "expected columns at the left"),
        (" same:", " less:", "found 'less', expected each row once"),
        (" less: x", " less: -3 <= x", "expected columns at the left"),
        (" x <= 4", " x <= 4 5", "line 13: found '5', expected one column in a line"),
        (" x <= 4", " x 4", "line 13: found 'x 4', expected <=, >=, = or free"),
        (" x >= -1e30", " x <= -4", "line 14: found 'x up to -4', expected a lower bound, too"),
        (" y z\n", " y a\n", "line 21: found 'a', expected columns of rows or bounds"),
        ("semi\n", "semi\n x\n", "found 'x', expected no semi-continuous columns"),
        ("semi\n", "sos1\n", "found 'sos1', expected a section that every reader knows"),
    ],
)
def test_faults_are_told_by_line(old: str, new: str, told: str) -> None:
    assert old in FOREIGN
    with pytest.raises(InputError) as error:
        parse_lp(FOREIGN.replace(old, new, 1), "a.lp")
    assert told in str(error.value)
