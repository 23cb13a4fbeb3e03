"""Loading of ``path/to/file.py:name`` or ``module:name``, and a digest of its source.

A file is reloaded if it, or a neighbouring file that it imports, has changed.
"""

import ast
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from ..instances.errors import InputError, Problem, Words, unknown
from ..instances.reading.decode import read_bytes
from .calling import error_text

_LOADED: dict[tuple[str, str], Any] = {}


def source_of(place: str) -> Path | None:
    """Return the file of ``file.py`` or ``module``, if there is one that can be read."""
    if place.endswith(".py"):
        return Path(place).absolute()
    beside(Path.cwd())
    try:
        spec = find_spec(place)
    except (Exception, SystemExit):  # It imports the parent packages of the module.
        return None
    return Path(spec.origin) if spec and spec.origin and spec.origin.endswith(".py") else None


def is_there(place: str) -> bool:
    """Return False if there is no module of a name. A missing file is an error of its own."""
    if place.endswith(".py"):
        return True
    if not all(map(str.isidentifier, place.split("."))):
        return False
    beside(Path.cwd())
    try:
        return find_spec(place) is not None
    except ModuleNotFoundError as error:
        return not f"{place}.".startswith(f"{error.name}.")
    except (Exception, SystemExit):  # It imports the parent packages of the module.
        return True


def load_place(place: str) -> Any:
    """Return the module of ``file.py`` or ``module``."""
    try:
        return load_file(Path(place).absolute()) if place.endswith(".py") else _module(place)
    except InputError:
        raise
    except (Exception, SystemExit) as error:
        file = source_of(place)
        text = error_text(error, str(file.parent) if file else "")
        found = Words("; ".join(map(str.strip, text.splitlines())))
        raise InputError.of("method", place, found, "Python code", "correct it") from error


def load_thing(place: str, name: str, kind: Any = None, wanted: str = "") -> Any:
    """Return the object of a name in a file or module. Only the error needs kind and its name."""
    module = load_place(place)
    if not hasattr(module, name):
        own = own_names(module)
        if isinstance(kind, type) and kind is not Callable:
            own = [key for key, one in vars(module).items() if isinstance(one, kind)]
        has = f"it has {', '.join(own) or 'none'}"
        expected = f"{wanted or 'a function'} in it"
        raise InputError("method", [unknown(f"{place}:{name}", name, own, has, expected)])
    return getattr(module, name)


def digest_of(file: Path, name: str | None = None) -> str:
    """Return a digest of a file and of all neighbouring files that it imports.

    With a name, the digest covers its definition and everything that it reaches in the file, except
    for a `Program`: its functions are found in the file by their names. A transformation after a
    dash is not part of the name. Comments and documentation are ignored.
    """
    if not file.is_file():
        return ""
    content = sha256()
    parts = _with_imports(file, set()) if name is None else _reached(file, name, content)
    for part in sorted(set(parts)):
        content.update(part.name.encode() + b"\0" + read_bytes(part))
    return content.hexdigest()[:16]


PROGRAM = "Program"
"""The class of programs. The digest of a name that reaches it covers the file."""

UNSEEN = {"eval", "exec", "globals", "vars", "__import__", "importlib", "getattr"}
"""Functions that can reach names that are not in the code. The digest then covers the file."""


def _reached(file: Path, name: str, content: Any) -> Iterator[Path]:
    """Add the code that a name reaches, and yield the neighbouring files that it imports."""
    try:
        tree = ast.parse(read_bytes(file))
    except (SyntaxError, ValueError):
        yield file
        return
    code = [one for one in tree.body if not _is_text(one)]
    bound = [({*_bound(one)}, one) for one in code]
    used, before = {name.partition("-")[0]}, set[str]()
    while used != before:
        before = set(used)
        for names, one in bound:
            if not names or names & used:
                used |= {n.id for n in ast.walk(one) if isinstance(n, ast.Name)}
    if used & {*UNSEEN, PROGRAM}:
        yield from _with_imports(file, set())
        return
    for names, one in bound:
        if not names or names & used:
            content.update(ast.dump(_without_words(one)).encode())
            for path in _neighbours(file, one):
                yield from _with_imports(path, {file})


