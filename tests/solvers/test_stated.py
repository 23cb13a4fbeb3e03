"""The stated settings of solvers are those that the solvers have in a run."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from solvers import faults

from ringyard.cli import main
from ringyard.formulations.adapters import cbc, conic, conic_programs
from ringyard.formulations.adapters.solver import Solver
from ringyard.formulations.program import Caps
from ringyard.formulations.solver_interface.solve import SOLVERS, find_solver, solve
from ringyard.formulations.stated import HEADS, ours, shown
from ringyard.testing.programs import TINY, relaxed

ASKED = [one for one in SOLVERS if one.asked is not None and one.installed]


@pytest.mark.parametrize("solver", ASKED, ids=lambda one: one.name)
def test_a_solver_gives_back_what_is_stated(solver: Solver) -> None:
    assert solver.asked is not None
    options = [one for one in solver.stated.values() if one.option]
    assert options
    told = {one.option: shown(solver.asked(Caps(), one.option)) for one in options}
    assert told == {one.option: one.shown for one in options}


def test_the_seed_the_threads_and_the_gap_of_a_run_reach_the_solver() -> None:
    caps = Caps(seed=7, threads=2, gap=0.125)
    reached = {"seed": "7", "threads": "2", "relative gap": "0.125"}
    for solver in ASKED:
        if solver.name.startswith("cvxpy-"):
            continue  # CVXPY passes on none of them.
        for head in reached.keys() & solver.stated.keys():
            one = solver.stated[head]
            if one.ours and not (solver.name == "pdlp" and head == "relative gap"):
                assert solver.asked is not None
                assert shown(solver.asked(caps, one.option)) == reached[head], (solver.name, head)


def test_every_solver_states_its_settings_under_known_heads() -> None:
    for solver in SOLVERS:
        assert solver.stated, solver.name
        assert set(solver.stated) <= set(HEADS), solver.name
        # A value that Ringyard sets is known.
        assert all(one.value is not None for one in solver.stated.values() if one.ours)


def test_no_integer_program_is_solved_to_a_gap_only() -> None:
    for solver in SOLVERS:
        if "milp" in solver.can:
            assert solver.stated["relative gap"] == ours(solver.stated["relative gap"].option, 0)
            assert float(solver.stated["absolute gap or increment"].value or 0) <= 1e-7


def test_options_of_cvxpy_are_those_stated() -> None:
    for engine, stated in conic.STATED.items():
        for one in stated.values():
            if one.ours:
                assert conic.OPTIONS[engine][one.option] == one.value, (engine, one.option)
    assert conic.OPTIONS["scs"]["eps_infeas"] == conic_programs.FINE["scs"]["eps_infeas"] == 1e-9


def test_cbc_is_called_with_its_stated_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, told = tmp_path / "cbc", tmp_path / "told"
    faults.write_program(program, f"import sys\nopen({str(told)!r}, 'w').write(repr(sys.argv))\n")
    monkeypatch.setattr(cbc, "_program", lambda: str(program))
    monkeypatch.setattr(type(find_solver("cbc")), "missing", None)
    solve(TINY, "cbc")
    words = told.read_text().strip("[]").replace("'", "").split(", ")
    for one in find_solver("cbc").stated.values():
        if one.ours:
            given = float(words[words.index(f"-{one.option}") + 1])
            assert shown(given) == one.shown, one.option
    solve(relaxed(TINY), "cbc")
    assert "increment" not in told.read_text()


def test_the_list_shows_what_the_solver_says(capsys: pytest.CaptureFixture[str]) -> None:
    """A version with another default is shown as it is, and a solver that fails as stated."""
    other = replace(find_solver("highs"), asked=lambda caps, name: f"now {name}")
    assert {one.value for one in other.settings().values()} == {
        f"now {one.option}" for one in other.stated.values()
    }

    def fails(caps: Caps, name: str) -> str:
        raise RuntimeError("no licence")

    assert replace(other, asked=fails).settings() == other.stated
    assert main(["list", "solvers", "highs", "--settings", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["solvers"]
    assert [row["setting"] for row in rows] == list(other.stated)
    assert {row["option"]: row["value"] for row in rows}["mip_abs_gap"] == "0"


def test_only_solvers_have_settings(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "methods", "--settings"]) == 2
    assert "--settings: found 'methods', expected solvers" in capsys.readouterr().err
