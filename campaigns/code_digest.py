"""The Ringyard code on which a row depends, with a digest that detects stale rows.

Imports, also inside functions, are followed from the modules named by the records of a method and
its family. Files are only read, never imported. A file enters in plain form without comments,
docstrings, blank lines and type-checking imports, which is equal under all versions of Python.
"""

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from importlib.util import find_spec
from inspect import getsource
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from ..analysis.rows import BOUND
from ..families import FAMILIES, Method
from ..instances.reading.vocabulary import held, short
from ..methods import find_method
from ..version import __version__

ROOT = Path(__file__).parents[1]

PACKAGE = __name__.partition(".campaigns")[0]

APART = {
    "version.py": "a release number changes no answer",
    "methods.py": "finds a method by its name, which is in the key",
    "families/registry.py": "lists all families, and each record contributes its relevant fields",
    "analysis/display.py": "displays answers",
}
"""Ringyard modules that no row depends on, including their private imports, with the reasons."""


@dataclass(frozen=True, slots=True)
class Code:
    """The modules that something rests on, each by a digest, and a digest of all of them."""

    digest: str
    modules: Mapping[str, str]


@cache
def code_of(name: str, kind: str, *, certificates: bool = False) -> Code:
    """Return the code on which a row of a method, or of `bound`, depends in this process.

    It covers the method, the judge, the first bound, the runner and the data model. A user's
    function has a separate source digest. Without installed sources, the release represents all
    code.
    """
    return present_code(name, kind, certificates=certificates)


def present_code(name: str, kind: str, *, certificates: bool = False) -> Code:
    """Return the same as the files are now."""
    method = None if name == BOUND else find_method(name, kind)
    about = [*_about(method, kind, certificates=certificates)]
    facts = [one.source for one in about if isinstance(one, _Fact)]
    return _code((one for one in about if not isinstance(one, _Fact)), facts)


@cache
def code_of_modules(*modules: Any) -> Code:
    """Return the code of some modules or objects, including their imports."""
    return _code(modules, ())


def digest_of_paths(paths: Iterable[str]) -> str:
    """Return a digest of the modules in some folders and files, without their imports.

    A missing path is treated as empty.
    """
    content = sha256()
    for path in sorted(paths):
        place = ROOT / path
        for file in [place] if place.is_file() else sorted(place.rglob("*.py")):
            known = os.stat(file)
            read = _read(str(file), known.st_mtime_ns, known.st_size)
            content.update(f"\0{file.relative_to(ROOT).as_posix()} {read.digest}".encode())
    return content.hexdigest()[:16]


class _Fact(NamedTuple):
    """A relevant value of a record, in addition to the code of modules."""

    source: str


def _about(method: Method | None, kind: str, *, certificates: bool) -> Iterator[Any]:
    """Yield the dependencies of a row: objects, names of modules, and facts of records."""
    family = FAMILIES[kind]
    fields = ["instance", "schedule", "bounds"]
    yield _Fact(repr((family.maximize, family.horizon, dict(family.claims))))
    if method is None:
        fields.append("slow_bounds")
        yield ".search.asked_bounds"
    else:
        fields += ["judge", "refusal", "metrics"]
        yield from (".run", ".policies.request")
        yield from _of_method(method, kind)
    if certificates:
        fields.append("proofs")
        yield from (".analysis.check.certificates.checking", ".instances.certificate")
    for thing in (held(family, field) for field in fields):
        # A function of a record itself counts, and not all else that the record lists.
        own = isinstance(thing, FunctionType) and thing.__module__.startswith(f"{PACKAGE}.families")
        yield _Fact(_plain(getsource(thing))[0]) if own and _has_source() else thing


def _of_method(method: Method, kind: str) -> Iterator[Any]:
    yield _Fact(repr((short(method.formulation), short(method.solver))))
    if method.kind == "outside":
        yield from (".extensions.method", held(FAMILIES[kind], "extension"))
    if method.formulation or not method.digest:
        yield getattr(method.module, "thing", method.module)
    program = method.formulation.partition("-")[0]
    if program:
        yield from (".formulations.named", ".formulations.catalogue")
    yield from (one.module for one in FAMILIES[kind].programs if one.name == program)


def _code(about: Iterable[Any], facts: Iterable[str]) -> Code:
    if not _has_source():
        return Code(f"release {__version__}", {})
    modules = _reached(filter(None, map(_file_of, about)))
    content = sha256("\0".join(facts).encode())
    for name, digest in sorted(modules.items()):
        content.update(f"\0{name} {digest}".encode())
    return Code(content.hexdigest()[:16], modules)


@cache
def _has_source() -> bool:
    return (ROOT / "run.py").is_file()


def _file_of(thing: Any) -> str | None:
    """Return the file of a module, or of the module that a thing is from."""
    if isinstance(thing, str):
        module = thing.partition(":")[0]
    elif isinstance(thing, ModuleType):
        module = thing.__name__
    else:
        module = str(getattr(thing, "__module__", ""))
    if module.startswith((".", f"{PACKAGE}.")):
        return _module_file(str(ROOT.joinpath(*module.removeprefix(PACKAGE)[1:].split("."))))
    try:
        place = getattr(sys.modules.get(module), "__file__", None)
        spec = None if place else find_spec(module)
    except (ImportError, ValueError):
        return None
    place = spec.origin if spec else place
    return place if place and place.endswith(".py") and os.path.isfile(place) else None


