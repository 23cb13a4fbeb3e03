"""Contradicted answers that are asked for again: what is confirmed, and what is not."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from little import few
from solvers import faults

from ringyard.analysis.rows import VERSION, Row, whole_row
from ringyard.campaigns.journal import Writer
from ringyard.campaigns.store import prepared
from ringyard.engines import confirm
from ringyard.engines.compared import EngineRuns
from ringyard.engines.confirm import Confirmation, confirmed, confirmed_by, headline
from ringyard.engines.program_run import case_digest
from ringyard.engines.programs import Selection
from ringyard.engines.tables import contradicted_table
from ringyard.engines.verdicts import contradiction, known_optima
from ringyard.formulations.adapters.solver import Solver
from ringyard.formulations.corpus.build import build
from ringyard.formulations.corpus.index import best_point, corpus
from ringyard.formulations.files.sol import sol_lines
from ringyard.formulations.program import Caps, Matrix, Program, Solution
from ringyard.formulations.solver_interface import call, solve
from ringyard.formulations.solver_interface.child import attempt
from ringyard.formulations.wrong import (
    SECOND,
    Suspect,
    doubted,
    point_on_file,
    program_of_found,
    read_found,
    refuted,
)
from ringyard.instances import MissingError, SolutionStatus, TerminationReason

NAME = "hand-contend.linearised.h7"
CONES = next(name for name, one in corpus().items() if one.kind == "conic" and one.value)
LIMIT_S = 5.0

Lie = Callable[[Caps], bool]


def row(**others: Any) -> Row:
    """Return a row of an engine that called a feasible program infeasible."""
    known = {
        "key": "k",
        "instance": NAME,
        "method": "fault",
        "solver": "fault",
        "solver_version": "0.1",
        "options": "",
        "seed": 0,
        "threads": 1,
        "time_limit": LIMIT_S,
        "solution_status": "infeasible",
        "valid": False,
        "objective": None,
        "bound": None,
        "seconds": 0.1,
        "rejection": None,
    }
    return {**known, **others}


def says(lies: Lie, program: Program, caps: Caps, *rest: Any) -> Solution:
    """Call a program with two rows infeasible if it is to lie, else solve it."""
    assert isinstance(program, Matrix)
    if lies(caps) and len(program.rows) >= 2:
        return Solution(termination=TerminationReason.DONE, status=SolutionStatus.INFEASIBLE)
    return solve.find_solver("highs").run(program, caps, *rest)


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., list[Confirmation]]:
    """Return a function that confirms rows of an engine that lies at times."""

    def ask(lies: Lie, *rows: Row) -> list[Confirmation]:
        fault = faults.solver(partial(says, lies))
        others = tuple(one for one in solve.SOLVERS if one.name != "fault")
        monkeypatch.setattr(solve, "SOLVERS", (*others, fault))
        return confirmed(rows or (row(),), Selection(corpus()), tmp_path, lambda text: None)

    monkeypatch.setattr(call, "run_apart", attempt)
    return ask


def files(folder: Path) -> list[Path]:
    return sorted((folder / "found").glob("*.json"))


Ask = Callable[..., list[Confirmation]]


def test_an_engine_that_always_lies_is_confirmed_and_its_program_is_small(
    ask: Ask, tmp_path: Path
) -> None:
    (one,) = ask(lambda caps: True)
    assert (one.outcome, one.version) == ("confirmed", "0.1")
    assert one.asked == solve.find_solver("fault").version != one.version
    (file,) = files(tmp_path)
    found, program = read_found(file), program_of_found(file)
    assert file.stem == one.file
    assert (found.kind, found.program, found.version) == ("infeasible", NAME, one.asked)
    assert len(program.rows) == 2
    assert len(program.columns) < corpus()[NAME].columns
    point = point_on_file(found, program)
    assert point is not None
    claim = Solution(termination=TerminationReason.DONE, status=SolutionStatus.INFEASIBLE)
    assert refuted(program, claim, point) is not None
    assert NAME in file.with_suffix(".md").read_text(encoding="utf-8")


@pytest.mark.parametrize("first", few(1, range(3)))
def test_an_engine_that_lies_one_time_in_three_is_confirmed_or_not_seen_again(
    first: int, ask: Ask, tmp_path: Path
) -> None:
    asked = iter(range(first, 10**6))
    (one,) = ask(lambda caps: next(asked) % 3 == 0)
    assert one.outcome in ("confirmed", "not seen again")
    assert (one.outcome == "confirmed") == bool(one.file) == bool(files(tmp_path))


def test_an_engine_that_lied_once_is_not_seen_again(ask: Ask, tmp_path: Path) -> None:
    limits = list[float | None]()
    (one,) = ask(lambda caps: limits.append(caps.time_s) is not None)
    assert one.outcome == "not seen again"
    assert limits == [10 * LIMIT_S] * 3 + [LIMIT_S] * 3
    assert not files(tmp_path)


def test_an_engine_that_is_honest_with_more_time_lies_only_under_a_limit(
    ask: Ask, tmp_path: Path
) -> None:
    (one,) = ask(lambda caps: (caps.time_s or 0.0) <= LIMIT_S)
    assert one.outcome == "only under a limit"
    assert not files(tmp_path)


def test_without_a_point_in_fractions_nothing_is_shown(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confirm, "exact_point", lambda program, point: None)
    monkeypatch.setattr("ringyard.formulations.wrong.exact_point", lambda program, point: None)
    (one,) = ask(lambda caps: True)
    assert (one.outcome, one.note) == ("not shown", "claims infeasibility, but 7 is possible")
    assert not files(tmp_path)


@pytest.mark.parametrize("kept", [True, False])
def test_a_point_that_the_benchmark_kept_refutes(
    kept: bool, ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No second solver has a point, and none is on record."""
    stored = best_point(NAME)
    assert stored is not None
    columns = build(corpus()[NAME].recipe).columns
    values = {columns[j]: value for j, value in stored.items()}
    honest = {"status": "optimal", "solution_status": "optimal", "valid": True, "objective": 7.0}
    other = row(key="h", method="highs", **honest) | {"digest": case_digest(corpus()[NAME])}
    known = {"v": VERSION, "family": "makespan", "sense": "min", "repetition": 0, "violations": 0}
    store = prepared(tmp_path)
    Writer(tmp_path / "journal").add(whole_row({**known, **other}))
    if kept:
        store.keep_point("h", other["digest"], 7.0, "\n".join(sol_lines(values, 7.0)))
    monkeypatch.setattr(Selection, "point", lambda *_: None)
    monkeypatch.setattr(Suspect, "_by_second", lambda *_: None)
    (one,) = ask(lambda caps: True)
    assert one.outcome == ("confirmed" if kept else "not shown")


