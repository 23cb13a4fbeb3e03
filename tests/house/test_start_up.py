"""The commands that people type first load nothing heavy."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {
    "cvxpy",
    "highspy",
    "matplotlib",
    "networkx",
    "numba",
    "ortools",
    "pyomo",
    "pyscipopt",
    "scipy",
}
PROGRAM = """
import json, sys
from ringyard.cli import main
try:
    main()
except SystemExit as stop:
    assert not stop.code, stop.code
with open("modules.json", "w") as file:
    json.dump(sorted(sys.modules), file)
"""


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["--version"],
        ["list"],
        ["list", "instances"],
        ["list", "solvers"],
        ["list", "formulations"],
        ["list", "methods"],
        ["list", "guarantees"],
    ],
)
def test_first_commands_import_nothing_heavy(words: list[str], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    loaded = {name.split(".")[0] for name in json.loads((tmp_path / "modules.json").read_text())}
    assert "ringyard" in loaded
    assert not loaded & HEAVY
