"""A user's program is a method: solved, compared, run in campaigns, and never trusted too far."""

import json
import os
import signal
import sys
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from extensions.test_own_campaign import asked, journal, said
from house.test_commands import install

import ringyard
from ringyard.cli import main
from ringyard.extensions import register
from ringyard.extensions.entry_points import _Plugins
from ringyard.extensions.method import method_of
from ringyard.families import Method, Program
from ringyard.families.method import by_program
from ringyard.formulations.makespan import linearised
from ringyard.formulations.trace import tickwise
from ringyard.instances import (
    Bound,
    BoundKind,
    InputError,
    Outcome,
    RefusedError,
    SolutionStatus,
    TerminationReason,
)
from ringyard.methods import find_method

LINEARISED = """from ringyard.families import Program
from ringyard.formulations.makespan.linearised import build, read, refuses, write
from ringyard.formulations.makespan import disjunctive

ABOUT = {"about": "the linearisation", "source": "a test", "family": "makespan"}
TIX = Program(name="any", exact=True, **ABOUT)
LOOSE = Program(name="any", **ABOUT)
DISJUNCTIVE = Program(name="any", form="disjunctive", module=disjunctive, **ABOUT)
NO_FAMILY = Program(name="any", about="", source="")
NUMBER = 7
"""

PACKAGE = """[project]
name = "mytools"
version = "1"
[project.entry-points."ringyard.formulations"]
tix = "mytix:TIX"
a-loose-one = "mytix:LOOSE"
gdp = "mytix:DISJUNCTIVE"
"""

SAME = ("status", "termination", "objective", "bound", "bound_kind", "nodes", "valid", "note")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mytix.py").write_text(LINEARISED)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def installed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    install(PACKAGE, folder)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", str(folder))
    sys.modules.pop("mytix", None)
    return folder


