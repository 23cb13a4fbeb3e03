"""Files of programs and points say the same after reading as before writing."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import highspy
import numpy as np
import pyomo.environ as pyo
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csc_array, csr_array
from strategies import NAMES
from transfers_small import for_programs

from ringyard.formulations.catalogue import Formulation, all_formulations, find_formulation
from ringyard.formulations.files.lp import lp_lines
from ringyard.formulations.files.names import from_file, label, number, to_file
from ringyard.formulations.files.nl import read_nl
from ringyard.formulations.files.sol import read_sol, sol_lines
from ringyard.formulations.files.write import write_lines, write_matrix, write_nl
from ringyard.formulations.makespan import occupancy
from ringyard.formulations.matrix import relax, relaxed, stated_matrix, stated_model
from ringyard.formulations.program import Matrix
from ringyard.instances import InputError
from ringyard.instances.catalogue import load

inf = np.inf

HARD = Matrix(
    columns=("start[j0,0]", "inf['a,b',1]", "unused", "free", "e1", "y['node 1 (Zürich)']"),
    rows=("between['a.b']", "free", "obj", "empty"),
    cost=np.array([0.1, -1 / 3, 0, 0, 1e16, 0]),
    offset=-0.7,
    lower=np.array([0, -inf, -1.5, -inf, -3, 0]),
    upper=np.array([1, 0.3, -1.5, inf, inf, 2**-40]),
    integer=np.array([True, False, False, False, True, False]),
    a=csr_array(
        np.array(
            [
                [1, 2 / 3, 0, 0, 0, 1e-5],
                [0, 1 + 2**-52, 0, -1, 0, 0],
                [0, 0, 0, 123456789.123, 7, 0],
                [0, 0, 0, 0, 0, 0],
            ]
        )
    ),
    row_lower=np.array([-0.1, 1 / 7, -inf, -inf]),
    row_upper=np.array([0.2, inf, 1e-5, 3]),
)


def rows_by_name(matrix: Matrix) -> dict[str, Any]:
    """Return bounds and entries of every row, by name."""
    rows = {}
    for i, name in enumerate(matrix.rows):
        span = slice(matrix.a.indptr[i], matrix.a.indptr[i + 1])
        places = [matrix.columns[j] for j in matrix.a.indices[span]]
        entries = dict(zip(places, matrix.a.data[span].tolist(), strict=True))
        rows[name] = (float(matrix.row_lower[i]), float(matrix.row_upper[i]), entries)
    return rows


def joined(rows: dict[str, Any]) -> dict[str, Any]:
    """Join the two rows that stand for one with two sides."""
    whole = {name: row for name, row in rows.items() if not name.endswith("~")}
    for name in rows.keys() - whole.keys():
        (low, _, entries), (none, high, again) = rows[name], whole[name[:-1]]
        assert (none, entries) == (-inf, again)
        whole[name[:-1]] = (low, high, entries)
    return whole


def columns_by_name(matrix: Matrix) -> dict[str, Any]:
    """Return cost, bounds and integrality of every column."""
    parts = (matrix.cost, matrix.lower, matrix.upper, matrix.integer)
    return dict(
        zip(matrix.columns, zip(*(part.tolist() for part in parts), strict=True), strict=True)
    )


def by_highs(path: Path) -> Matrix:
    """Read a file with HiGHS."""
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    model.setOptionValue("small_matrix_value", 1e-12)
    assert model.readModel(str(path)) == highspy.HighsStatus.kOk
    lp = model.getLp()
    m = lp.a_matrix_
    shape = (lp.num_row_, lp.num_col_)
    kinds = list(lp.integrality_) or [highspy.HighsVarType.kContinuous] * lp.num_col_
    return Matrix(
        columns=tuple(map(from_file, lp.col_names_)),
        rows=tuple(from_file(name) for name in lp.row_names_),
        cost=np.array(lp.col_cost_, dtype=float),
        offset=lp.offset_,
        lower=np.array(lp.col_lower_, dtype=float),
        upper=np.array(lp.col_upper_, dtype=float),
        integer=np.array([kind == highspy.HighsVarType.kInteger for kind in kinds]),
        a=csc_array((m.value_, m.index_, m.start_), shape=shape).tocsr(),
        row_lower=np.array(lp.row_lower_, dtype=float),
        row_upper=np.array(lp.row_upper_, dtype=float),
    )


def by_scip(path: Path) -> Matrix:
    """Read a file with SCIP."""
    model = pytest.importorskip("pyscipopt").Model()
    model.hideOutput()
    model.readProblem(str(path))
    variables, rows = model.getVars(), model.getConss()
    place = {one.name: j for j, one in enumerate(variables)}
    a = np.zeros((len(rows), len(variables)))
    for i, row in enumerate(rows):
        for name, value in model.getValsLinear(row).items():
            a[i, place[name]] = value
    endless = np.vectorize(lambda value: value if abs(value) < 1e20 else np.sign(value) * inf)
    return Matrix(
        columns=tuple(from_file(one.name) for one in variables),
        rows=tuple(from_file(row.name) for row in rows),
        cost=np.array([one.getObj() for one in variables]),
        offset=model.getObjoffset(),
        lower=endless([one.getLbGlobal() for one in variables]),
        upper=endless([one.getUbGlobal() for one in variables]),
        integer=np.array([one.vtype() != "CONTINUOUS" for one in variables]),
        a=csr_array(a),
        row_lower=endless([model.getLhs(row) for row in rows]),
        row_upper=endless([model.getRhs(row) for row in rows]),
    )


def agree(read: Matrix, written: Matrix) -> None:
    """Hold two matrices against each other, bit by bit, whatever the order."""
    assert columns_by_name(read) == columns_by_name(written)
    assert joined(rows_by_name(read)) == rows_by_name(written)
    assert read.offset == written.offset


LINEAR = [program for program in all_formulations() if program.form != "nonlinear"]


@pytest.mark.parametrize("reader", [by_highs, by_scip])
@pytest.mark.parametrize("format", ["mps", "lp"])
@pytest.mark.parametrize("program", LINEAR, ids=lambda f: f.name)
def test_every_program_reads_back_the_same(
    program: Formulation, format: str, reader: Callable[[Path], Matrix], tmp_path: Path
) -> None:
    cases: dict[str, tuple[Any, int | None]] = {
        "makespan": ("hand-contend", 8),
        "online": ("hand-online-turn", None),
        "trace": ("tiny-trace-03x1", None),
        "rental": ("rental-whole-s0", None),
        "shuffle": ("hand-shuffle-cycle", None),
        "transfers": (for_programs(), None),
    }
    case, horizon = cases[program.family]
    instance = load(case) if isinstance(case, str) else case
    matrix = stated_matrix(instance, program, horizon)
    path = tmp_path / f"program.{format}"
    write_matrix(path, matrix)
    agree(reader(path), matrix)


@pytest.mark.parametrize("reader", [by_highs, by_scip])
@pytest.mark.parametrize("format", ["mps", "lp"])
def test_hard_numbers_and_names_read_back_the_same(
    format: str, reader: Callable[[Path], Matrix], tmp_path: Path
) -> None:
    path = tmp_path / f"hard.{format}"
    write_matrix(path, HARD)
    agree(reader(path), HARD)


def test_no_line_of_lp_is_too_long_for_a_reader() -> None:
    names = tuple(f"x['{'a' * 80}',{j}]" for j in range(40))
    ones = np.ones(40)
    matrix = Matrix(
        columns=names,
        rows=("sum",),
        cost=ones / 3,
        lower=-ones,
        upper=ones,
        integer=ones > 0,
        a=csr_array(ones.reshape(1, 40) / 7),
        row_lower=ones[:1],
        row_upper=ones[:1],
    )
    assert max(map(len, lp_lines(matrix))) < 255


def test_mps_keeps_the_order(tmp_path: Path) -> None:
    path = tmp_path / "hard.mps"
    write_matrix(path, HARD)
    read = by_highs(path)
    assert read.columns == HARD.columns
    assert read.rows == ("between['a.b']", "between['a.b']~", *HARD.rows[1:])
    assert (read.a.toarray() == HARD.a.toarray()[[0, 0, 1, 2, 3]]).all()


floats = st.floats(-1e15, 1e15).filter(lambda x: x == 0 or 1e-7 < abs(x) < 1e15)
"""HiGHS takes no coefficient of 1e15, and drops tiny ones."""


@given(
    values=st.lists(floats, min_size=6, max_size=6),
    limits=st.lists(st.tuples(floats, floats).map(sorted), min_size=2, max_size=2),
    format=st.sampled_from(["mps", "lp"]),
)
def test_any_double_reads_back_the_same(
    values: list[float], limits: list[list[float]], format: str, tmp_path_factory: Any
) -> None:
    (low, high), (row_low, row_high) = limits
    matrix = Matrix(
        columns=("x[0]", "x[1]"),
        rows=("r[0]", "r[1]"),
        cost=np.array(values[:2]),
        offset=values[2],
        lower=np.array([low, -inf]),
        upper=np.array([high, inf]),
        integer=np.array([False, False]),
        a=csr_array(np.array([[values[3], 1], [values[4], 1]])),
        row_lower=np.array([row_low, values[5]]),
        row_upper=np.array([row_high, inf]),
    )
    matrix.a.eliminate_zeros()
    path = tmp_path_factory.mktemp("doubles") / f"program.{format}"
    write_matrix(path, matrix)
    agree(by_highs(path), matrix)


@pytest.mark.parametrize("format", ["mps", "lp"])
def test_relaxing_drops_integers_only(format: str, tmp_path: Path) -> None:
    matrix = occupancy.twin(load("hand-contend"), 8)
    path = tmp_path / f"relaxed.{format}"
    write_matrix(path, relaxed(matrix))
    agree(by_highs(path), replace(matrix, integer=np.zeros_like(matrix.integer)))


def test_nl_says_the_same_as_the_matrix(tmp_path: Path) -> None:
    instance, formulation = load("hand-contend"), find_formulation("occupancy")
    matrix, path = stated_matrix(instance, formulation, 8), tmp_path / "program.nl"
    assert write_nl(path, stated_model(instance, formulation, 8)) == matrix.a.shape[::-1]
    text = read_nl(path.read_bytes())
    columns = [from_file(name) for name in path.with_suffix(".col").read_text().splitlines()]
    rows = [from_file(name) for name in path.with_suffix(".row").read_text().splitlines()]
    assert rows.pop() == "latest_end"
    lower, upper = np.array(text.bounds).T
    low, high = np.array(text.row_bounds).T
    cost = [text.objective.linear.get(j, 0.0) for j in range(len(columns))]
    whole_ones = text.integer.tolist()
    assert columns_by_name(matrix) == dict(
        zip(columns, zip(cost, lower, upper, whole_ones, strict=True), strict=True)
    )
    parts = [{columns[j]: value for j, value in row.linear.items()} for row in text.rows]
    assert rows_by_name(matrix) == dict(zip(rows, zip(low, high, parts, strict=True), strict=True))


def test_nl_can_be_relaxed(tmp_path: Path) -> None:
    model = stated_model(load("hand-contend"), find_formulation("occupancy"), 8)
    write_nl(tmp_path / "program.nl", relax(model))
    assert not read_nl((tmp_path / "program.nl").read_bytes()).integer.any()


def test_names_come_back_and_stay_apart() -> None:
    indices = [
        pattern.format(i) for pattern in (*NAMES, "a b", "'", '"', "\\", "|x") for i in (0, 1)
    ]
    names = sorted({f"start[{label(index)},3]" for index in indices})
    odd = [
        "free",
        "Inf",
        "_x",
        "__x",
        "e1",
        "E5[3]",
        "x(1)",
        "x[1]",
        "#41.",
        "x#41.",
        "xA",
        "obj",
        "\U0010ffff",
    ]
    files = [to_file(name) for name in names + odd]
    assert [from_file(file) for file in files] == names + odd
    assert len(set(files)) == len(files)
    assert all(file.isascii() and not set(file) & set(" []<>=+-*:;\\") for file in files)


@pytest.mark.parametrize(
    "index", ["a b", "1", "1e5", "inf", "nan", "'", '"', "\\", "|x", "a,b", "٣"]
)
def test_labels_are_those_of_pyomo(index: str) -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var([index, "other"])
    assert model.x[index].name == f"x[{label(index)}]"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_come_back(value: float) -> None:
    assert float(number(value)) == value


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "program.lp"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError):
        write_lines(path, (str(1 // n) for n in (1, 0)))
    assert [file.read_text() for file in tmp_path.iterdir()] == ["old"]
    with pytest.raises(InputError, match="writable"):
        write_matrix(tmp_path / "none" / "program.lp", HARD)


COLUMNS = ("start[a,0]", "gpus['b c',s0,1]", "makespan_slots")

MIPLIB = "=obj= 7\nstart(a,0) 1\nmakespan_slots 6.5\n"
SCIP = """solution status: optimal solution found
objective value:                                    7
start(a,0)                                          1 \t(obj:0)
makespan_slots                                    6.5 \t(obj:1)
"""
GUROBI = "# Solution for model ringyard\n# Objective value = 7\nstart(a,0) 1\nmakespan_slots 6.5\n"
HIGHS = """Model status
Optimal

