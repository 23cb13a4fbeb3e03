"""The commands that people type first load nothing heavy."""

import ast
import json
import os
import subprocess
import sys
from importlib import import_module
from itertools import product
from pathlib import Path

import pytest
from house.test_rooms import ROOT
from stats_rows import run

from ringyard.analysis.rows import VERSION
from ringyard.analysis.table_kinds import KINDS
from ringyard.campaigns.journal import to_line
from ringyard.campaigns.store import Store
from ringyard.families import FAMILIES
from ringyard.instances import digest, save
from ringyard.instances.catalogue import load

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
for words in json.loads(sys.argv[1]):
    assert not main(words), words
with open("modules.json", "w") as file:
    json.dump(sorted(sys.modules), file)
"""


def test_lists_import_nothing_heavy(tmp_path: Path) -> None:
    lists = ("instances", "solvers", "formulations", "methods", "guarantees")
    loaded = packages_of(*(["list", name] for name in lists), folder=tmp_path)
    assert "ringyard" in loaded
    assert not loaded & HEAVY


def test_texts_and_judges_need_no_numpy(tmp_path: Path) -> None:
    texts = (["--help"], ["--version"], ["list"])
    checks = (["check", "hand-spread"], ["check", "pdors-s0"])
    assert not packages_of(*texts, *checks, folder=tmp_path) & {*HEAVY, "numpy"}


def packages_of(*commands: list[str], folder: Path) -> set[str]:
    return {name.split(".")[0] for name in modules_of(*commands, folder=folder)}


def modules_of(*commands: list[str], folder: Path) -> list[str]:
    """Return the modules that commands load in a process, with an empty cache of kernels."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(commands)],
        cwd=folder,
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder / "kernels")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return list(json.loads((folder / "modules.json").read_text()))


def test_help_loads_no_family(tmp_path: Path) -> None:
    loaded = modules_of(["--help"], folder=tmp_path)
    assert not [name for name in loaded if name.startswith("ringyard.families")]


def test_a_judge_is_loaded_with_no_other_family(tmp_path: Path) -> None:
    loaded = modules_of(["check", "hand-spread"], folder=tmp_path)
    rooms = ("ringyard.instances.", "ringyard.analysis.check.")
    for room in rooms:
        assert {kind for kind in FAMILIES if room + kind in loaded} == {"makespan"}


def test_a_proof_by_counting_asks_no_solver(tmp_path: Path) -> None:
    loaded = modules_of(["solve", "hand-overtake"], folder=tmp_path)
    assert not {"highspy", "scipy.sparse"} & {*loaded}


def test_a_small_instance_needs_no_later_phase_and_no_matrix(tmp_path: Path) -> None:
    loaded = modules_of(["solve", "hand-spread"], folder=tmp_path)
    assert "highspy" in loaded
    assert "numba" not in loaded, "a kernel was compiled"
    assert not {"scipy.sparse", "ringyard.formulations.solver_interface.solve"} & {*loaded}
    searches = {name.rpartition(".")[2] for name in loaded if ".search.makespan." in name}
    assert "branch_and_bound" in searches
    assert not {"local_search", "nested"} & searches, "they had nothing to do"


COUNTED = (
    *("hand-spread", "pdors-small-03x2x4", "rental-small-s0", "fleet-pollux", "coded-10"),
    *("shuffle-120x5", "transfers-s0"),
)


def test_bounds_by_counting_need_no_engine(tmp_path: Path) -> None:
    asked = product(("show", "bound"), COUNTED)
    assert not packages_of(*map(list, asked), folder=tmp_path) & HEAVY


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    """A folder of a few runs on one instance."""
    instance = load("hand-lpt")
    methods = ("gang-lpt", "sjf-bco", "random")
    runs = [
        run(method, "hand-lpt", digest=digest(instance), termination="done") for method in methods
    ]
    runs.append(
        run("sjf-bco:kappa=4", "hand-lpt", digest=digest(instance), termination="time_limit")
    )
    for part in ("journal", "instances"):
        (tmp_path / part).mkdir()
    save(instance, Store(tmp_path).instance_file(digest(instance)))
    lines = (to_line(row | {"v": VERSION}) for row in runs)
    (tmp_path / "journal" / "1-a.jsonl").write_bytes(b"".join(lines))
    return tmp_path


def table_words(campaign: Path, kind: str) -> list[str]:
    return ["table", str(campaign), "--kind", kind, "--format", "latex"]


def test_tables_need_no_policy_and_no_kernel(campaign: Path) -> None:
    words = [table_words(campaign, kind) for kind in KINDS if kind != "verdicts"]
    loaded = modules_of(*words, folder=campaign)
    assert "ringyard.analysis.tables.latex" in loaded
    assert "numba" not in loaded
    rooms = {name.split(".")[1] for name in loaded if name.startswith("ringyard.")}
    assert not rooms & {"policies", "search", "simulation"}


def test_a_table_of_theorems_needs_exact_durations_and_no_compiler(campaign: Path) -> None:
    loaded = modules_of(table_words(campaign, "verdicts"), folder=campaign)
    assert "ringyard.simulation.makespan.evaluate" in loaded
    assert not {"numba", "ringyard.simulation.compiled"} & {*loaded}
    assert not [name for name in loaded if name.startswith("ringyard.policies")]


@pytest.mark.parametrize("room", ["instances", "simulation"])
def test_late_names_come_from_where_type_checkers_see_them(room: str) -> None:
    package = import_module(f"ringyard.{room}")
    tree = ast.parse((ROOT / room / "__init__.py").read_text(encoding="utf-8"))
    seen = {
        alias.name: f"ringyard.{room}.{node.module}"
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert sorted(seen) == dir(package) != []
    for name, file in seen.items():
        assert getattr(package, name) is getattr(import_module(file), name)
        assert not (ROOT / room / f"{name}.py").exists(), "a file would hide the name"
