"""Every public name of the package says what it is."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import ringyard

ROOT = Path(ringyard.__file__).parent
ROOMS = sorted(path.parent for path in ROOT.glob("*/__init__.py"))
FILES = [*ROOT.glob("*.py"), *(file for room in ROOMS for file in sorted(room.rglob("*.py")))]

Documented = ast.Module | ast.ClassDef | ast.FunctionDef


def public(node: Documented, name: str) -> Iterator[tuple[str, Documented]]:
    """Yield a node and the public classes and functions in it, not those inside functions."""
    yield name, node
    if isinstance(node, ast.FunctionDef):
        return
    for child in node.body:
        hidden = isinstance(child, ast.ClassDef | ast.FunctionDef) and child.name.startswith("_")
        if isinstance(child, ast.ClassDef | ast.FunctionDef) and not hidden and not overload(child):
            yield from public(child, f"{name}.{child.name}")


def overload(node: ast.ClassDef | ast.FunctionDef) -> bool:
    """Say whether a function only states types that another one of its name has."""
    return any(isinstance(d, ast.Name) and d.id == "overload" for d in node.decorator_list)


@pytest.mark.parametrize("file", FILES, ids=lambda f: str(f.relative_to(ROOT)))
def test_public_names_are_documented(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    found = list(public(tree, file.stem))
    assert [name for name, node in found if not ast.get_docstring(node)] == []
