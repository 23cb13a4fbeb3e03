"""Every import of the package agrees with the table of rooms in docs/architecture.md."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]

Uses = dict[str, set[str]]
"""Which files import which."""


class Room(NamedTuple):
    """A row of the table: own rooms (None: all but the forbidden) and foreign modules."""

    own: frozenset[str] | None
    forbidden: frozenset[str]
    foreign: frozenset[str]

    def may_import(self, room: str) -> bool:
        """Return True if files here may import from another room of ours."""
        return room not in self.forbidden if self.own is None else room in self.own


class Import(NamedTuple):
    """One import: the line it stands on, and the file of ours or the foreign module it names."""

    line: int
    target: str
    is_ours: bool


def read_rooms(page: str) -> dict[str, Room]:
    """Parse the table of rooms."""
    rooms = {}
    for row in re.findall(r"^\| `([^`]+)` \|[^|]*\|([^|]*)\|([^|]*)\|$", page, re.MULTILINE):
        name, own, foreign = row
        rooms[name] = Room(*own_rooms(own.strip()), quoted(foreign))
    return rooms


def own_rooms(cell: str) -> tuple[frozenset[str] | None, frozenset[str]]:
    """Return the rooms that a cell allows, None for all, and those it forbids."""
    if cell == "everything":
        return None, frozenset()
    if cell.startswith("everything but "):
        return None, quoted(cell)
    return quoted(cell), frozenset()


def quoted(cell: str) -> frozenset[str]:
    """Return what stands in backticks; a cell without any must say `nothing`."""
    names = frozenset(re.findall(r"`([^`]+)`", cell))
    assert names or cell.strip() == "nothing", f"cannot read the cell {cell!r}"
    return names


ROOMS = read_rooms((ROOT / "docs/architecture.md").read_text(encoding="utf-8"))


def package_files() -> list[str]:
    """Return every file of the packages in pyproject.toml, relative to the root."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    folders = [name.split(".")[1:] for name in settings["tool"]["setuptools"]["packages"]]
    files = [file for parts in folders for file in ROOT.joinpath(*parts).glob("*.py")]
    return sorted(file.relative_to(ROOT).as_posix() for file in files)


def room_of(file: str) -> str:
    """Return the room a file belongs to: the longest name that fits."""
    fitting = [name for name in ROOMS if file.startswith(name)]
    assert fitting, f"{file} is in no room of docs/architecture.md"
    return max(fitting, key=len)


@cache
def tree_of(file: str) -> ast.Module:
    """Return what a file of the package says, for all tests here that read every file."""
    return ast.parse((ROOT / file).read_text(encoding="utf-8"))


@cache
def nodes_of(tree: ast.Module) -> list[ast.AST]:
    """Return all nodes of a tree, walked once for all tests here."""
    return [*ast.walk(tree)]


def imports(file: str, tree: ast.Module) -> Iterator[Import]:
    """Yield the imports of a file, also those inside functions."""
    for node in nodes_of(tree):
        yield from imported_by(file, node)


