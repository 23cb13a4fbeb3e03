"""From ``path/to/file.py:name`` or ``module:name`` to the thing, and a digest of its source.

A file is loaded anew when it, or what it imports from beside it, has changed.
"""

import ast
import sys
from collections.abc import Iterator
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from ..instances.errors import InputError, Problem, Words, nearest
from .calling import told_of

_LOADED: dict[tuple[str, str], Any] = {}


def source_of(place: str) -> Path | None:
    """Return the file of ``file.py`` or ``module``, if there is one that can be read."""
    if place.endswith(".py"):
        return Path(place).absolute()
    _beside(Path.cwd())
    try:
        spec = find_spec(place)
    except (ImportError, ValueError):
        return None
    return Path(spec.origin) if spec and spec.origin and spec.origin.endswith(".py") else None


def load_thing(place: str, name: str) -> Any:
    """Return what stands under a name in a file or module."""
    whole = f"{place}:{name}"
    try:
        module = load_file(Path(place).absolute()) if place.endswith(".py") else _module(place)
    except InputError:
        raise
    except (Exception, SystemExit) as error:
        file = source_of(place)
        found = Words(told_of(error, str(file.parent) if file else ""))
        advice = "correct it" if file else "install it, or name a file: path/to/file.py:function"
        raise InputError("--method", [Problem(place, found, "Python code", advice)]) from error
    if not hasattr(module, name):
        own = [key for key, one in vars(module).items() if callable(one) and key[0] != "_"]
        like = nearest(name, own)
        advice = f"did you mean {like!r}?" if like else f"it has {', '.join(own) or 'none'}"
        raise InputError("--method", [Problem(whole, name, "a function in it", advice)])
    return getattr(module, name)


def digest_of(file: Path) -> str:
    """Return a digest of a file and of all that it imports from beside it."""
    content = sha256()
    for part in sorted(set(_with_imports(file, set()))):
        content.update(part.name.encode() + b"\0" + part.read_bytes())
    return content.hexdigest()[:16]


def load_file(file: Path) -> Any:
    """Return the module of a file, loaded anew if it has changed."""
    if not file.is_file():
        problem = Problem("method", str(file), "a file of Python code", "check the path")
        raise InputError("--method", [problem])
    key = (str(file), digest_of(file))
    if key not in _LOADED:
        _forget_neighbours(file)
        _beside(file.parent)
        name = f"ringyard_outside_{file.stem}_{key[1]}"
        spec = spec_from_file_location(name, file)
        if spec is None or spec.loader is None:
            raise ImportError(f"{file} cannot be imported")
        sys.modules[name] = made = module_from_spec(spec)
        try:
            spec.loader.exec_module(made)
        except BaseException:
            del sys.modules[name]
            raise
        _LOADED[key] = made
    return _LOADED[key]


def _module(name: str) -> Any:
    _beside(Path.cwd())
    return import_module(name)


def _beside(folder: Path) -> None:
    """Let what lies in a folder be imported, behind all that is installed."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


def _forget_neighbours(file: Path) -> None:
    """Let a file that is loaded anew import its neighbours anew."""
    own = {str(part) for part in _with_imports(file, set())}
    for name, module in list(sys.modules.items()):
        if getattr(module, "__file__", None) in own and name != "__main__":
            del sys.modules[name]


def _with_imports(file: Path, seen: set[Path]) -> Iterator[Path]:
    """Yield a file, and the files beside it that its imports reach."""
    if file in seen:
        return
    seen.add(file)
    yield file
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        for name in _imported(node):
            path = file.parent.joinpath(*name.split("."))
            for found in (path.with_suffix(".py"), path / "__init__.py"):
                if found.is_file():
                    yield from _with_imports(found, seen)


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (one.name for one in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if base:
            yield base
        yield from (f"{base}.{one.name}".lstrip(".") for one in node.names)
