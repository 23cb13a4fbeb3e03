"""A method as an evaluator knows it: by name, without reading any of its code here."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..instances.errors import InputError, Problem, Words
from ..methods import all_methods, find_method, parts_of
from ..outside.entry_points import named
from ..outside.loading import digest_of
from ..outside.method import GROUP, is_outside


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What a method is called, how another process finds it, and where its code lies."""

    name: str
    asked: str
    source: str | None = None
    """A digest of the code, of one that is not of this package."""
    folder: Path | None = None
    """The folder that it is imported from, if it is not one of what is installed."""
    file: Path | None = None
    """Its file there, which may be a link to one elsewhere."""

    @property
    def places(self) -> list[Path]:
        """What a run has to see: the folder, and the files that its file links to, one by one."""
        file, seen = self.file, [self.folder]
        while file is not None and file.is_symlink():
            file = file.parent / file.readlink()
            seen.append(file)
        return list(filter(None, seen))


def candidate(method: str | Callable[..., Any], kind: str) -> Candidate:
    """Return the candidate that a name or a function is, for instances of a family."""
    if not isinstance(method, str):
        method = _place(method)
    words = parts_of(method)
    own = words[0] in {one.name for one in all_methods(kind)}
    if own or not (is_outside(words) or words[0] in named(GROUP)):
        return Candidate(name=find_method(method, kind).name, asked=method)
    if words[0] in named(GROUP):
        return Candidate(name=method, asked=method)
    file, folder = _file(words[0])
    place = str(file) if words[0].endswith(".py") else words[0]
    name = words[1] if len(words) > 1 else None
    return Candidate(
        name=":".join([Path(words[0]).name, *words[1:]]),
        asked=":".join([place, *words[1:]]),
        source=_digest(file, name),
        folder=folder,
        file=file,
    )


def _digest(file: Path, name: str | None) -> str:
    try:
        return digest_of(file, name)
    except (RecursionError, MemoryError):
        problem = Problem("method", str(file), "code that can be read", "flatten it")
        raise InputError("method", [problem]) from None


def _file(place: str) -> tuple[Path, Path]:
    """Return the file of ``file.py`` or ``module``, and the folder it is found in; none is run."""
    if place.endswith(".py"):
        file = Path(place)
        file = file.parent.resolve() / file.name
        folder = file.parent
    else:
        first, *rest = place.split(".")
        here = [Path.cwd() / f"{first}.py", Path.cwd() / first / "__init__.py"]
        spec = find_spec(first)
        origin = next(filter(Path.is_file, here), Path((spec and spec.origin) or here[0]))
        file = origin.parent.joinpath(*rest).with_suffix(".py") if rest else origin
        folder = origin.parent.parent if origin.name == "__init__.py" else origin.parent
    if not file.is_file():
        advice = "check the path, or install the module"
        raise InputError("method", [Problem("method", place, "a file of Python code", advice)])
    return file, folder


def _place(function: Callable[..., Any]) -> str:
    """Return ``file.py:name`` of a function: another process has to find it there."""
    name = getattr(function, "__qualname__", type(function).__name__)
    try:
        file = inspect.getsourcefile(function)
    except TypeError:
        file = None
    if file is None or not Path(file).is_file() or not name.isidentifier():
        expected = "a function that stands in a file, by its name"
        advice = "write it into one: it is read there by a process of its own"
        raise InputError("evaluate", [Problem("method", Words(name), expected, advice)])
    return f"{file}:{name}"
