"""Commands and reproductions of other packages stand beside ours, and cannot break them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from extensions.test_entry_points import Installed
from house.test_commands import install

from ringyard.campaigns.reproductions import GROUP, find_reproductions
from ringyard.extensions import entry_points

MORE = Path(__file__).with_name("more_commands.py")
PROJECT = """
[project]
name = "more"
version = "1.0"
[project.entry-points."ringyard.commands"]
greet = "more_commands:greet"
nested = "more_commands:nested"
divides = "more_commands:divides"
leaves = "more_commands:leaves"
tells = "more_commands:tells"
returns-text = "more_commands:returns_text"
misses = "more_commands:misses"
hinted = "more_commands:hinted"
number = "more_commands:NUMBER"
absent = "no_such_module:main"
solve = "more_commands:greet"
"two words" = "more_commands:greet"
[project.entry-points."ringyard.reproductions"]
mine = "more_commands:MINE"
ours = "more_commands:OURS"
two = "more_commands:TWO"
number = "more_commands:NUMBER"
"""
FRESH = """
import sys
from ringyard.cli import main
for words in ("list solvers", "greet", "--version"):
    main(words.split())
    print("imported:", "more_commands" in sys.modules)
"""
REGISTERS = """
from ringyard.campaigns.reproductions import Reproduction
from ringyard.extensions import register

def greet():
    "Greet."
    print("hello from", __file__)

register("ringyard.commands", "greet", greet)
register("ringyard.reproductions", "mine", Reproduction(name="mine", about="", module="mine"))
"""


@pytest.fixture(scope="module")
def more(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Install a package with commands and reproductions."""
    folder = tmp_path_factory.mktemp("more")
    (folder / MORE.name).write_text(MORE.read_text("utf-8"), "utf-8")
    install(PROJECT, folder)
    return Installed(folder)


def test_help_shows_them_under_the_heading_of_their_package(more: Installed) -> None:
    ours, _, theirs = more("--help").stdout.partition("Commands of more")
    assert " solve " in ours
    for name, about in (("greet", "Greet somebody."), ("nested", "An app with a command.")):
        assert name not in ours
        assert f"{about} " in theirs.partition(f" {name} ")[2].splitlines()[0]
    assert " greet " not in more("solve", "--help").stdout


def test_help_warns_of_what_is_left_out(more: Installed) -> None:
    done = more("--help")
    warnings = [line for line in done.stderr.splitlines() if line.startswith("warning: ")]
    told = {
        "absent": "No module named 'no_such_module'",
        "hinted of more": "name 'Nothing' is not defined",
        "number": "found an int, expected a function",
        "solve of more": "Ringyard's own object of this name is used",
        "two words of more": "the name of a command must be a single word",
    }
    assert len(warnings) == len(told)
    for name, reason in told.items():
        assert any(name in line and reason in line for line in warnings), name
        row = f"│ {name.removesuffix(' of more')} "
        assert row not in done.stdout.partition("Commands of more")[2]


@pytest.mark.parametrize(
    ("words", "code", "out", "err"),
    [
        ("greet", 0, "hello you\n", ""),
        ("greet world", 0, "hello world\n", ""),
        ("nested inner 4", 4, "", ""),
        ("leaves 3", 3, "", ""),
        ("leaves 0", 0, "", ""),
        ("tells", 1, "", "error: no luck\n"),
        ("divides", 1, "", "error: divides of more raised ZeroDivisionError"),
        ("divides", 1, "", ", in divides: return 1 / 0\n"),
        ("returns-text", 1, "", "returned 'done', expected an exit code"),
        ("misses", 2, "", "found 'no-such-instance'"),
        ("absent", 2, "", "Repair the package more"),
        ("number", 2, "", "found an int, expected a function"),
        ("greet --loud", 2, "", "Unknown option: --loud. See `ringyard greet --help`."),
        ("nested innr", 2, "", 'Unknown command "innr". Did you mean "inner"?'),
        ("gret", 2, "", 'Did you mean "greet"?'),
    ],
)
def test_a_command_ends_as_ours_do(
    more: Installed, words: str, code: int, out: str, err: str
) -> None:
    done = more(*words.split(), code=code)
    assert done.stdout == out
    assert err in done.stderr
    assert "Traceback" not in done.stderr
    if not code:
        assert done.stderr == ""


def test_errors_are_json_where_that_is_asked_for(more: Installed) -> None:
    found = json.loads(more("absent", "--json", code=2).stdout)
    assert found["exit_code"] == 2
    assert "no_such_module" in found["error"]


