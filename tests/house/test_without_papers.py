"""An installation can leave out `papers/`: nothing but `ringyard reproduce` notices."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from house.test_commands import install
from house.test_packages import OUTSIDE, PROJECT
from house.test_rooms import ROOT

CAMPAIGN = """
format = "ringyard-campaign/1"
name = "small"
instances = ["hand-lpt"]
methods = ["gang-lpt", "first-fit"]
"""
PROGRAM = """
import json, sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
# An editable installation would find the parts of the checkout that the copy lacks.
sys.meta_path[:] = [one for one in sys.meta_path if "editable" not in str(one).lower()]
from ringyard.cli import main
found = {}
for words in json.loads(sys.argv[1]):
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(words.split())
    found[words] = code, out.getvalue(), err.getvalue()
print(json.dumps([found, sys.modules["ringyard"].__file__, sorted(sys.modules)]))
"""
WORK = (
    "--help",
    "list instances",
    "list tables",
    "solve hand-lpt --method gang-lpt",
    "run small.toml --out out --workers 1",
    "table out --kind runs",
    "reproduce --help",
)
REPRODUCE = ("reproduce", "reproduce closing", "reproduce all")


@pytest.mark.parametrize("form", ["checkout", pytest.param("wheel", marks=pytest.mark.slow)])
def test_all_works_without_papers(form: str, tmp_path: Path) -> None:
    package = tmp_path / "ringyard"
    package.mkdir()
    for path in ROOT.iterdir():
        if path.name not in {"papers", "pyproject.toml", *OUTSIDE} and path.name[0] != ".":
            (package / path.name).symlink_to(path)
    if form == "checkout":
        (package / "pyproject.toml").symlink_to(ROOT / "pyproject.toml")
    else:
        install((ROOT / "pyproject.toml").read_text("utf-8"), tmp_path)
    (tmp_path / "small.toml").write_text(CAMPAIGN)
    done = subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM, json.dumps([*WORK, *REPRODUCE])],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    found, where, modules = json.loads(done.stdout)
    assert where == str(package / "__init__.py")
    assert not [name for name in modules if name.startswith("ringyard.papers")]
    for words in WORK:
        code, out, err = found[words]
        assert (code, bool(out)) == (0, True), err
        assert "warning" not in err
    for words in REPRODUCE:
        code, out, err = found[words]
        assert (code, out) == (2, "")
        assert "expected a package with reproductions" in err
        assert "ringyard.papers" in err


def test_papers_are_registered_like_any_plugin() -> None:
    (point,) = PROJECT["project"]["entry-points"]["ringyard.reproductions"].values()
    assert point == "ringyard.papers.reproductions:REPRODUCTIONS"
