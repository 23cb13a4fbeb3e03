"""A family of another package: every command knows it, wherever it comes from."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

TOY = Path(__file__).with_name("weighted.py")
PAGE = Path(__file__).parents[2] / "docs/project/add-a-family.md"
PROGRAM = "import sys; from ringyard.cli import main; sys.exit(main())"

Ask = Callable[..., "subprocess.CompletedProcess[str]"]


def run(folder: Path, *words: object, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run `ringyard WORDS..` in a folder, and in a process of its own."""
    return subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM, *map(str, words)],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_page_shows_the_whole_file() -> None:
    shown = re.findall(r"^```python no-run\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)
    assert "\n".join(shown).split() == TOY.read_text(encoding="utf-8").split()
    assert len(TOY.read_text(encoding="utf-8").splitlines()) < 160


@pytest.mark.parametrize(
    "way", ["file", *(pytest.param(way, marks=pytest.mark.slow) for way in ("module", "package"))]
)
def test_workers_find_it_however_it_is_named(way: str, tmp_path: Path) -> None:
    shutil.copy(TOY, tmp_path / "weighted.py")
    given = {"PYTHONPATH": str(tmp_path)}
    if way == "package":
        about = tmp_path / "weighted-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: weighted\nVersion: 1.0\n")
        points = "[ringyard.families]\nweighted = weighted:WEIGHTED\n"
        (about / "entry_points.txt").write_text(points)
    else:
        name = "weighted" if way == "module" else str(tmp_path / "weighted.py")
        given["RINGYARD_PLUGINS"] = name
    made = run(tmp_path, "generate", "weighted", "--seed", 1, "--out", "yard.json", **given)
    assert made.returncode == 0, made.stderr
    done = run(tmp_path, "compare", "yard.json", "--methods", "smith,as-given", **given)
    assert done.returncode == 0, done.stderr
    assert re.findall(r"(smith|as-given) .* (optimal|feasible) +(\d+) ", done.stdout) == [
        ("smith", "optimal", "334"),
        ("as-given", "feasible", "410"),
    ]


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("import nothing_of_this_name", "ModuleNotFoundError"),
        ("1 / 0", "ZeroDivisionError"),
        ("from ringyard.families import FAMILIES, register\n"
         "from copy import copy\nregister(copy(FAMILIES['makespan']))", "'makespan'"),
    ],
)  # fmt: skip
def test_a_broken_one_is_named(source: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(source)
    done = run(tmp_path, "--plugin", "broken.py", "list", "methods")
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_a_plugin_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    for words in (
        ["--plugin"],
        ["--plugin", "missing.py", "list"],
        ["--plugin", "no_such", "list"],
    ):
        done = run(tmp_path, *words)
        assert done.returncode == 2
        assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_what_it_left_behind_says_how_to_load_it(tmp_path: Path) -> None:
    campaign = 'name = "orders"\nformat = "ringyard-campaign/1"\nmethods = ["smith"]\n'
    (tmp_path / "c.toml").write_text(campaign + 'generate = [{family = "weighted"}]\n')
    done = run(tmp_path, "--plugin", TOY, "run", "c.toml", "--out", "out")
    assert done.returncode == 0, done.stderr
    for words in (["table", "out", "--kind", "policies"], ["report", "out", "--out", "page.html"]):
        assert run(tmp_path, "--plugin", TOY, *words).returncode == 0
        done = run(tmp_path, *words)
        assert done.returncode == 2
        assert "--plugin" in done.stderr