def test_ours_are_used_under_a_name_that_is_taken(more: Installed) -> None:
    assert "makespan" in more("solve", "hand-lpt", "--method", "gang-lpt").stdout


def test_completion_knows_them(more: Installed) -> None:
    assert "greet" in more("completion", "bash").stdout


def test_none_is_imported_before_it_is_named(more: Installed) -> None:
    said = [line for line in more.fresh(FRESH).splitlines() if line.startswith("imported")]
    assert said == ["imported: False", "imported: True", "imported: True"]


def test_reproductions_are_listed_with_their_package(more: Installed) -> None:
    done = more("reproduce", "--json")
    rows = {row["name"]: row for row in json.loads(done.stdout)["reproductions"]}
    assert rows["mine"] == {"name": "mine", "source": "package: more", "about": "my own"}
    assert rows["gone"]["source"] == "package: more"
    assert rows["closing"]["source"] == "Ringyard"
    assert [row["name"] for row in rows.values()][-3:] == ["mine", "gone", "fails"]
    assert done.stderr.splitlines() == [
        "warning: number of more: broken: an int",
        "warning: closing of more: Ringyard's own object of this name is used",
    ]
    assert "package: more" in more("reproduce").stdout


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["gone"], 1, "gone of more raised ModuleNotFoundError: No module named 'no_such_module'"),
        (["fails"], 1, "fails of more raised AttributeError"),
        (["fails", "--docs", "."], 2, "--docs: found '.', expected a reproduction with pages"),
        (["gon"], 2, "Did you mean 'gone'?"),
    ],
)
def test_a_reproduction_that_fails_is_named(
    more: Installed, words: list[str], code: int, told: str
) -> None:
    done = more("reproduce", *words, "--workers", 1, code=code)
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_all_are_ours(more: Installed) -> None:
    with more.entered():
        found, _ = find_reproductions()
    assert {name for name, one in found.items() if not one.is_ours} == {"mine", "gone", "fails"}


def test_two_packages_cannot_bring_the_same_command(tmp_path: Path) -> None:
    for name in ("one", "other"):
        project = f'[project]\nname = "{name}"\nversion = "1"\n'
        install(
            project + '[project.entry-points."ringyard.commands"]\nsame = "os:sync"\n', tmp_path
        )
    tools = Installed(tmp_path)
    assert "same: found one in each of" in tools("same", code=2).stderr
    assert "same: found one in each of" in tools("--help").stderr


def test_a_checkout_with_older_metadata_reads_its_own_declaration(tmp_path: Path) -> None:
    old = '[project]\nname = "ringyard"\nversion = "0.0.1"\n'
    install(old + '[project.entry-points."ringyard.commands"]\nold = "os:sync"\n', tmp_path)
    tools = Installed(tmp_path)
    assert tools("old", code=2).stderr.startswith('error: Unknown command "old"')
    with tools.entered():
        assert [one.source for one in entry_points.named(GROUP).values()] == ["Ringyard"]


def registered(folder: Path, *words: str, **named: str) -> "subprocess.CompletedProcess[str]":
    """Run `ringyard WORDS..` in a process of its own."""
    return subprocess.run(
        [sys.executable, "-P", "-c", "from ringyard.__main__ import main; main()", *words],
        cwd=folder,
        env={**os.environ, **named},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_file_registers_what_an_entry_point_names(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(REGISTERS)
    (tmp_path / "broken.py").write_text("1 / 0")
    done = registered(tmp_path, "--plugin", "mine.py", "greet")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"hello from {tmp_path / 'mine.py'}\n"
    names = f"{tmp_path / 'broken.py'},{tmp_path / 'absent.py'},{tmp_path / 'mine.py'}"
    again = registered(tmp_path, "greet", RINGYARD_PLUGINS=names)
    assert (again.returncode, again.stdout, again.stderr) == (0, done.stdout, "")
    for words in (["--help"], ["reproduce"]):
        listed = registered(tmp_path, *words, RINGYARD_PLUGINS=names)
        assert listed.returncode == 0
        assert " of mine" in listed.stdout or "package: mine" in listed.stdout
        assert "broken: ZeroDivisionError" in listed.stderr
        assert "absent.py of RINGYARD_PLUGINS" in listed.stderr
        assert "Traceback" not in listed.stderr


def test_a_module_that_is_installed_and_registers_is_one(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(REGISTERS)
    project = '[project]\nname = "mine"\nversion = "1"\n'
    install(
        project + '[project.entry-points."ringyard.commands"]\ngreet = "mine:greet"\n', tmp_path
    )
    done = registered(tmp_path, "greet", RINGYARD_PLUGINS="mine", PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
