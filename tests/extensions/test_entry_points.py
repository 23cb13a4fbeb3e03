"""What a package that is installed brings is used where it is named, and nowhere else."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from house.test_commands import File, install, steps

from ringyard.cli import main
from ringyard.testing import check_solver

PAGE = Path(__file__).parents[2] / "docs/howto/write-a-plugin.md"
MORE = Path(__file__).with_name("more_tools.py")
NAMED = """
import sys
from ringyard.cli import main

def loaded(words):
    assert main(words.split()) == 0
    print(sorted({'mytools', 'more_tools'} & {*sys.modules}))

loaded("solve hand-contend --method linearised")
loaded("verify hand-lpt --method list-scheduling")
loaded("list tables")
loaded("solve hand-contend --method linearised:scipy-milp")
"""

POINTS = """
[project.entry-points."ringyard.methods"]
solved-again = "more_tools:SOLVED"
widest = "more_tools:widest"
gone = "more_tools:gone"
[project.entry-points."ringyard.formulations"]
again = "more_tools:AGAIN"
not-a-program = "more_tools:TWICE"
[project.entry-points."ringyard.bounds"]
one-slot = "more_tools:one_slot"
false-bound = "more_tools:false_bound"
raises = "more_tools:raising_bound"
[project.entry-points."ringyard.theorems"]
twice = "more_tools:TWICE"
too-good = "more_tools:TOO_GOOD"
[project.entry-points."ringyard.tables"]
ends = "more_tools:ends"
no-table = "more_tools:nothing"
raises = "more_tools:raising"
runs = "more_tools:nothing"
[project.entry-points."ringyard.figures"]
counted = "more_tools:counted"
"""

Done = subprocess.CompletedProcess[str]


@dataclass(frozen=True)
class Installed:
    """A folder with packages, as if they were installed."""

    folder: Path

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Let this process, and those it starts, be where the packages are, and forget them."""
        path = os.pathsep.join(filter(None, [str(self.folder), os.environ.get("PYTHONPATH")]))
        with pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(str(self.folder))
            patch.chdir(self.folder)
            patch.setenv("PYTHONPATH", path)
            patch.setenv("COLUMNS", "400")
            try:
                yield
            finally:
                for name in [*sys.modules]:
                    if (self.folder / f"{name}.py").exists():
                        del sys.modules[name]

    def __call__(self, *words: object, code: int = 0) -> Done:
        """Run `ringyard WORDS..` where the packages are."""
        out, err = StringIO(), StringIO()
        asked = [*map(str, words)]
        with self.entered(), redirect_stdout(out), redirect_stderr(err):
            ended = main(asked)
        assert ended == code, err.getvalue()
        return Done(asked, ended, out.getvalue(), err.getvalue())

    def fresh(self, program: str) -> str:
        """Return what a program prints in a process of its own, where the packages are."""
        with self.entered():
            return subprocess.check_output([sys.executable, "-P", "-c", program], text=True)

    def rows(self, what: str) -> dict[str, dict[str, Any]]:
        """Return the rows of a list by name."""
        found = json.loads(self("list", what, "--json").stdout)[what]
        return {row["name"]: row for row in found}


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Install the package that the page shows, with more entry points."""
    folder = tmp_path_factory.mktemp("installed")
    (folder / "more_tools.py").write_text(MORE.read_text("utf-8"), "utf-8")
    for step in steps(PAGE.read_text("utf-8")):
        if isinstance(step, File) and step.name == "pyproject.toml":
            install(step.content + POINTS, folder)
        elif isinstance(step, File):
            (folder / step.name).write_text(step.content, "utf-8")
    return Installed(folder)


@pytest.fixture(scope="module")
def campaign(tools: Installed) -> str:
    """Run a small campaign, in which a program goes to the solver of the package."""
    (tools.folder / "c.toml").write_text(
        'format = "ringyard-campaign/1"\nname = "small"\ninstances = ["hand-contend"]\n'
        'methods = ["gang-lpt", "linearised:scipy-milp"]\n'
    )
    assert "2 of 2 runs" in tools("run", "c.toml", "--out", "out").stdout
    return "out"


def test_a_method_is_named_like_ours_and_in_no_default(tools: Installed) -> None:
    assert tools.rows("methods")["widest"]["about"] == "The widest ring first"
    assert "broken" in tools.rows("methods")["gone"]["source"]
    said = tools("compare", "hand-contend", "--methods", "widest:reverse=yes,gang-lpt", "--json")
    rows = {row["method"]: row for row in json.loads(said.stdout)["rows"]}
    assert rows["widest:reverse=yes"]["valid"]
    assert (
        "no attribute 'gone'" in tools("solve", "hand-contend", "--method", "gone", code=2).stderr
    )
    (tools.folder / "m.toml").write_text(
        'format = "ringyard-campaign/1"\nname = "m"\ninstances = ["hand-contend"]\n'
        'methods = ["widest", "gang-*"]\n'
    )
    assert "2 of 2 runs" in tools("run", "m.toml", "--out", "m").stdout


@pytest.mark.parametrize(
    ("what", "name", "column"),
    [
        ("methods", "widest", "source"),
        ("solvers", "scipy-milp", "remark"),
        ("formulations", "again", "source"),
        ("guarantees", "twice", "source"),
        ("formats", "hours", "source"),
        ("tables", "ends", "source"),
        ("figures", "counted", "source"),
        ("bounds", "one-slot", "source"),
    ],
)
def test_lists_show_it_with_its_package(
    tools: Installed, what: str, name: str, column: str
) -> None:
    assert tools.rows(what)[name][column].startswith("package: mytools")


def test_lists_say_what_cannot_be_used(tools: Installed) -> None:
    row = tools.rows("formulations")["not-a-program"]
    assert row["source"] == "package: mytools (broken: a Guarantee)"
    assert "Ringyard's own kind of this name is used" in tools("list", "tables").stdout


def test_nothing_is_imported_where_nothing_is_named(tools: Installed) -> None:
    said = tools.fresh(NAMED)
    assert re.findall(r"^\[.*\]$", said, re.MULTILINE) == ["[]", "[]", "[]", "['mytools']"]


def test_a_solver_keeps_what_adapters_promise(tools: Installed) -> None:
    with tools.entered():
        report = check_solver("scipy-milp", draws=4)
    assert re.search(r"scipy-milp: passed \(\d\d tried, 1 refused\)", str(report))


def test_a_program_is_exported_and_solved(tools: Installed) -> None:
    words = ("--format", "mps", "--horizon", 8, "--out", "again.mps")
    tools("export", "hand-contend", "--formulation", "again", *words)
    assert (tools.folder / "again.mps").stat().st_size
    for name in ("solved-again", "solved-again:scipy-milp"):
        done = tools("solve", "hand-contend", "--method", name)
        assert "optimal (claimed)\n  makespan  7 slots" in done.stdout


def test_a_bound_certifies_nothing(tools: Installed) -> None:
    words = ("bound", "hand-contend", "--by", "one-slot", "--by", "false-bound")
    done = tools(*words)
    assert re.search(r" 1  external, not certified, one-slot: No job ends", done.stdout)
    assert "false-bound is false: it claims 1000000, but 7 is possible" in done.stderr
    row = json.loads(tools(*words, "--json").stdout)
    assert row["bound"] < 7
    assert {one["name"] for one in row["all"]}.isdisjoint({"one-slot", "false-bound"})
    assert [one["bound"] for one in row["outside"]] == [1, 10**6]


def test_a_theorem_is_checked_where_it_is_named(tools: Installed) -> None:
    row = json.loads(tools("verify", "hand-theorem5", "--theorem", "twice", "--json").stdout)
    (found,) = row["rows"]
    assert (found["guarantee"], found["method"]) == ("twice", "list-scheduling")
    assert (found["proved"], found["verdict"], found["factor"]) == (False, "holds", 2)
    other = tools("verify", "hand-theorem5", "--theorem", "too-good").stdout
    assert (
        "too-good is violated on hand-theorem5:\n  list-scheduling ends at 7, 6 is possible"
        in other
    )
    assert "twice" not in tools("verify", "hand-theorem5", "--method", "list-scheduling").stdout


def test_a_theorem_that_speaks_of_a_method_is_not_claimed_as_well(tools: Installed) -> None:
    words = ("verify", "hand-contend", "--method", "more_tools.py:widest", "--theorem")
    rows = json.loads(tools(*words, "too-good", "--json").stdout)["rows"]
    assert [row["guarantee"] for row in rows] == ["too-good"]
    rows = json.loads(tools(*words, "too-good", "--theorem", "twice", "--json").stdout)["rows"]
    assert [row["guarantee"] for row in rows] == ["too-good", "twice, claimed"]


def test_an_importer_reads_a_trace(tools: Installed) -> None:
    (tools.folder / "day.csv").write_text("name,at,gpus,hours\na,0,2,1.5\nb,0.5,4,3\nc,1,x,1\n")
    words = ("--servers", "1x4", "--out", "day.json", "--json")
    row = json.loads(tools("import", "hours", "day.csv", *words).stdout)
    assert (row["jobs"], row["gpus"], row["read"]) == (2, 4, 3)
    made = json.loads((tools.folder / "day.json").read_text())
    assert [job["duration_s"] for job in made["jobs"]] == [5400, 10800]


@pytest.mark.slow
def test_a_table_and_a_figure_of_a_campaign(tools: Installed, campaign: str) -> None:
    shown = tools("table", campaign, "--kind", "ends").stdout
    assert "| optimal | 1 |" in shown
    assert "| ends " not in tools("table", campaign, "--kind", "all").stdout
    tools("plot", campaign, "--kind", "counted", "--out", "counted.svg")
    assert "runs by method" in (tools.folder / "counted.svg").read_text()
    assert "gang-lpt" in tools("table", campaign, "--kind", "runs").stdout


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["--kind", "no-table"], 2, "result: found a NoneType, expected a Table"),
        (["--kind", "raises"], 1, "raises of mytools raised LookupError: no such thing"),
        (["--kind", "end"], 2, "Did you mean 'ends'?"),
    ],
)
def test_what_goes_wrong_in_it_is_said_with_its_package(
    tools: Installed, campaign: str, words: list[str], code: int, told: str
) -> None:
    assert told in tools("table", campaign, *words, code=code).stderr


def test_a_bound_that_raises_is_said(tools: Installed) -> None:
    done = tools("bound", "hand-contend", "--by", "raises", code=1)
    assert "raises raised LookupError: no such thing" in done.stderr
    done = tools("bound", "hand-contend", "--by", "mytools:no_such_bound", code=2)
    assert done.stderr.startswith("error: mytools: 1 problem\n  no_such_bound: found ")


@pytest.mark.parametrize("name", ["gang-lpt:highs", "absent.module:x", ":x", ".x:y", "linear"])
def test_a_bound_that_there_is_not_says_what_is_one(tools: Installed, name: str) -> None:
    said = tools("bound", "hand-contend", "--by", name, code=2).stderr
    assert said.startswith(f"error: --by: 1 problem\n  bound: found '{name}', expected a bound of")
    assert (
        "FILE.py:FUNCTION or MODULE:FUNCTION, or PROGRAM:SOLVER. See `ringyard list bounds`" in said
    )
    assert "import_module" not in said


SOURCES = {
    "absent": ("no_such_module_here:THING", "ModuleNotFoundError"),
    "falling": ("falling:THING", "ZeroDivisionError"),
    "muddled": ("json:__name__", "found a str"),
}
ASKED = {
    "solvers": ["solve", "hand-contend", "--method", "linearised:absent"],
    "formulations": ["explain", "hand-contend", "--horizon", "3", "--formulation", "falling"],
    "bounds": ["bound", "hand-contend", "--by", "muddled"],
    "theorems": ["verify", "hand-contend", "--theorem", "absent"],
    "importers": ["import", "muddled", "c.csv", "--servers", "1x4", "--out", "c.json"],
}


def test_a_broken_package_is_named_only_where_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "falling.py").write_text("THING = 1 / 0\n")
    (tmp_path / "c.csv").write_text("name\n")
    for package, (value, _) in SOURCES.items():
        points = [
            f'[project.entry-points."ringyard.{group}"]\n{package} = "{value}"' for group in ASKED
        ]
        about = f'[project]\nname = "{package}"\nversion = "1"'
        install("\n".join([about, *points]), tmp_path)
    ask = Installed(tmp_path)
    for words in ASKED.values():
        done = ask(*words, code=2)
        (package,) = [one for one in SOURCES if any(one in word for word in words)]
        assert f"the package {package}" in done.stderr
        assert SOURCES[package][1] in done.stderr
    for what in ("solvers", "formulations", "guarantees"):
        for package, row in ask.rows(what).items():
            if package in SOURCES:
                assert f"package: {package} (broken: " in json.dumps(row)
    ask("solve", "hand-contend", "--method", "linearised")


def test_two_packages_with_one_name_are_told_apart(tmp_path: Path) -> None:
    for name in ("one", "other"):
        install(
            f'[project]\nname = "{name}"\nversion = "1"\n'
            '[project.entry-points."ringyard.bounds"]\nsame = "math:floor"\n',
            tmp_path,
        )
    done = Installed(tmp_path)("bound", "hand-contend", "--by", "same", code=2)
    assert "one in each of" in done.stderr
