"""`ringyard bench`: files in, audited tables and a site out, and what can go wrong."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from campaigns.runs_at_hand import Here

from ringyard.campaigns.perform import perform
from ringyard.campaigns.perform_program import perform_program
from ringyard.campaigns.store import Store
from ringyard.cli import bench
from ringyard.engines.engine import read_engines
from ringyard.engines.program_run import run_of
from ringyard.engines.programs import find_programs
from ringyard.formulations.exact import holds
from ringyard.formulations.solver_interface import call, solve
from ringyard.formulations.solver_interface.child import attempt
from ringyard.formulations.solver_interface.solve import find_solver
from ringyard.formulations.wrong import point_on_file, program_of_found, read_found

Ringyard = Callable[..., Any]

APART = call.run_apart

MPS = """NAME tiny
ROWS
 N obj
 G enough
COLUMNS
 M1 'MARKER' 'INTORG'
 x obj 1 enough 1
 y obj 3 enough 2
 M2 'MARKER' 'INTEND'
RHS
 RHS enough 7
BOUNDS
 UP B x 9
 UP B y 9
ENDATA
"""
"""x + 2 y >= 7 at the cost x + 3 y: seven units of x."""

LP = """Minimize
 obj: x + 3 y
Subject To
 enough: x + 2 y >= 7
Bounds
 0 <= x <= 9
 0 <= y <= 9
End
"""

CBF = """VER
3

OBJSENSE
MIN

VAR
2 1
F 2

CON
5 1
L+ 5

OBJACOORD
2
0 1
1 3

ACOORD
6
0 0 1
0 1 2
1 0 1
2 1 1
3 0 -1
4 1 -1

BCOORD
3
0 -7
3 9
4 9
"""

OWN = """
from scipy.optimize import Bounds, LinearConstraint, milp

from ringyard.formulations.adapters.solver import Solver, claim
from ringyard.instances import SolutionStatus


def run(program, caps, start, report):
    rows = LinearConstraint(program.a, program.row_lower, program.row_upper)
    bounds = Bounds(program.lower, program.upper)
    found = milp(program.cost, integrality=program.integer, bounds=bounds, constraints=rows)
    return claim(SolutionStatus.OPTIMAL, point=found.x, bound=found.fun)


MILP = Solver(name="milp", module="scipy", install="scipy", can=("lp", "milp", "ip"), run=run)
"""

LIARS = """
import os
import time

import numpy as np

from ringyard.formulations.adapters.solver import Solver, claim
from ringyard.formulations.solver_interface.solve import solve
from ringyard.instances import SolutionStatus, TerminationReason


def nothing(program, caps, start, report):
    return claim(SolutionStatus.INFEASIBLE)


def optimum(program, caps, start, report):
    return claim(SolutionStatus.OPTIMAL, point=program.upper)


def bound(program, caps, start, report):
    return claim(TerminationReason.TIME_LIMIT, point=solve(program).point, bound=7.5)


def point(program, caps, start, report):
    return claim(SolutionStatus.OPTIMAL, point=np.zeros(len(program.columns)), bound=0.0)


def endless(program, caps, start, report):
    return claim(SolutionStatus.UNBOUNDED)


def honest(program, caps, start, report):
    return solve(program)


def nonsense(program, caps, start, report):
    print("not an answer")
    return 7


def crash(program, caps, start, report):
    os.abort()


def hang(program, caps, start, report):
    while True:
        time.sleep(60)


def of(run):
    return Solver(name="liar", module="numpy", install="numpy", can=("milp", "ip"), run=run)


NOTHING, OPTIMUM, BOUND, POINT, ENDLESS = map(of, (nothing, optimum, bound, point, endless))
HONEST, NONSENSE, CRASH, HANG = map(of, (honest, nonsense, crash, hang))
"""

ONCE = """
from pathlib import Path

from ringyard.formulations.adapters.solver import Solver, claim
from ringyard.formulations.solver_interface.solve import solve
from ringyard.instances import SolutionStatus


def run(program, caps, start, report):
    lied = Path(__file__).with_suffix(".lied")
    if lied.exists():
        return solve(program)
    lied.touch()
    return claim(SolutionStatus.INFEASIBLE)


