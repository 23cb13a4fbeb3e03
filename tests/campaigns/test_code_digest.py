"""Campaigns know when code has changed: which code a row rests on, and what became of its row."""

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from house.test_rooms import ROOT, our_file, package_files, tree_of

import ringyard
from ringyard.campaigns import code_digest
from ringyard.campaigns.code_digest import APART, _plain, _read, code_of, present_code
from ringyard.campaigns.runs import BOUND, Run
from ringyard.families import FAMILIES
from ringyard.instances.catalogue import load
from ringyard.simulation import jit

HOME = code_digest.ROOT
"""Where the package is imported from."""

RUN = Run(instance=load("hand-lpt"), method="gang-lpt")

TEXT = """format = "ringyard-campaign/1"
name = "two"
instances = ["hand-lpt"]
methods = ["gang-lpt", "first-fit", "bound"]
"""


def imported(file: str) -> Iterator[str]:
    """Yield the files that one imports, by its tree; those for checkers of types do not count."""

    def parts(node: ast.AST) -> Iterator[ast.ImportFrom]:
        for one in ast.iter_child_nodes(node):
            if isinstance(one, ast.If) and ast.unparse(one.test) == "TYPE_CHECKING":
                continue
            if isinstance(one, ast.ImportFrom) and one.level:
                yield one
            yield from parts(one)

    for node in parts(tree_of(file)):
        base = Path(file).parents[node.level - 1].joinpath(*(node.module or "").split("."))
        yield from (our_file(base, alias.name) for alias in node.names)