def row(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main([*words, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize("ending", ["", ":highs:presolve=off", ":scip:limits/nodes=1000"])
def test_it_gives_the_row_of_ours_whether_installed_or_in_a_file(
    installed: Path, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    """The three are the same functions, so solver, nodes, bound and schedule are the same."""
    names = [f"{name}{ending}" for name in ("linearised", "mytix.py:TIX", "tix")]
    rows = [row(capsys, "solve", "hand-contend", "--method", name) for name in names]
    assert [one["method"] for one in rows] == names
    assert {json.dumps([one[key] for key in SAME]) for one in rows} == {
        json.dumps([rows[0][key] for key in SAME])
    }
    assert rows[0]["status"] == "optimal"


def test_a_bound_counts_only_if_the_author_calls_the_program_exact(folder: Path) -> None:
    one = ringyard.load("hand-contend")
    exact = ringyard.solve(one, "mytix.py:TIX")
    assert exact.conclusion == "optimal (claimed)"
    assert exact.bound.argument.endswith("the program mytix.py:TIX, which its author calls exact")
    loose = ringyard.solve(one, "mytix.py:LOOSE")
    assert (loose.objective, loose.conclusion, loose.bound.kind) == (7, "feasible", "combinatorial")


@pytest.mark.parametrize("exact", [True, False])
def test_the_same_holds_for_programs_of_traces(exact: bool) -> None:
    """The bounds of tiny-trace-03x1 leave a gap that only the program closes."""
    mine = Program(name="ticks", about="", source="", family="trace", module=tickwise, exact=exact)
    answer = ringyard.solve(ringyard.load("tiny-trace-03x1"), mine)
    assert answer.conclusion == ("optimal (claimed)" if exact else "feasible")
    assert answer.objective == ringyard.solve(answer.instance, "tickwise").objective


def test_a_disjunction_has_its_transformation_behind_the_name(installed: Path) -> None:
    one = ringyard.load("hand-contend")
    answers = [
        ringyard.solve(one, name)
        for name in ("gdp", "gdp-bigm", "mytix.py:DISJUNCTIVE-bigm", "a-loose-one")
    ]
    assert [answer.objective for answer in answers] == [7] * 4
    assert answers[0].method.name == "gdp-bigm"


@pytest.mark.slow
def test_comparisons_and_lists_have_it(installed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = row(capsys, "compare", "hand-contend", "--methods", "mytix.py:TIX,linearised")
    assert [one["objective"] for one in found["rows"]] == [7, 7]
    found = row(capsys, "compare", "hand-contend", "--formulations", "tix", "--solvers", "highs")
    assert [one["method"] for one in found["rows"]] == ["tix:highs"]
    rows = {one["name"]: one for one in row(capsys, "list", "methods")["methods"]}
    assert (rows["tix"]["kind"], rows["tix"]["family"]) == ("program", "makespan")
    assert rows["tix"]["source"] == "package: mytools"
    (only,) = row(capsys, "list", "methods", "mytix.py:TIX")["methods"]
    assert (only["kind"], only["source"]) == ("program", "file: mytix.py")


CAMPAIGN = """format = "ringyard-campaign/1"
name = "mine"
instances = ["hand-contend", "hand-spread", "hand-lpt"]
methods = ["linearised", "tix", "../mytix.py:TIX"]
"""


@pytest.mark.slow
def test_a_campaign_of_two_workers_goes_on_after_an_interrupt_and_sees_an_edit(
    installed: Path,
) -> None:
    study = installed / "study"
    study.mkdir()
    (study / "mine.toml").write_text(CAMPAIGN)
    run = ("run", "mine.toml", "--out", "rows", "--workers", "2")
    process = asked(study, *run)
    while process.poll() is None and len(journal(study)) < 3:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGINT)
    process.communicate()
    before = [one["key"] for one in journal(study)]
    assert len(before) >= 3
    said(study, *run)
    rows = journal(study)
    assert [one["key"] for one in rows[: len(before)]] == before
    assert len(rows) == len({one["key"] for one in rows}) == 9
    for instance in {one["instance"] for one in rows}:
        own = [one for one in rows if one["instance"] == instance]
        assert {one["method"] for one in own} == {"linearised", "tix", "mytix.py:TIX"}
        assert len({json.dumps([one[key] for key in SAME if key != "note"]) for one in own}) == 1
    (installed / "mytix.py").write_text(LINEARISED.replace("exact=True", "exact=False"))
    said(study, *run)
    again = journal(study)[9:]
    assert sorted(one["method"] for one in again) == ["mytix.py:TIX"] * 3 + ["tix"] * 3
    assert {one["status"] for one in again if one["instance"] == "hand-contend"} == {"feasible"}


def test_an_edit_of_any_function_of_a_program_is_noticed(folder: Path) -> None:
    own = "def build(instance, horizon=None):\n    return linearised.build(instance, horizon)\n"
    text = LINEARISED.replace("import build, read", "import read") + own
    text = text.replace("import disjunctive", "import disjunctive, linearised")
    digests = set[str]()
    for edited in (text, text.replace("build(instance, horizon)", "build(instance)")):
        (folder / "mytix.py").write_text(edited)
        for name in ("mytix.py:TIX", "mytix.py:TIX:scip", "mytix.py:DISJUNCTIVE-hull"):
            digests.add(find_method(name, "makespan").digest)
    assert len(digests) == 2
    assert "" not in digests


def test_python_takes_the_object(folder: Path) -> None:
    one = ringyard.load("hand-contend")
    mine = Program(
        name="held", about="", source="", family="makespan", module=linearised, exact=True
    )
    assert ringyard.solve(one, mine).status == "optimal"
    assert ringyard.solve(one, "held:scip").method.name == "held:scip"
    with pytest.raises(InputError, match="name: found 'linearised', expected a name that Ringyard"):
        ringyard.solve(one, replace(mine, name="linearised"))
    with pytest.raises(RefusedError, match="held solves 'makespan' instances, not 'online' ones"):
        ringyard.solve(ringyard.load("hand-online-wait"), mine)


def test_a_family_whose_own_methods_solve_no_programs_takes_one(folder: Path) -> None:
    """A program that the solver satisfies at once: its schedule is the judge's to price."""
    instance = ringyard.load("hand-gadget-later")
    (folder / "res.py").write_text(
        "import pyomo.environ as pyo\nimport ringyard\nfrom ringyard.families import Program\n"
        "P = Program(name='p', about='', source='', family='reserved', exact=True)\n"
        "def refuses(instance):\n    return None\n"
        "def build(instance, horizon=None):\n"
        "    model = pyo.ConcreteModel()\n    model.instance = instance\n"
        "    model.x = pyo.Var(bounds=(0, 1))\n"
        "    model.goal = pyo.Objective(expr=model.x, sense=pyo.maximize)\n"
        "    model.row = pyo.Constraint(expr=model.x >= 0.5)\n    return model\n"
        "def write(model, schedule):\n    model.x = 1\n"
        "def read(model):\n    return ringyard.solve(model.instance, 'ring-fifo').schedule\n"
    )
    answer = ringyard.solve(instance, "res.py:P")
    assert answer.valid
    assert answer.objective == ringyard.solve(instance, "ring-fifo").objective
    assert answer.bound == ringyard.solve(instance, "ring-fifo").bound


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("mytix.py:Program", "method: found a class, expected a function, or an object"),
        ("mytix.py:NUMBER", "mytix.py:NUMBER: found an int, expected"),
        ("mytix.py:NO_FAMILY", "NO_FAMILY: found a Program without a family, expected one with"),
        ("mytix.py:TIX:highz", "found 'highz', expected one of highs, "),
        ("mytix.py:TIX:highs:foo=1", "option: found 'foo', expected a name of an option of highs"),
        ("mytix.py:TIX-hull", "found no disjunctions, expected a program with disjunctions. Leave"),
        ("mytix.py:DISJUNCTIVE-foo", "found 'foo', expected one of bigm, hull. Leave it out."),
        ("mytix.py", "expected mytix.py:NAME with one of TIX, LOOSE, DISJUNCTIVE, NO_FAMILY"),
        ("tix-hull", "found no disjunctions"),
        ("tix:highz", "Did you mean 'highs'?"),
    ],
)
def test_what_is_no_program_or_solver_is_said(
    installed: Path, capsys: pytest.CaptureFixture[str], name: str, told: str
) -> None:
    assert main(["solve", "hand-contend", "--method", name]) == 2
    error = capsys.readouterr().err
    assert told in error
    assert "Traceback" not in error


MODEL = """import pyomo.environ as pyo
from ringyard.families import Program
from ringyard.formulations.makespan.linearised import read, refuses, write
P = Program(name="p", about="", source="", family="makespan")

def build(instance, horizon=None):
    model = pyo.ConcreteModel()
    model.x = pyo.Var(bounds=(0, 1))
    model.first = pyo.Objective(expr=model.x)
    return model
"""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("read, ", "", "bad.py:P: 1 problem\n  module: found no read, expected the functions"),
        ("import read, refuses, write", "import read, write", "module: found no refuses"),
        (
            "    return model\n",
            "    return 7\n",
            "build: found an int, expected a ConcreteModel",
        ),
        (
            "    return model\n",
            "    1 / 0\n",
            "raised ZeroDivisionError: division by zero; bad.py, line",
        ),
        (
            "    return model\n",
            "    model.second = pyo.Objective(expr=0)\n    return model\n",
            "build: found 2 objectives: first, second, expected one active objective. Deactivate",
        ),
        ("expr=model.x)", "expr=model.x, sense=pyo.maximize)", "found a maximised objective"),
        ("    model.first = pyo.Objective(expr=model.x)\n", "", "found 0 objectives, expected"),
    ],
)
def test_what_a_module_lacks_or_builds_wrongly_is_said(
    folder: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, told: str
) -> None:
    assert old in MODEL
    (folder / "bad.py").write_text(MODEL.replace(old, new))
    assert main(["solve", "hand-contend", "--method", "bad.py:P"]) == 2
    error = capsys.readouterr().err
    assert told in error
    assert "Traceback" not in error