def test_of_cones_no_small_program_is_made(ask: Ask) -> None:
    (one,) = ask(lambda caps: True, row(instance=CONES))
    assert one.outcome == "not asked"
    assert one.note == "contradicted, no small program can be made of this class"


def test_a_solver_that_is_missing_is_named_with_its_command(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    scip = solve.find_solver("scip")
    monkeypatch.setattr(Solver, "missing", property(gone(scip.name)))
    with pytest.raises(MissingError, match=r"second solver.*try: pip install"):
        ask(lambda caps: True)
    monkeypatch.setattr(Solver, "missing", property(gone("fault")))
    (one,) = ask(lambda caps: True)
    assert (one.outcome, one.asked) == ("not asked", "")
    assert one.note == "fault is not installed, try: pip install "


def gone(name: str) -> Callable[[Solver], str | None]:
    """Return a property by which one solver is missing."""

    def missing(solver: Solver) -> str | None:
        return f"{name} is not installed, try: {solver.command}" if solver.name == name else None

    return missing


def test_right_answers_are_not_asked_for(ask: Ask) -> None:
    right = row(solution_status="optimal", valid=True, objective=7.0, key="r")
    assert ask(lambda caps: True, right) == []


def test_an_outcome_on_file_is_not_asked_for_again(ask: Ask, tmp_path: Path) -> None:
    limits = list[float | None]()
    first = ask(lambda caps: limits.append(caps.time_s) is not None)
    count = len(limits)
    assert ask(lambda caps: limits.append(caps.time_s) is not None) == first
    assert len(limits) == count > 0
    (line,) = (tmp_path / confirm.FILE).read_text(encoding="utf-8").splitlines()
    other = {**json.loads(line), "asked": "another"}
    (tmp_path / confirm.FILE).write_text(json.dumps(other), encoding="utf-8")
    assert ask(lambda caps: limits.append(caps.time_s) is not None) == first
    assert len(limits) == 2 * count
    assert confirm.read_confirmations(tmp_path) == first


def test_the_seed_and_the_options_of_a_run_are_in_the_record() -> None:
    words = confirm._words(row(options="presolve=off", seed=2), "highs")
    assert words == "highs:presolve=off:random_seed=2"
    assert solve.named_solver(words)[1] == (("presolve", "off"), ("random_seed", "2"))
    seeds = {"presolving/maxrounds": "0", "randomization/randomseedshift": "1"}
    words = confirm._words(row(options="presolving/maxrounds=0", seed=1), "scip")
    assert dict(solve.named_solver(words)[1]) == seeds


def test_beside_scip_another_code_supplies_points() -> None:
    for name in ("highs", "glpk", "scip", "scip-no-presolve"):
        other = doubted(solve.find_solver(name), Caps()).against.name
        assert other == ("highs" if name in SECOND else "scip")


def test_the_headline_counts_what_is_on_record(ask: Ask, tmp_path: Path) -> None:
    asked = iter(range(10**6))
    rows = [row(key=f"k{i}", instance=NAME if i else CONES) for i in range(3)]
    ask(lambda caps: next(asked) > 5, *rows)
    found = confirm.read_confirmations(tmp_path)
    shown = len([one for one in found if (tmp_path / "found" / f"{one.file}.mps").is_file()])
    assert shown == 1
    assert confirmed_by(found) == shown
    reasons = {one.key: one.said for one in found}
    table = contradicted_table(EngineRuns(tuple(rows), corpus()), reasons, found)
    again = [column.head for column in table.columns].index("asked again")
    assert sorted(str(line[again]) for line in table.rows) == sorted(one.outcome for one in found)
    known = known_optima(rows, corpus())
    assert [one.said for one in found] == [contradiction(r, known[r["instance"]]) for r in rows]


def test_the_headline_says_what_is_contradicted_and_what_is_confirmed() -> None:
    assert headline(0) == headline(0, 0, "found") == "no answer is contradicted"
    assert headline(3) == "3 answers are contradicted"
    assert headline(3, 1, "found").endswith("a small program in found confirms 1 of them")
    assert headline(3, 0, "found").endswith("no small program in found confirms any of them")
    assert headline(1, 1, "found").endswith("a small program in found confirms it")
    assert headline(1, 0, "found").startswith("1 answer is contradicted by a known point, and no")


def test_a_program_that_changed_is_not_asked_about(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its point and its optimum are those of another program."""
    monkeypatch.setattr("ringyard.engines.programs.digest_of", lambda program: "another")
    (one,) = ask(lambda caps: True)
    assert (one.outcome, one.note) == ("not asked", "the program has changed since the run")
    assert not files(tmp_path)