LIAR = Solver(name="liar", module="numpy", install="numpy", can=("milp", "ip"), run=run)
"""


@pytest.fixture(name="folder")
def some_programs(tmp_path: Path) -> Path:
    """Return a folder with one program in a file."""
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "tiny.mps").write_text(MPS)
    return folder


@pytest.fixture(autouse=True)
def at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do tasks, and call engines, in this process: each task once."""
    monkeypatch.setattr(call, "run_apart", attempt)
    done: dict[str, dict[str, Any]] = {}

    def does(task: dict[str, Any]) -> dict[str, Any]:
        if task["key"] not in done:
            found = perform(json.loads(json.dumps(task)))
            if found["columns"]["status"] == "changed":
                return found
            done[task["key"]] = found
        return json.loads(json.dumps(done[task["key"]]))  # type: ignore[no-any-return]

    @contextmanager
    def executor(*_: Any) -> Iterator[Here]:
        yield Here(does)

    monkeypatch.setattr(bench, "executor", executor)


def text_of(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder that do not depend on when they were made."""
    return {
        path.name: path.read_bytes() for path in folder.iterdir() if path.suffix in (".csv", ".md")
    }


def test_four_formats_and_a_solver_of_ones_own(
    ringyard: Ringyard, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call, "run_apart", APART)
    ringyard(
        *("export", "hand-contend", "--formulation", "nonconvex", "--horizon", 7),
        *("--out", folder / "curved.nl"),
    )
    (folder / "plain.lp").write_text(LP)
    (folder / "cones.cbf").write_text(CBF)
    (tmp_path / "mine.py").write_text(OWN)
    solvers = f"highs,scip,cvxpy-clarabel,{tmp_path / 'mine.py'}:MILP"
    words = ("bench", folder, "--solvers", solvers, "--time-limit", 60, "--out", tmp_path / "out")
    found = ringyard(*words, "--json")
    assert found.code == 0, found.err
    runs = found.json["runs"]
    assert {run["outcome"] for run in runs} == {"solved"}
    values = {(run["instance"], round(run["objective"], 6)) for run in runs}
    assert values == {("tiny", 7), ("plain", 7), ("cones", 7), ("curved", 7)}
    asked = {(run["instance"], run["method"]) for run in runs}
    assert {("tiny", "mine.py:MILP"), ("plain", "mine.py:MILP"), ("curved", "scip")} <= asked
    assert "highs is not asked about non-convex programs: 1" in found.err
    page = (tmp_path / "out/site/programs/tiny.html").read_text()
    assert "mine.py:MILP" in page
    assert "7, highs" in page


def test_every_lie_is_contradicted(ringyard: Ringyard, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "liars.py").write_text(LIARS)
    names = ("NOTHING", "OPTIMUM", "BOUND", "POINT", "ENDLESS", "HONEST")
    solvers = ",".join(f"{tmp_path / 'liars.py'}:{name}" for name in names)
    words = ("bench", folder, "--solvers", solvers, "--time-limit", 60, "--out", tmp_path / "out")
    found = ringyard(*words, "--json")
    assert found.code == 0
    outcomes = {run["method"].rpartition(":")[2]: run["outcome"] for run in found.json["runs"]}
    assert outcomes.pop("HONEST") == "solved"
    assert outcomes == dict.fromkeys(names[:-1], "contradicted")
    assert any(one.startswith("5 answers are contradicted") for one in found.json["statements"])


def test_every_lie_that_comes_again_is_confirmed_by_a_small_program(
    ringyard: Ringyard, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "liars.py").write_text(LIARS)
    names = ("NOTHING", "OPTIMUM", "BOUND", "POINT", "ENDLESS", "HONEST")
    solvers = ",".join(f"{tmp_path / 'liars.py'}:{name}" for name in names)
    out = tmp_path / "out"
    words = ("bench", folder, "--solvers", solvers, "--time-limit", 60, "--out", out, "--confirm")
    found = ringyard(*words, "--json")
    assert found.code == 1
    outcomes = {one["engine"].rpartition(":")[2]: one for one in found.json["confirmations"]}
    assert {one["outcome"] for one in outcomes.values()} == {"confirmed"}
    assert outcomes.keys() == {*names} - {"HONEST"}
    for name, kind in zip(
        names, ("infeasible", "optimum", "bound", "point", "unbounded"), strict=False
    ):
        record = read_found(out / "found" / f"{outcomes[name]['file']}.json")
        assert (record.kind, record.solver) == (kind, f"{tmp_path / 'liars.py'}:{name}")
        program = program_of_found(out / "found" / f"{outcomes[name]['file']}.json")
        assert len(program.columns) <= 2
        point = point_on_file(record, program)
        assert point is None or holds(program, point)
    (said,) = (one for one in found.json["statements"] if "contradicted" in one)
    assert said.endswith(f"a small program in {out / 'found'} confirms 5 of them")
    table = (out / "tables/contradicted.csv").read_text()
    assert table.count("confirmed") >= 5
    assert "asked again: confirmed" in (out / "site/index.html").read_text()
    assert "bench: 5 answers to ask again, at most 5 hours" in found.err
    assert "bench: 5 of 5: tiny, liars.py:ENDLESS, order 0: confirmed" in found.err


def test_a_solver_that_lied_once_is_not_confirmed(
    ringyard: Ringyard, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "once.py").write_text(ONCE)
    (folder / "tiny.sol").write_text("x 7\n")
    out = tmp_path / "out"
    words = ("bench", folder, "--solvers", f"{tmp_path / 'once.py'}:LIAR", "--time-limit", 60)
    found = ringyard(*words, "--out", out, "--confirm", "--json")
    assert found.code == 0
    (one,) = found.json["confirmations"]
    assert one["outcome"] == "not seen again"
    assert not (out / "found").exists()


def test_of_cones_no_small_program_is_made(
    ringyard: Ringyard, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No row has a second bound here, so that the answer is contradicted by hand."""
    (folder / "tiny.mps").unlink()
    (folder / "cones.cbf").write_text(CBF)
    monkeypatch.setattr("ringyard.engines.confirm.contradiction", lambda row, known: "by hand")
    words = ("bench", folder, "--solvers", "cvxpy-clarabel", "--time-limit", 60, "--confirm")
    found = ringyard(*words, "--out", tmp_path / "out", "--json")
    assert found.code == 0
    (one,) = found.json["confirmations"]
    assert one["outcome"] == "not asked"
    assert one["note"] == "contradicted, no small program can be made of this class"


def test_a_missing_second_solver_is_named_before_anything_runs(
    ringyard: Ringyard, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = replace(find_solver("scip"), lacks=lambda: "is not installed, try: pip install it")
    others = tuple(one for one in solve.SOLVERS if one.name != "scip")
    monkeypatch.setattr(solve, "SOLVERS", (*others, lost))
    words = ("bench", folder, "--solvers", "highs", "--out", tmp_path / "out", "--confirm")
    found = ringyard(*words)
    assert found.code == 2
    assert "a second solver supplies points: scip is not installed, try: pip" in found.err
    assert not (tmp_path / "out").exists()


def test_an_engine_that_fails_costs_its_own_run(
    ringyard: Ringyard, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call, "run_apart", APART)
    (tmp_path / "liars.py").write_text(LIARS)
    names = ("NONSENSE", "CRASH", "HANG")
    solvers = ",".join(f"{tmp_path / 'liars.py'}:{name}" for name in names)
    words = ("bench", folder, "--solvers", solvers, "--time-limit", 0.2, "--out", tmp_path / "out")
    found = ringyard(*words, "--json")
    outcomes = {run["method"].rpartition(":")[2]: run["outcome"] for run in found.json["runs"]}
    assert outcomes == {"NONSENSE": "failed", "CRASH": "failed", "HANG": "nothing"}
    notes = " ".join(run["note"] for run in found.json["runs"])
    assert "it gave a int, no Solution" in notes
    assert "SIGABRT" in notes
    assert "did not heed its time limit" in notes


def test_a_stopped_bench_goes_on_to_the_same_tables(
    ringyard: Ringyard, folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    words = ("bench", folder, "--solvers", "highs,scip", "--seeds", 2, "--time-limit", 60)
    assert ringyard(*words, "--out", out).code == 0
    (journal,) = (out / "journal").glob("*.jsonl")
    lines, tables = journal.read_bytes().splitlines(keepends=True), text_of(out / "tables")
    assert len(lines) == 4
    assert len(tables) > 5
    for count in range(len(lines)):
        again = tmp_path / f"again-{count}"
        (again / "journal").mkdir(parents=True)
        kept = b"".join(lines[:count]) + lines[count][:100]
        (again / "journal" / journal.name).write_bytes(kept)
        assert ringyard(*words, "--out", again).code == 0
        assert len(Store(again)) == 4
        assert text_of(again / "tables") == tables


def test_two_files_of_one_name_are_two_engines(
    ringyard: Ringyard, folder: Path, tmp_path: Path
) -> None:
    """One of them lies. Both say that they call HiGHS, so that they are one code with it."""
    coded = OWN.replace('install="scipy"', 'install="scipy", code="HiGHS"')
    for place, text in (("a", coded), ("b", coded.replace("found.fun", "found.fun + 2"))):
        (tmp_path / place).mkdir()
        (tmp_path / place / "mine.py").write_text(text)
    names = [f"{tmp_path / place / 'mine.py'}:MILP" for place in "aab"]
    words = ("--solvers", ",".join(["highs", *names]), "--time-limit", 60, "--json")
    found = ringyard("bench", folder, *words, "--out", tmp_path / "out")
    outcomes = {run["method"]: run["outcome"] for run in found.json["runs"]}
    assert outcomes == {
        "highs": "solved",
        "a/mine.py:MILP": "solved",
        "b/mine.py:MILP": "contradicted",
    }
    assert {run["solver_code"] for run in found.json["runs"]} == {None, "HiGHS"}
    assert "3 engines of 1 code" in found.json["statements"][0]
    (alone,) = read_engines(names[0])
    assert alone.name == "mine.py:MILP"


def test_only_what_changed_is_run_again(ringyard: Ringyard, folder: Path, tmp_path: Path) -> None:
    (folder / "other.mps").write_text(MPS.replace("enough 7", "enough 5"))
    words = ("bench", folder, "--solvers", "highs", "--time-limit", 60, "--out", tmp_path / "out")
    assert ringyard(*words).code == 0
    before = {row["key"] for row in Store(tmp_path / "out").rows()}
    (folder / "tiny.mps").write_text(MPS.replace("enough 7", "enough 8"))
    found = ringyard(*words, "--json")
    now = {run["key"]: run["objective"] for run in found.json["runs"]}
    assert sorted(now.values()) == [5, 8]
    assert len(now.keys() - before) == 1
    assert "1 row of other limits, files or solvers left out" in found.err


def test_a_file_edited_under_way_is_no_row(folder: Path) -> None:
    chosen = find_programs([str(folder)])
    (engine,) = read_engines("highs")
    run = run_of(engine, chosen.entries["tiny"], 0, 60.0, file=str(chosen.files["tiny"]))
    task = json.loads(json.dumps(run.task()))
    (folder / "tiny.mps").write_text(MPS.replace("enough 7", "enough 6"))
    task["content"] = "other" + task["content"][5:]
    assert perform_program(task)["columns"]["status"] == "changed"
    (folder / "tiny.mps").unlink()
    assert perform_program(task | {"content": "gone"})["columns"]["status"] == "changed"


def test_a_machine_that_lacks_what_a_run_needs_writes_no_row(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(OWN)
    chosen = find_programs([str(folder)])
    (engine,) = read_engines(f"{tmp_path / 'mine.py'}:MILP")
    run = run_of(engine, chosen.entries["tiny"], 0, 60.0, file=str(chosen.files["tiny"]))
    task = json.loads(json.dumps(run.task()))

    def said(**others: Any) -> str:
        columns = perform_program(task | others)["columns"]
        return "" if columns["status"] != "changed" else str(columns["note"])

    assert said() == ""
    assert "Every machine needs it at this path" in said(file="/nowhere/tiny.mps")
    assert "Every machine needs it at this path" in said(solver="/nowhere/mine.py:MILP")
    assert "not 0.1. Every machine needs the same version" in said(solver_version="0.1")
    assert "nobodys" in said(solver="nobodys", source="")
    (tmp_path / "mine.py").write_text(OWN.replace("found.fun", "found.fun - 1"))
    assert "was edited" in said()


def test_names_reach_no_page_as_markup(ringyard: Ringyard, folder: Path, tmp_path: Path) -> None:
    evil = "<script>alert(1)<"
    (folder / "tiny.mps").rename(folder / f"{evil}.mps")
    words = ("bench", folder, "--solvers", "highs", "--time-limit", 60, "--out", tmp_path / "out")
    assert ringyard(*words).code == 0
    pages = list((tmp_path / "out/site").rglob("*.html"))
    assert len(pages) == 3
    for page in pages:
        assert evil not in page.read_text()
        assert re.fullmatch(r"[A-Za-z0-9_.+-]+", page.name)


def test_points_and_statements_beside_files(
    ringyard: Ringyard, folder: Path, tmp_path: Path
) -> None:
    (folder / "tiny.sol").write_text("x 7\ny 0\n")
    (folder / "all.solu").write_text("=opt= tiny 6\n")
    (tmp_path / "liars.py").write_text(LIARS)
    solvers = f"{tmp_path / 'liars.py'}:NOTHING"
    words = ("bench", folder, "--solvers", solvers, "--time-limit", 60, "--out", tmp_path / "out")
    (run,) = ringyard(*words, "--json").json["runs"]
    # Beside the point of the file, not beside the statement.
    assert run["outcome"] == "contradicted"
    assert "opt 6, stated by all.solu" in (tmp_path / "out/tables/programs.md").read_text()
    (folder / "tiny.sol").write_text("x 6\ny 0\n")
    (run,) = ringyard(*words, "--json").json["runs"]
    assert run["outcome"] == "solved"


def test_a_plan_runs_nothing(ringyard: Ringyard, folder: Path, tmp_path: Path) -> None:
    words = ("bench", folder, "--solvers", "highs,scip", "--seeds", 3, "--out", tmp_path / "out")
    found = ringyard(*words, "--plan")
    assert found.out == "6 runs, at most 6 hours, one after the other\n"
    more = ringyard(*words, "--plan", "--confirm", "--time-limit", 60)
    # 33 times the solver and 10 times the second one, 5 minutes of shrinking, a last test of both
    # with 2 minutes each, and 4 tests of the small program with a minute for each of both.
    minutes = 33 + 10 + 5 + 2 * 2 + 4 * 2
    hours = f"{minutes / 60:.2g} hours for each contradicted answer, {6 * minutes / 60:.2g} hours"
    assert more.out.splitlines()[1] == f"--confirm: at most {hours} if all are"
    found = ringyard(*words, "--plan", "--confirm", "--time-limit", 60, "--json")
    assert found.json["confirm_hours"] == pytest.approx(6 * minutes / 60)
    assert not (tmp_path / "out").exists()


def test_a_file_that_cannot_be_read_is_left_out(
    ringyard: Ringyard, folder: Path, tmp_path: Path
) -> None:
    (folder / "broken.mps").write_text("NAME x\nROWS\n Q what\n")
    words = ("bench", folder, "--solvers", "highs", "--time-limit", 60, "--out", tmp_path / "out")
    found = ringyard(*words)
    assert found.code == 0
    assert "left out: " in found.out
    assert "broken.mps" in found.err
    (folder / "tiny.mps").unlink()
    assert ringyard(*words).code == 2


def test_changes_since_the_kept_runs(ringyard: Ringyard, tmp_path: Path) -> None:
    words = ("bench", "hand-area.linearised.*", "--solvers", "glpk", "--seeds", 1)
    found = ringyard(*words, "--against", "kept", "--out", tmp_path, "--json")
    assert found.code == 0
    (change,) = found.json["changes"]
    before, now = change["ends"]
    assert before["runs"] == now["runs"] == now["solved"] == 1
    assert change["newly_contradicted"] == change["moved"] == []
    assert found.json["runs"][0]["time_limit"] == 5.0
    again = ringyard(*words, "--against", tmp_path, "--out", tmp_path)
    assert again.code == 0
    assert "no answer is newly contradicted" in again.out


def test_an_answer_that_is_newly_contradicted_is_an_exit_code(
    ringyard: Ringyard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lied(solver: str, before: Any, now: list[dict[str, Any]], programs: Any) -> Any:
        wrong = [row | {"bound": row["objective"] + 1, "key": "other"} for row in now]
        return real(solver, before, wrong, programs)

    real = bench.upgrade
    monkeypatch.setattr(bench, "upgrade", lied)
    words = ("bench", "hand-area.linearised.*", "--solvers", "glpk", "--seeds", 1)
    found = ringyard(*words, "--against", "kept", "--out", tmp_path)
    assert found.code == 1
    assert "newly CONTRADICTED: hand-area.linearised.h6, order 0: claims the bound" in found.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "expected program files, folders, or names of the corpus"),
        (("nothing-like-it.mps",), "a file or folder of programs, or a name"),
        (("hand-area.linearised.h7",), "Did you mean"),
        (("empty",), "files that end in .mps, .lp, .nl, .cbf"),
        (("programs", "--solvers", "highz"), "Did you mean"),
        (("programs", "--solvers", ""), "at least one solver"),
        (("programs", "--solvers", "highs:time_limit=3"), "--time-limit"),
        (("programs", "--solvers", "highs:threads=0"), "a number of threads"),
        (("programs", "--solvers", "glop"), "a solver for programs in bounded integers"),
        (("programs", "--class", "LP"), "a class of these programs: ip"),
        (("programs", "--seeds", 0), "--seeds"),
        (("programs", "twins"), "Rename the file"),
        (("programs", "--solvers", "absent.py:X"), "absent.py"),
        (("list.txt",), "a file of a program, relative to the list"),
        (("programs", "--against", "empty"), "the folder of a campaign"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    ringyard: Ringyard,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[Any, ...],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "twins").mkdir()
    (tmp_path / "twins/tiny.lp").write_text(LP)
    (tmp_path / "list.txt").write_text("# mine\nprograms/tiny.mps\nprograms/absent.mps\n")
    more = () if "--solvers" in words else ("--solvers", "highs")
    found = ringyard("bench", *words, *more)
    assert found.code == 2
    assert said in " ".join(found.err.split())
    assert not (tmp_path / "out").exists()