def _module_file(base: str) -> str | None:
    """Return the file of a module, or of a package, by its path without an ending."""
    return next(filter(os.path.isfile, (f"{base}.py", os.path.join(base, "__init__.py"))), None)


def _reached(files: Iterable[str]) -> dict[str, str]:
    """Return all modules that files import in turn, by digest."""
    found, waiting, seen = dict[str, str](), [*files], set[str]()
    while waiting:
        file = waiting.pop()
        if file in seen:
            continue
        seen.add(file)
        name = _name_of(file)
        if name not in APART:
            known = os.stat(file)
            read = _read(file, known.st_mtime_ns, known.st_size)
            found[name] = read.digest
            waiting += read.imports
    return found


@cache
def _name_of(file: str) -> str:
    """Return a file's path below its package, prefixed with the name of any other package."""
    if Path(file).is_relative_to(ROOT):
        return Path(file).relative_to(ROOT).as_posix()
    outer = [*_packages(file)]
    return os.path.relpath(
        file, os.path.dirname(os.path.dirname(outer[-1])) if outer else os.path.dirname(file)
    )


class _Source(NamedTuple):
    digest: str
    imports: tuple[str, ...]
    """Files that it imports, with the packages around it."""


@lru_cache(maxsize=4096)
def _read(file: str, changed: int, size: int) -> _Source:
    """Read a file as it is at this time."""
    del changed, size
    plain, strings = _plain(Path(file).read_text("utf-8"))
    content = sha256("\0".join([plain, *strings]).encode("utf-8", "surrogatepass"))
    imports = {one for base, name in _imports(file, plain) for one in _home(base, name)}
    return _Source(content.hexdigest()[:16], (*imports, *_packages(file)))


_STRING = (
    r"(?:\b[rbfuRBFU]{1,2})?(?:"
    r'"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""'
    r"|'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''"
    r'|"[^"\\\n]*(?:\\.[^"\\\n]*)*"'
    r"|'[^'\\\n]*(?:\\.[^'\\\n]*)*')"
)
_WORDS = re.compile(rf"#[^\n]*|{_STRING}", re.DOTALL)
_LINE_ENDS = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\n|\Z)")
_BLANK = re.compile(r"\s*\n")
_FOR_TYPES = re.compile(r"^if TYPE_CHECKING:\n((?:[ \t].*\n|\n)+)", re.MULTILINE)
_IMPORT = re.compile(
    r"^[ \t]*from[ \t]+(\.+)([\w.]*)[ \t]+import[ \t]+(?:\(([^)]*)\)|(.*))", re.MULTILINE
)


def _plain(text: str) -> tuple[str, list[str]]:
    """Return code without comments and docstrings, and the strings in it.

    A docstring is any string that is a separate statement.
    """
    parts, strings, place, depth = list[str](), list[str](), 0, 0
    for found in _WORDS.finditer(text):
        code, word = text[place : found.start()], found[0]
        parts.append(code)
        place = found.end()
        depth += sum(map(code.count, "([{")) - sum(map(code.count, ")]}"))
        if word[0] == "#":
            continue
        line = code.rpartition("\n")[2]
        first = ("\n" in code and code.rstrip()[-1:] != "\\") or place == len(code) + len(word)
        if depth or not first or line.strip() or not _LINE_ENDS.match(text, place):
            parts.append("\0")
            strings.append(word)
    plain = _BLANK.sub("\n", "".join([*parts, text[place:], "\n"]))
    return _FOR_TYPES.sub("", plain), strings


def _imports(file: str, plain: str) -> Iterator[tuple[str, str]]:
    """Yield a file's imports from its package: the path of a module, and a name in it."""
    for dots, module, several, one in _IMPORT.findall(plain):
        base = file
        for _ in dots:
            base = os.path.dirname(base)
        base = os.path.join(base, *module.split(".")) if module else base
        yield from ((base, part.split()[0]) for part in (several or one).split(",") if part.strip())


def _home(base: str, name: str) -> Iterator[str]:
    """Yield the files that are imported with a name of a module or a package."""
    file = _module_file(os.path.join(base, name)) or _module_file(base)
    if file is None:
        return
    yield file
    home = _late_names(file).get(name)
    if home is not None and os.path.basename(file) == "__init__.py":
        yield from _home(*home)


@cache
def _late_names(file: str) -> dict[str, tuple[str, str]]:
    """Return the sources of a package's lazily imported names."""
    if os.path.basename(file) != "__init__.py":
        return {}
    text = Path(file).read_text("utf-8")
    if "import late" not in text:
        return {}
    return {
        name: (base, name)
        for block in _FOR_TYPES.findall(text + "\n")
        for base, name in _imports(file, block)
    }


@cache
def _packages(file: str) -> tuple[str, ...]:
    """Return the `__init__.py` of the packages around a file, except Ringyard's top level."""
    found, folder = list[str](), os.path.dirname(file)
    while folder != str(ROOT) and os.path.isfile(init := os.path.join(folder, "__init__.py")):
        found.append(init)
        folder = os.path.dirname(folder)
    return tuple(found)
