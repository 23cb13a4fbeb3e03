"""`bound --by PROGRAM:SOLVER`: the relaxation of one program, which never certifies."""

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from extensions.test_own_programs import LINEARISED

import ringyard
from ringyard.cli import main
from ringyard.families import FAMILIES
from ringyard.formulations.named import find_program
from ringyard.formulations.root_bound import root_bound
from ringyard.instances import Limits, RefusedError
from ringyard.methods import find_method


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mytix.py").write_text(LINEARISED)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def bounds(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["bound", *words, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_it_is_shown_beside_the_bounds_and_is_never_the_first(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Configurations of both jobs of hand-contend slow each other, so `columns` proves 7."""
    names = ["linearised", "columns:highs", "mytix.py:TIX:highs:presolve=off", "disjunctive-hull"]
    found = bounds(capsys, "hand-contend", *(word for name in names for word in ("--by", name)))
    rows = found["programs"]
    assert found["bound"] == 5
    assert [row["bound"] for row in rows] == [5, 7, 5, 2]
    assert [row["bound_kind"] for row in rows] == [
        "dual",
        "dual",
        "external, not certified",
        "dual",
    ]
    assert {row["horizon"] for row in rows} == {7}
    first = rows[0]
    assert (first["program"], first["solver"]) == ("linearised", "highs")
    assert first["value"] <= first["bound"]
    assert first["rows"] > 0 < first["columns"] <= first["nonzeros"]
    assert main(["bound", "hand-contend", "--by", "columns"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("hand-contend: makespan at least 5 slots\n")
    assert re.search(r" 7  dual, columns:highs: linear relaxation with horizon 7, duals", out)


def test_a_solver_without_duals_only_claims(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (row,) = bounds(capsys, "hand-contend", "--by", "linearised:scip")["programs"]
    assert (row["bound_kind"], row["bound"]) == ("solver", 5)
    assert "as scip claims without duals" in row["argument"]


def test_a_horizon_limits_a_bound(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No schedule ends by slot 6, so a program with that horizon shows 7 at most."""
    (row,) = bounds(capsys, "hand-contend", "--by", "columns", "--horizon", "20")["programs"]
    assert (row["horizon"], row["bound"]) == (20, 7)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("hand-contend --by nonconvex", "nonconvex is not linear, and only linear programs are"),
        ("hand-contend --by linearised:higs", "Did you mean 'highs'?"),
        ("hand-contend --by linearised:highs:foo=1", "option: found 'foo'"),
        ("hand-contend --by linearised --horizon 4", "give a later slot with --horizon"),
        ("hand-contend --by linearised --horizon 0", "--horizon: found 0"),
        ("hand-contend --horizon 4", "expected a program to relax. Add --by PROGRAM:SOLVER"),
        ("hand-contend --by mytix.py:NUMBER", "NUMBER: found an int, expected a function"),
        ("hand-contend --by linearised-hull", "expected a bound of another package"),
        ("hand-contend --by mytix.py:TX", "TX: found 'TX', expected a function in it"),
        ("hand-online-wait --by oasis", "oasis is no relaxation of hand-online-wait"),
        ("hand-online-wait --by linearised", "linearised states 'makespan' instances"),
        ("hand-online-wait --by offline --horizon 3", "the horizon is part of the instance"),
        ("tiny-trace-03x1 --by tickwise --horizon 2", "give no earlier --horizon"),
    ],
)
def test_what_has_no_such_bound_is_said(
    folder: Path, capsys: pytest.CaptureFixture[str], words: str, told: str
) -> None:
    assert main(["bound", *words.split()]) == 2
    error = capsys.readouterr().err
    assert told in error
    assert "Traceback" not in error


def _against_optima(draws: range) -> None:
    """Compare the relaxation of each own program with optima of searches without a solver."""
    for family, exact in (("makespan", "branch-and-bound"), ("trace", "state-search")):
        home = FAMILIES[family]
        for index in draws:
            assert home.drawn is not None
            instance = home.drawn(7, index)
            if find_method(exact, family).refuses(instance):
                continue
            answer = ringyard.solve(instance, exact, time_limit=20)
            best = answer.objective if answer.valid else None
            for program in home.programs if best is not None else ():
                found = find_program(program.name)
                assert found is not None
                try:
                    bound = root_bound(instance, *found, Limits(time_s=20.0)).bound
                except RefusedError:
                    continue
                assert best is not None
                assert bound.value <= best, (instance.name, program.name)
                assert isinstance(bound.value, Fraction)


@pytest.mark.slow
def test_no_relaxation_of_ours_exceeds_an_optimum() -> None:
    _against_optima(range(2))


@pytest.mark.slow
def test_no_relaxation_of_ours_exceeds_any_of_more_optima() -> None:
    _against_optima(range(2, 8))
