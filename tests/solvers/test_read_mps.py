"""MPS is read as it was written, as HiGHS reads it, and faults are told by line."""

import gzip
from dataclasses import replace
from pathlib import Path

import highspy
import numpy as np
import pytest

from ringyard.formulations.catalogue import find_formulation
from ringyard.formulations.files.mps import mps_lines
from ringyard.formulations.files.mps_reader import parse_mps, read_mps
from ringyard.formulations.files.write import write_matrix
from ringyard.formulations.matrix import stated_matrix
from ringyard.formulations.program import Matrix
from ringyard.formulations.shrink import fingerprint
from ringyard.instances import InputError
from ringyard.instances.catalogue import load
from ringyard.testing.programs import INF, drawn, matrix, planted

FOREIGN = """\
* a comment
NAME  test
OBJSENSE
    MAX
ROWS
 N  cost
 N  other
 L  less
 G  more
 E  same
COLUMNS
    x  cost  1  less  1
    x  other  5
    M1  'MARKER'  'INTORG'
    y  cost  2.5  less  -1e0
    y  more  1
    z  same  1
    M2  'MARKER'  'INTEND'
    u  same  1  more  3
    v  same  2
    w  less  4
RHS
    RHS  cost  -3  less  4
    RHS  more  1  same  2
RANGES
    RNG  less  2.5  more  4
    RNG  same  -1.5
BOUNDS
 MI BND  x
 UP BND  x  -2
 LI BND  y  -3
 BV BND  u
 FR BND  v
 MI BND  w
 UP BND  w  1e30
ENDATA
"""


def highs_reads(path: Path) -> highspy.HighsLp:
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    assert model.readModel(str(path)) != highspy.HighsStatus.kError
    return model.getLp()


def test_a_foreign_file_is_read_as_highs_reads_it(tmp_path: Path) -> None:
    file = tmp_path / "a.mps"
    file.write_text(FOREIGN)
    ours, theirs = read_mps(file), highs_reads(file)
    assert ours.columns == tuple(theirs.col_names_)
    assert ours.rows == tuple(theirs.row_names_)
    # Ours is minimised.
    assert (-ours.cost).tolist() == list(theirs.col_cost_)
    assert -ours.offset == theirs.offset_
    for mine, name in (
        (ours.lower, "col_lower_"),
        (ours.upper, "col_upper_"),
        (ours.row_lower, "row_lower_"),
        (ours.row_upper, "row_upper_"),
    ):
        assert mine.tolist() == list(getattr(theirs, name)), name
    whole = [kind == highspy.HighsVarType.kInteger for kind in theirs.integrality_]
    assert ours.integer.tolist() == whole
    assert ours.a.toarray().tolist() == [
        [1, -1, 0, 0, 0, 4],
        [0, 1, 0, 3, 0, 0],
        [0, 0, 1, 1, 2, 0],
    ]


@pytest.mark.parametrize("seed", range(10))
def test_what_is_written_is_read(seed: int, tmp_path: Path) -> None:
    third = replace(drawn(seed), lower=drawn(seed).lower + 1 / 3)
    file = tmp_path / "a.mps"
    for program in (drawn(seed), third, odd(seed)):
        write_matrix(file, program)
        found = read_mps(file)
        assert fingerprint(found) == fingerprint(sorted_rows(program))
        assert (found.columns, found.rows) == (program.columns, program.rows)


def odd(seed: int) -> Matrix:
    """Return a program with bounds and rows of every kind."""
    rng = np.random.default_rng(seed)
    low = rng.choice([-INF, -2.5, 0.0, 1.0], 6)
    return matrix(
        rng.normal(size=6),
        rng.normal(size=(4, 6)),
        ([-INF, 0.5, -3.0, 2.0], [1.0, INF, -1.5, 2.0]),
        (low, low + rng.choice([0.0, 0.75, INF], 6) if np.isfinite(low).all() else INF),
        rng.random(6) < 0.5,
        offset=0.1,
    )


def sorted_rows(program: Matrix) -> Matrix:
    a = program.a.copy()
    a.eliminate_zeros()
    a.sort_indices()
    return replace(program, a=a)


def test_names_of_pyomo_and_gzip(tmp_path: Path) -> None:
    program = stated_matrix(load("hand-theorem5"), find_formulation("linearised"), 6)
    file = tmp_path / "a.mps.gz"
    file.write_bytes(gzip.compress("\n".join(mps_lines(program)).encode()))
    found = read_mps(file)
    assert (found.columns, found.rows) == (program.columns, program.rows)
    assert fingerprint(found) == fingerprint(sorted_rows(program))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("ENDATA", "", "a line ENDATA"),
        ("RANGES", "RANGE", "line 25: found 'RANGE', expected a section"),
        (" L  less", " Q  less", "line 8: found 'Q less', expected N, L, G or E"),
        (" G  more", " G  less", "line 9: found 'less', expected each row once"),
        ("y  more  1", "y  none  1", "line 16: found 'none', expected a name from ROWS"),
        ("y  more  1", "y  more", "line 16: found 'more', expected names of rows"),
        ("y  more  1", "y  more  1x", "line 16: found '1x', expected a finite number"),
        ("y  more  1", "y  more  inf", "expected a finite number"),
        ("y  more  1", "y  less  1", "expected each coefficient once"),
        ("w  less  4", "y  less  4", "all lines of a column together"),
        ("RNG  same  -1.5", "RNG  less  1", "expected each row once"),
        ("UP BND  x  -2", "UP BND  q  -2", "expected a name from COLUMNS"),
        ("UP BND  x  -2", "UP BND  x  two", "expected a number"),
        (" MI BND  x\n", "", "line 29: found 'x up to -2', expected a lower bound, too"),
        ("UP BND  x  -2", "XX BND  x  -2", "expected FR, MI, PL, BV, UP"),
    ],
)
def test_a_fault_is_told_by_line(old: str, new: str, told: str) -> None:
    with pytest.raises(InputError) as found:
        parse_mps(FOREIGN.replace(old, new, 1), "a.mps")
    assert told in str(found.value)


def test_planted_programs_keep_their_dual_bounds(tmp_path: Path) -> None:
    program = planted(3)[0]
    write_matrix(tmp_path / "a.mps", program)
    assert fingerprint(read_mps(tmp_path / "a.mps")) == fingerprint(sorted_rows(program))
