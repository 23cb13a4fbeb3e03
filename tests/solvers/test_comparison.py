"""The solver comparison: what is asked, what is believed, and what is contradicted."""

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from solvers import faults

from ringyard.analysis.rows import Row, whole_row
from ringyard.campaigns import perform_program
from ringyard.campaigns.perform import perform
from ringyard.campaigns.reproductions import Settings
from ringyard.engines import program_run
from ringyard.engines.compared import EngineRuns
from ringyard.engines.engine import Engine, engines
from ringyard.engines.kept import packed, unpacked
from ringyard.engines.program_run import ProgramRun, case_digest
from ringyard.engines.upgrade import upgrade
from ringyard.engines.verdicts import contradiction, kind_of, known_optima, solving
from ringyard.formulations.adapters.solver import Solver
from ringyard.formulations.corpus.build import build, shuffled
from ringyard.formulations.corpus.exact import priced
from ringyard.formulations.corpus.index import corpus, recipe_of
from ringyard.formulations.program import Matrix, Program, Solution, matrix_checker
from ringyard.formulations.solver_interface import call
from ringyard.formulations.solver_interface.child import attempt
from ringyard.formulations.solver_interface.solve import find_solver, solve
from ringyard.instances import SolutionStatus, TerminationReason
from ringyard.instances.catalogue import load
from ringyard.papers.solvers import LONG, report_of, runs

NAME = "hand-contend.linearised.h7"
LINEAR = "pdors-s0.slot.j1.relaxed"

Claim = Callable[..., Solution]


def run(name: str = NAME, engine: str = "highs", seed: int = 0) -> ProgramRun:
    return ProgramRun(
        instance=load(name.split(".")[0]),
        entry=corpus()[name],
        method=engine,
        solver=engine,
        seed=seed,
        time_limit=60.0,
    )


def row_of(asked: ProgramRun) -> Row:
    """Do a run as a worker does, and return its row."""
    task = json.loads(json.dumps(asked.task()))
    return whole_row({**asked.stated(), **perform(task)["columns"]})


def row_of_claim(monkeypatch: pytest.MonkeyPatch, claim: Claim) -> Row:
    """Return the row of an engine that answers as it is told to."""
    said = faults.solver(claim)
    for module in (perform_program, program_run):
        monkeypatch.setattr(module, "find_solver", lambda name: said)
    monkeypatch.setattr(call, "run_apart", attempt)
    return row_of(run(engine="fault"))


def honest(program: Program, *_: Any) -> Solution:
    return solve(program)


def judged(row: Row) -> str:
    return kind_of(row, known_optima([row], corpus())[NAME])


@pytest.mark.parametrize("name", [NAME, LINEAR])
def test_another_order_is_the_same_program(name: str) -> None:
    program = build(recipe_of(name))
    assert isinstance(program, Matrix)
    moved = shuffled(program, 1)
    assert isinstance(moved.program, Matrix)
    assert moved.program.columns != program.columns
    assert moved.program.rows != program.rows
    point = solve(moved.program).point
    assert point is not None
    checker = matrix_checker(program)
    assert checker.violation(moved.back(point)) <= 1e-6
    assert checker.value(moved.back(point)) == pytest.approx(solve(program).value)
    again, other = shuffled(program, 1).program, shuffled(program, 2).program
    assert again.columns == moved.program.columns != other.columns
    assert shuffled(program, 0).program is program


@pytest.mark.parametrize("engine", ["highs", pytest.param("scip", marks=pytest.mark.slow), "glpk"])
@pytest.mark.parametrize("seed", [0, 3])
def test_an_answer_is_audited_in_the_order_of_the_program(engine: str, seed: int) -> None:
    row = row_of(run(engine=engine, seed=seed))
    assert (row["objective"], row["valid"], row["violations"]) == (7.0, True, 0)
    assert judged(row) == "solved"
    assert 0 <= (solving(row) or 0) <= row["seconds"]