@pytest.mark.slow
def test_every_import_of_every_file_is_seen() -> None:
    for file in package_files():
        known = (HOME / file).stat()
        read = _read(str(HOME / file), known.st_mtime_ns, known.st_size)
        found = {Path(one).relative_to(HOME).as_posix() for one in read.imports}
        assert {*imported(file)} - {"__init__.py"} <= found, file


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("hand-lpt", "gang-lpt"),
        ("hand-lpt", "enumeration"),
        ("tiny-trace-03x1", "2d-las"),
        ("tiny-trace-03x1", "state-search"),
        ("tiny-trace-03x1", "tickwise"),
        ("coded-10", "mds"),
    ],
)
def test_whatever_runs_for_a_row_is_in_its_code(
    name: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Records are lists; what counts of them is in the digest as facts."""
    monkeypatch.setenv(jit.MODE, "plain")  # Compiling while each call is noted takes minutes.
    instance, ran = load(name), set[str]()

    def look(frame: Any, event: str, _: object) -> None:
        if event == "call":
            ran.add(frame.f_code.co_filename)

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        ringyard.solve(instance, method)
    finally:
        sys.setprofile(before)
    own = {Path(one).relative_to(HOME).as_posix() for one in ran if Path(one).is_relative_to(HOME)}
    ours = own & {*package_files()}
    assert f"analysis/check/{instance.kind}.py" in ours
    records = {f"families/{kind}.py" for kind in FAMILIES}
    known = code_of(method, instance.kind).modules
    late = {
        "__init__.py",
        "extensions/entry_points.py",
        "extensions/calling.py",
        "extensions/__init__.py",
        "instances/size.py",
    }
    assert ours - known.keys() - APART.keys() - records - late == set()


def test_what_people_see_and_the_release_make_nothing_stale() -> None:
    for kind, family in FAMILIES.items():
        for name in (family.default, BOUND):
            modules = code_of(name, kind).modules
            seen = [one for one in modules if one.startswith(("cli/", "papers/", "analysis/gantt"))]
            assert not seen
            assert not modules.keys() & APART.keys()


def test_methods_rest_on_the_judge_and_a_bound_does_not() -> None:
    judge = "analysis/check/makespan.py"
    assert judge in code_of("gang-lpt", "makespan").modules
    assert judge not in code_of(BOUND, "makespan").modules
    assert "search/makespan/bounds/counting.py" in code_of(BOUND, "makespan").modules
    program = "formulations/makespan/linearised.py"
    assert program in code_of("linearised", "makespan").modules
    assert program not in code_of("gang-lpt", "makespan").modules
    assert "policies/makespan/baselines.py" not in code_of("gang-lpt", "makespan").modules


def test_certificates_rest_on_their_checker() -> None:
    more = code_of("gang-lpt", "makespan", certificates=True).modules
    assert "analysis/check/certificates/checking.py" in more
    assert replace(RUN, certificates=True).code.digest != RUN.code.digest


CODE = '''"""What it is."""

from .other import a  # why

SIZE = 3
"""How large."""


def f(x):
    """Say so."""
    text = (
        "part"
    )
    return [x, """kept
# too""", text]
'''


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("What it is", "Something else"),
        ("How large", "Something else"),
        ("Say so", "Something else"),
        ("# why", "# because"),
        ("  # why", ""),
        ("SIZE = 3", "# A comment.\n\nSIZE = 3"),
    ],
)
def test_words_for_people_do_not_count(old: str, new: str) -> None:
    assert old in CODE
    assert _plain(CODE.replace(old, new)) == _plain(CODE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("SIZE = 3", "SIZE = 4"),
        ("part", "other"),
        ("# too", "# to"),
        ("return", "yield"),
        ("    return", "return"),
        ("SIZE = 3\n", "SIZE = \\\n"),
    ],
)
def test_whatever_runs_counts(old: str, new: str) -> None:
    assert old in CODE
    assert _plain(CODE.replace(old, new)) != _plain(CODE)


def test_where_no_source_is_installed_the_release_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_digest, "_has_source", lambda: False)
    assert present_code("gang-lpt", "makespan").digest == f"release {ringyard.__version__}"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a copy of the package that can be edited, and a finished campaign."""
    folder = tmp_path_factory.mktemp("edited")
    for file in package_files():
        place = folder / "ringyard" / file
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, place)
    shutil.copytree(ROOT / "instances/data", folder / "ringyard/instances/data", dirs_exist_ok=True)
    (folder / "two.toml").write_text(TEXT, encoding="utf-8")
    assert asked(folder, "--workers", "1")["done"] == 3
    return folder


def asked(folder: Path, *words: str) -> Any:
    program = "from ringyard.__main__ import main; main()"
    command = [sys.executable, "-P", "-c", program, "run", "two.toml", "--json", *words]
    known = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(command, cwd=folder, env=known, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def edit(folder: Path, file: str, old: str, new: str) -> None:
    path = folder / "ringyard" / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def stale(folder: Path) -> dict[str, Any]:
    """Return the methods of runs that are to be done, and why."""
    runs = asked(folder, "--plan")["runs"]
    return {one["method"]: one["stale"] for one in runs if not one["done"]}


def test_an_edited_method_is_run_again_and_no_other(package: Path) -> None:
    file = "policies/makespan/gang_lpt.py"
    assert stale(package) == {}
    with (package / "ringyard" / file).open("a", encoding="utf-8") as source:
        source.write("\n# A comment.\n")
    edit(package, "version.py", '"', '"9.')
    edit(package, "cli/run.py", "import time", "import time as time")
    assert stale(package) == {}
    edit(package, file, "\ndef ", "\nMORE = 1\n\n\ndef ")
    assert stale(package) == {"gang-lpt": f"changed since: {file}"}
    assert asked(package, "--workers", "1")["done"] == 3
    assert stale(package) == {}
    lines = [
        json.loads(line)
        for path in (package / "out/two/journal").glob("*.jsonl")
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    assert sorted(row["method"] for row in lines) == [BOUND, "first-fit", "gang-lpt", "gang-lpt"]
    edit(package, "search/makespan/bounds/counting.py", "\ndef ", "\nMORE = 1\n\n\ndef ")
    found = stale(package)
    assert found == dict.fromkeys(found, "changed since: search/makespan/bounds/counting.py")
    assert len(found) == 3


def test_rows_from_before_code_was_noted_say_so(package: Path) -> None:
    for path in (package / "out/two/code").glob("*.json"):
        path.unlink()
    edit(package, "run.py", "\nPART_FOR_BOUND", "\nMORE = 1\n\nPART_FOR_BOUND")
    found = {*stale(package).values()}
    assert all(why.startswith("it was made by ringyard ") for why in found)