def imported_by(file: str, node: ast.AST) -> Iterator[Import]:
    """Yield what a node imports if it is an import statement."""
    if isinstance(node, ast.Import):
        yield from (Import(node.lineno, alias.name, False) for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and not node.level:
        yield Import(node.lineno, node.module or "", False)
    elif isinstance(node, ast.ImportFrom):
        base = Path(file).parents[node.level - 1].joinpath(*(node.module or "").split("."))
        for alias in node.names:
            yield Import(node.lineno, our_file(base, alias.name), True)


@cache
def our_file(base: Path, name: str) -> str:
    """Return the file that holds `name` of the package or module `base`."""
    choices = [f"{base / name}.py", f"{base / name}/__init__.py", f"{base}.py"]
    found = [Path(choice) for choice in choices if (ROOT / choice).is_file()]
    return (found[0] if found else base / "__init__.py").as_posix()


def fault(file: str, one: Import) -> str | None:
    """Describe what is wrong with an import, if anything."""
    home = room_of(file)
    room = ROOMS[home]
    where = f"{file}:{one.line}"
    if one.is_ours:
        other = room_of(one.target)
        if other == home or room.may_import(other):
            return None
        return f"{where}: `{home}` may not import `{other}`"
    top = one.target.split(".")[0]
    if top == "ringyard":
        return f"{where}: write a relative import instead of {one.target}"
    if top in sys.stdlib_module_names or top in room.foreign:
        return None
    return f"{where}: `{home}` may not import {top}"


@cache
def all_imports() -> dict[str, list[Import]]:
    """Return the imports of every file of the package."""
    return {file: [*imports(file, tree_of(file))] for file in package_files()}


def test_imports_agree_with_the_table() -> None:
    faults = [fault(file, one) for file, found in all_imports().items() for one in found]
    assert not any(faults), "\n".join(filter(None, faults))


def test_no_imports_go_in_circles() -> None:
    """Those inside functions and for types only count as well."""
    uses: Uses = {
        file: {one.target for one in found if one.is_ours} - {file}
        for file, found in all_imports().items()
    }
    assert circle(uses) == []
    first, last = next((a, b) for a in uses for b in uses[a] if not uses[b])
    assert last in circle({**uses, last: {first}})


def circle(uses: Uses) -> list[str]:
    """Return files that import each other in turn, if there are any."""
    left = dict(uses)
    while free := [file for file in left if not left[file] & left.keys()]:
        for file in free:
            del left[file]
    walk = [next(iter(left))] if left else []
    while walk and len(set(walk)) == len(walk):
        walk.append(min(left[walk[-1]] & left.keys()))
    return walk[walk.index(walk[-1]) + 1 :] if walk else []


def test_every_room_of_the_table_exists() -> None:
    files = package_files()
    assert {room_of(file) for file in files} == set(ROOMS)


def test_the_table_names_only_rooms() -> None:
    named = {name for room in ROOMS.values() for name in (*(room.own or ()), *room.forbidden)}
    assert named <= set(ROOMS)


def test_studies_are_leaves() -> None:
    """No room may import `papers/`, so that an installation can leave it out."""
    assert [name for name, room in ROOMS.items() if room.may_import("papers/")] == []


def test_only_the_lists_of_names_import_by_name() -> None:
    by_name = [
        file
        for file in package_files()
        if re.search(r"\bimport_module\b|__import__", (ROOT / file).read_text(encoding="utf-8"))
    ]
    named = {
        "__init__.py",
        "instances/reading/vocabulary.py",
        "instances/late.py",
        "extensions/entry_points.py",
        "extensions/loading.py",
    }
    assert set(by_name) <= named


@pytest.mark.parametrize(
    ("file", "line", "message"),
    [
        ("instances/cluster.py", "from ..simulation import evaluate", "import `simulation/`"),
        ("instances/cluster.py", "import numpy as np", "import numpy"),
        ("analysis/check/makespan.py", "from ..costs import price", "import `analysis/`"),
        (
            "analysis/check/makespan.py",
            "from ...simulation import evaluate",
            "import `simulation/`",
        ),
        (
            "policies/makespan/baselines.py",
            "from ringyard.instances import Cluster",
            "a relative import",
        ),
        ("policies/makespan/baselines.py", "from ...cli import main", "import `cli/`"),
        ("policies/makespan/baselines.py", "def f():\n    import pyomo.environ", "import pyomo"),
        ("run.py", "from . import cli", "import `cli/`"),
        ("cli/certify.py", "from ..papers.study import Settings", "import `papers/`"),
        ("cli/corpus/rerun.py", "from ...papers.study import Settings", "import `papers/`"),
        ("cli/reproduce.py", "from ..papers import reproductions", "import `papers/`"),
        ("__init__.py", "from .papers.study import ours", "import `papers/`"),
    ],
)
def test_a_forbidden_import_is_noticed(file: str, line: str, message: str) -> None:
    faults = [fault(file, one) for one in imports(file, ast.parse(line))]
    assert len(faults) == 1
    assert message in (faults[0] or "")