def test_the_judge_sees_the_schedule_of_a_point(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(recipe: Any, program: Any, values: Any, model: Any) -> Any:
        return replace(real(recipe, program, values, model), assignments=())

    real = perform_program.schedule_of
    monkeypatch.setattr(perform_program, "schedule_of", nothing)
    row = row_of(run())
    assert not row["valid"]
    assert row["violations"] > 0
    assert judged(row) == "imprecise"


def infeasible(*_: Any) -> Solution:
    return Solution(
        solver="fault", termination=TerminationReason.DONE, status=SolutionStatus.INFEASIBLE
    )


def beyond(program: Program, *rest: Any) -> Solution:
    return replace(
        honest(program),
        termination=TerminationReason.TIME_LIMIT,
        status=SolutionStatus.FEASIBLE,
        bound=7.5,
    )


def no_point(program: Program, *rest: Any) -> Solution:
    return replace(honest(program), point=np.full(len(program.columns), 0.5))


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        (infeasible, "claims infeasibility, but 7 is possible"),
        (beyond, "claims the bound 7.5, but 7 is possible"),
        (no_point, "its optimal point violates the program by"),
    ],
)
def test_what_is_contradicted_is_noticed(
    claim: Claim, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = row_of_claim(monkeypatch, claim)
    known = known_optima([row], corpus())[NAME]
    assert words in contradiction(row, known)
    assert judged(row) == "contradicted"
    assert "fault" not in known.provers


def test_a_worse_point_is_no_optimum() -> None:
    best = row_of(run())
    for value, kind in ((7.0, "solved"), (7.0 + 5e-6, "solved"), (7.0 + 5e-5, "contradicted")):
        row = best | {"objective": value, "bound": value}
        assert judged(row) == kind, value


def test_an_honest_engine_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    assert judged(row_of_claim(monkeypatch, honest)) == "solved"


def test_an_engine_that_fails_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: Any) -> Solution:
        raise RuntimeError("no good")

    row = row_of_claim(monkeypatch, crash)
    assert (row["status"], judged(row)) == ("error", "failed")
    assert "no good" in row["note"]


def test_what_does_not_fit_is_refused() -> None:
    row = row_of(run(engine="cp-sat"))
    assert (row["status"], judged(row)) == ("refused", "refused")
    assert "whole numbers" in row["note"]


def test_another_program_under_the_name_is_refused() -> None:
    other = run().task() | {"content": "0" * 64}
    assert "differs from the index" in perform(other)["columns"]["note"]


def test_equal_programs_of_two_names_are_two_cases() -> None:
    entry = corpus()[NAME]
    assert case_digest(entry) != case_digest(replace(entry, name="another"))


def test_a_limit_is_no_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(program: Program, *_: Any) -> Solution:
        return Solution(
            solver="fault", termination=TerminationReason.TIME_LIMIT, status=SolutionStatus.NOTHING
        )

    assert judged(row_of_claim(monkeypatch, late)) == "nothing"


def test_algorithms_of_one_code_are_one_prover() -> None:
    rows = [row_of(run(LINEAR, name)) for name in ("highs", "highs-ipm", "glpk")]
    known = known_optima(rows, corpus())[LINEAR]
    before = {name.split("-")[0] for name in corpus()[LINEAR].provers}
    assert len(known.provers) == len({"highs", "glpk"} | before)


def test_engines_are_asked_what_they_take() -> None:
    asked = list(runs(Settings(seeds=2, points=40)))
    kinds = {(one.entry.kind, one.method) for one in asked}
    assert ("LP", "glop") in kinds
    assert ("MILP", "glop") not in kinds
    assert ("NL", "highs") not in kinds
    assert ("ip", "cp-sat-x2") in kinds
    assert {one.threads for one in asked if one.method == "cp-sat-x2"} == {2}
    keys = [one.key for one in asked]
    assert len(set(keys)) == len(keys)


def test_named_programs_get_more_time() -> None:
    assert set(LONG) <= set(corpus())
    found = runs(Settings(seeds=1, time_limit=5.0))
    limits = {one.entry.name: one.time_limit for one in found}
    assert {limits[name] for name in LONG} == {20.0}
    assert limits[NAME] == 5.0