# Primal solution values
Feasible
Objective 7
# Columns 3
start(a,0) 1
gpus(#27.b#20.c#27.,s0,1) 0
makespan_slots 6.5
# Rows 1
every_job_once(a) 1

# Dual solution values
None
"""


@pytest.mark.parametrize("text", [MIPLIB, SCIP, GUROBI, HIGHS, MIPLIB.replace("(a,0)", "[a,0]")])
def test_points_are_read_in_many_styles(text: str) -> None:
    assert read_sol(text, COLUMNS, "x.sol").tolist() == [1, 0, 6.5]


def test_points_come_back() -> None:
    values = dict(zip(COLUMNS, (1 / 3, -1e-9, 0.0), strict=True))
    text = "\n".join(sol_lines(values, 0.1))
    assert text.splitlines()[0] == "=obj= 0.1"
    assert read_sol(text, COLUMNS, "x.sol").tolist() == list(values.values())


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("=infeas=\n", "x.sol: file: found no point, expected the values of a point"),
        ("no solution available\n", "found no point"),
        (HIGHS.split("# Columns")[0].replace("Feasible", "None"), "found no point"),
        ("=obj= 1\nstrat(a,0) 1\n", r"line 2: found 'strat\(a,0\)', expected a column"),
        ("makespan_slots\n", "line 1: found 'makespan_slots', expected a column and a number"),
        ("makespan_slots seven\n", "line 1: .* expected a column and a number"),
        ("makespan_slots nan\n", "line 1: .* expected a column and a number"),
        ("makespan_slots 1\n\nmakespan_slots 2\n", "line 3: .* each column once"),
        ("x#110000. 1\n", "line 1: .* a column of the program"),
        ("q 1\n" * 50, "40 more problems"),
    ],
)
def test_bad_points_are_refused_by_line(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        read_sol(text, COLUMNS, "x.sol")