def test_a_package_that_lacks_a_function_is_listed_and_refused_when_it_is_built(
    installed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (installed / "mytix.py").write_text(LINEARISED.replace("read, refuses, ", "refuses, "))
    assert "tix" in {one["name"] for one in row(capsys, "list", "formulations")["formulations"]}
    assert main(["solve", "hand-contend", "--method", "tix"]) == 2
    assert "tix: 1 problem\n  module: found no read" in capsys.readouterr().err


def test_a_method_that_names_no_module_has_the_usual_one_or_a_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It ended in a traceback that said "Empty module name"."""
    one = ringyard.load("hand-contend")
    ours = by_program("mine", about="", source="", family="makespan", formulation="linearised")
    assert ringyard.solve(one, ours).objective == 7
    monkeypatch.setattr(_Plugins, "registered", _Plugins.registered)
    register("ringyard.methods", "a-registered-one", ours)
    assert ringyard.solve(one, "a-registered-one").objective == 7
    bare = Method(name="bare", about="", source="", kind="search", family="makespan")
    with pytest.raises(InputError, match="bare: found a Method without a module"):
        method_of(bare, "bare", "makespan")
    without = Program(name="without", about="", source="", family="makespan")
    with pytest.raises(InputError, match="found a Program without a module, expected one with"):
        ringyard.solve(one, without)


def test_a_lying_method_gets_no_bound() -> None:
    """Only a certificate that the checker accepts makes a user's bound that of the answer."""
    claim = Bound(value=Fraction(6), kind=BoundKind.DUAL, name="mine", argument="I say so")

    def lying(instance: Any) -> Outcome:
        return Outcome(
            schedule=ringyard.solve(instance, "gang-lpt").schedule,
            termination=TerminationReason.DONE,
            status=SolutionStatus.OPTIMAL,
            bound=claim,
        )

    answer = ringyard.solve(ringyard.load("hand-spread"), lying)
    assert (answer.bound.value, answer.conclusion) == (4, "feasible")
    assert answer.claimed_bound == 6