def test_the_key_is_of_the_engines_version_and_not_of_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    key, real = run().key, find_solver("highs")
    monkeypatch.setattr("ringyard.version.__version__", "99")
    assert run().key == key

    class Newer(Solver):
        version = "99.0"

    newer = Newer(**{name: getattr(real, name) for name in real.__dataclass_fields__})
    monkeypatch.setattr(program_run, "find_solver", lambda name: newer)
    assert run().key != key


ENGINES = {
    NAME: ("glpk",),
    LINEAR: ("glpk",),
    "hand-contend.occupancy.h7": ("cp-sat",),
}
"""Programs of the three kinds, and engines beside HiGHS that take them."""


@pytest.fixture(scope="module")
def of_highs() -> list[Row]:
    """Return the rows of HiGHS on three programs, in two orders."""
    return [row_of(run(name, "highs", seed)) for name in ENGINES for seed in (0, 1)]


@pytest.fixture(scope="module")
def rows(of_highs: list[Row]) -> list[Row]:
    """Return the rows of a few engines on three programs, in two orders."""
    asked = [run(name, one, seed) for name in ENGINES for one in ENGINES[name] for seed in (0, 1)]
    return [*of_highs, *(row_of(one) for one in asked)]


@pytest.mark.slow
def test_rows_come_back_as_they_were_packed(rows: list[Row]) -> None:
    one, two = report_of(rows), report_of(unpacked(packed(rows)))
    assert one.tables == two.tables
    assert one.statements == two.statements
    assert {"lp", "milp", "ip", "choice", "orders", "contradicted", "engines"} <= one.tables.keys()
    assert any(said == "no answer is contradicted" for said in one.statements)
    text = packed(rows)
    assert b"host" not in text
    assert unpacked(text)[0]["host"] is None


@pytest.mark.slow
def test_a_contradicted_answer_is_in_no_mean_but_as_a_failure(rows: list[Row]) -> None:
    lied = [
        row
        | {
            "solution_status": "infeasible",
            "status": "infeasible",
            "objective": None,
            "valid": False,
        }
        if row["method"] == "glpk" and row["instance"] == NAME
        else row
        for row in rows
    ]
    tables = report_of(lied).tables
    table = tables["milp"]
    heads = [column.name for column in table.columns]
    lines = {str(row[0]): dict(zip(heads, row, strict=True)) for row in table.rows}
    assert lines["glpk"]["answers: contradicted"] == 2
    assert lines["glpk"]["PAR10"] == 600.0
    assert lines["highs"]["answers: contradicted"] == 0
    assert len(tables["contradicted"].rows) == 2


@pytest.mark.slow
def test_an_upgrade_that_errs_is_noticed(of_highs: list[Row]) -> None:
    now = of_highs
    same = upgrade("highs", of_highs, now, corpus())
    assert not same.newly_contradicted
    assert not list(same.moved())
    ratio = same.ratio()
    assert ratio is not None
    assert ratio.mean == pytest.approx(1)
    worse = [row | {"bound": 8.0, "key": "x" + row["key"]} for row in now]
    found = upgrade("highs", of_highs, worse, corpus())
    assert any("claims the bound 8" in said for said in found.newly_contradicted)
    slow = [
        row | {"solution_status": "nothing", "status": "unknown", "valid": False} for row in now
    ]
    moved = upgrade("highs", of_highs, slow, corpus()).moved()
    assert any("in no order now" in said for said in moved)


def test_every_engine_is_installed_and_named_once() -> None:
    names = [one.name for one in engines()]
    assert len(set(names)) == len(names)
    assert all(isinstance(one, Engine) and find_solver(one.solver).installed for one in engines())


def test_runs_are_rows_that_statistics_take(of_highs: list[Row]) -> None:
    plain = EngineRuns(tuple(of_highs), corpus()).plain(of_highs)
    assert {row["status"] for row in plain} == {"optimal"}
    values = {row["instance"]: row["objective"] for row in plain}
    point = solve(build(recipe_of(NAME))).point
    assert point is not None
    program = build(recipe_of(NAME))
    exact = priced(program, {int(j): Fraction(float(point[j])) for j in np.flatnonzero(point)})
    assert values[NAME] == float(exact.value)
