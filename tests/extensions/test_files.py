"""What an entry point can name, a file can name: FILE.py:NAME in every place."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from extensions.test_entry_points import MORE, PAGE, Installed
from house.test_commands import File, steps

from ringyard.formulations.program import Caps
from ringyard.formulations.solver_interface.solve import find_solver, solve
from ringyard.instances import RingyardError
from ringyard.testing import check_solver
from ringyard.testing.programs import TINY


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Write the files of a package into a folder, without their entry points."""
    folder = tmp_path_factory.mktemp("not-installed")
    (folder / "more_tools.py").write_text(MORE.read_text("utf-8"), "utf-8")
    for step in steps(PAGE.read_text("utf-8")):
        if isinstance(step, File) and step.name == "mytools.py":
            (folder / step.name).write_text(step.content, "utf-8")
    (folder / "falling.py").write_text("THING = 1 / 0\n")
    (folder / "day.csv").write_text("name,at,gpus,hours\na,0,2,1.5\n")
    (folder / "c.toml").write_text(
        'format = "ringyard-campaign/1"\nname = "small"\ninstances = ["hand-contend"]\n'
        'methods = ["gang-lpt", "linearised:mytools.py:SCIPY"]\n'
    )
    found = Installed(folder)
    assert "2 of 2 runs" in found("run", "c.toml", "--out", "out").stdout
    return found


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "solve hand-contend --method linearised:mytools.py:SCIPY",
            "by linearised:mytools.py:SCIPY, seed 0: optimal (claimed)\n  makespan  7 slots",
        ),
        (
            "export hand-contend --formulation more_tools.py:AGAIN --format lp --horizon 8 "
            "--out a.lp",
            "",
        ),
        ("explain hand-contend --horizon 6 --formulation more_tools.py:AGAIN", "completes: "),
        ("bound hand-contend --by more_tools.py:one_slot", " 1  external, not certified, more_"),
        ("verify hand-theorem5 --theorem more_tools.py:TWICE", "more_tools.py:TWICE: held on 1 "),
        ("import mytools.py:HOURS day.csv --servers 1x4 --out day.json", "1 job on 4 GPUs"),
        ("table out --kind more_tools.py:ends", "| optimal | 1 |"),
        ("plot out --kind more_tools.py:counted --out counted.svg", ""),
        ("table out --kind runs", "| linearised:mytools.py:SCIPY |"),
    ],
)
def test_a_file_is_named_where_an_entry_point_is(files: Installed, words: str, said: str) -> None:
    assert said in files(*words.split()).stdout


PLACES = [
    ("solve hand-contend --method linearised:{}", "a Solver"),
    ("explain hand-contend --horizon 6 --formulation {}", "a Program"),
    ("bound hand-contend --by {}", "a function"),
    ("verify hand-theorem5 --theorem {}", "a Guarantee"),
    ("import {} day.csv --servers 1x4 --out day.json", "a Format"),
    ("table out --kind {}", "a function"),
    ("plot out --kind {} --out a.svg", "a function"),
]


@pytest.mark.parametrize(("words", "kind"), PLACES)
def test_a_bad_name_of_a_file_is_said_with_file_name_and_kind(
    files: Installed, words: str, kind: str
) -> None:
    def told(name: str) -> str:
        return files(*words.format(name).split(), code=2).stderr

    assert f"expected {kind} in it" in told("more_tools.py:absent")
    assert told("more_tools.py:absent").startswith("error: more_tools.py: 1 problem\n  absent: ")
    assert "ZeroDivisionError: division by zero; falling.py, line 1" in told("falling.py:THING")
    assert "none.py, expected a file of Python code. Check the path" in told("none.py:THING")
    if kind != "a function":
        assert f"Fraction: found a class, expected {kind}." in told("more_tools.py:Fraction")
        found = told("more_tools.py:one_slot")
        assert f"one_slot: found a function, expected {kind}. Correct it, or name another" in found
    else:
        assert "TWICE: found a Guarantee, expected a function" in told("more_tools.py:TWICE")


def test_a_near_name_is_one_of_the_same_kind(files: Installed) -> None:
    said = files("verify", "--theorem", "more_tools.py:TWCE", code=2).stderr
    assert "Did you mean 'TWICE'?" in said
    said = files("verify", "--theorem", "more_tools.py:X", code=2).stderr
    assert "It has TWICE, TOO_GOOD" in said


def test_a_solver_of_a_file_keeps_what_adapters_promise(files: Installed) -> None:
    """It has to be found again in the process in which it runs."""
    with files.entered():
        report = check_solver("mytools.py:SCIPY", draws=4)
    assert re.search(r"mytools.py:SCIPY: passed \(\d\d tried, 1 refused\)", str(report))


def test_a_solver_that_raises_in_a_process_of_its_own_is_said(tmp_path: Path) -> None:
    (tmp_path / "s.py").write_text(
        "from ringyard.formulations.adapters.solver import Solver\n"
        "def run(program, caps, start, tell):\n    raise LookupError('no such thing')\n"
        "BAD = Solver(name='bad', module='', install='nothing', can=('lp', 'milp'), run=run)\n"
    )
    bad = find_solver(f"{tmp_path / 's.py'}:BAD")
    for caps in (Caps(), Caps(own_process=True)):
        try:
            told = solve(TINY, bad, caps).note
        except RingyardError as error:
            told = str(error)
        assert "no such thing" in told


def test_a_plugin_finds_the_files_beside_it(tmp_path: Path) -> None:
    (tmp_path / "plug").mkdir()
    (tmp_path / "plug/beside_it.py").write_text("def least(instance):\n    return 1\n")
    (tmp_path / "plug/registers.py").write_text(
        "from beside_it import least\nfrom ringyard.extensions import register\n"
        "register('ringyard.bounds', 'least', least)\n"
    )
    command = [sys.executable, "-P", "-c", "from ringyard.__main__ import main; main()"]
    words = ["--plugin", "plug/registers.py", "bound", "hand-contend", "--by", "least"]
    done = subprocess.run(
        [*command, *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=os.environ,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "external, not certified, least" in done.stdout