def _bound(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement of a file assigns, if that is its only effect."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name
        case ast.Import() | ast.ImportFrom():
            own = ((one.asname or one.name).partition(".")[0] for one in node.names)
            yield from (name for name in own if name != "*")
        case ast.Assign(targets=targets):
            yield from (n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=own)):
            yield own


def _without_words(node: ast.stmt) -> ast.stmt:
    for one in ast.walk(node):
        body = getattr(one, "body", None)
        if isinstance(body, list) and len(body) > 1 and _is_text(body[0]):
            del body[0]
    return node


def _is_text(node: ast.AST) -> bool:
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def own_names(module: Any) -> list[str]:
    """Return the names of callables that a module defines itself."""
    return [
        key
        for key, one in vars(module).items()
        if callable(one) and key[0] != "_" and getattr(one, "__module__", "") == module.__name__
    ]


def load_file(file: Path) -> Any:
    """Return the module of a file, reloaded if it has changed."""
    if not file.is_file():
        raise InputError.of(
            "method", "method", Words(f"no {file}"), "a file of Python code", "check the path"
        )
    key = (str(file), digest_of(file))
    if key not in _LOADED:
        _forget_neighbours(file)
        beside(file.parent)
        name = f"ringyard_outside_{file.stem}_{key[1]}"
        sys.modules[name] = made = ModuleType(name)
        made.__file__ = str(file)
        before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
        try:  # Python's cached bytecode is stale if a file is edited within a second.
            exec(compile(read_bytes(file), str(file), "exec"), vars(made))
        except BaseException:
            del sys.modules[name]
            raise
        finally:
            sys.dont_write_bytecode = before
        _LOADED[key] = made
    return _LOADED[key]


def _module(name: str) -> Any:
    beside(Path.cwd())
    advice = "install it, or name a file: path/to/file.py:function"
    absent = Problem(name, Words("no module of this name"), "a module in Python", advice)
    if not all(map(str.isidentifier, name.split("."))):
        raise InputError("method", [absent])
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if f"{name}.".startswith(f"{error.name}."):
            raise InputError("method", [absent]) from None
        raise


_FOLDERS: list[str] = []
"""Folders of user code, the latest first, after all installed packages."""


def beside(folder: Path) -> None:
    """Make the files of a folder importable, before files of the same name in older folders."""
    others = [one for one in _FOLDERS if one != str(folder)]
    sys.path[:] = [one for one in sys.path if one not in others]
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    sys.path += others
    _FOLDERS[:] = [str(folder), *others]
    for name, module in list(sys.modules.items()):
        place = getattr(module, "__file__", None) or ""
        if place.startswith(tuple(f"{one}/" for one in others)) and "." not in name:
            twin = folder / name
            if twin.with_suffix(".py").is_file() or (twin / "__init__.py").is_file():
                del sys.modules[name]


def _forget_neighbours(file: Path) -> None:
    """Let a reloaded file reload its neighbours."""
    own = {str(part) for part in _with_imports(file, set())}
    for name, module in list(sys.modules.items()):
        if getattr(module, "__file__", None) in own and name != "__main__":
            del sys.modules[name]


def _with_imports(file: Path, seen: set[Path]) -> Iterator[Path]:
    """Yield a file, and the neighbouring files that its imports reach."""
    if file in seen:
        return
    seen.add(file)
    yield file
    try:
        tree = ast.parse(read_bytes(file))
    except (SyntaxError, ValueError):
        return
    for path in _neighbours(file, tree):
        yield from _with_imports(path, seen)


def _neighbours(file: Path, tree: ast.AST) -> Iterator[Path]:
    """Yield the neighbouring files that its code imports."""
    for node in ast.walk(tree):
        for name in _imported(node):
            path = file.parent.joinpath(*name.split("."))
            yield from filter(Path.is_file, (path.with_suffix(".py"), path / "__init__.py"))


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (one.name for one in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if base:
            yield base
        yield from (f"{base}.{one.name}".lstrip(".") for one in node.names)
