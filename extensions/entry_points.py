"""Objects of other packages, by entry point or ``FILE.py:NAME``, and objects of plug-ins.

They are imported only when named or listed, and cannot replace Ringyard's names. A plug-in is a
module or file named by an environment variable. It need not be installed.
"""

import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from ..instances.errors import ABSENT, InputError, Problem, RingyardError, Words, shorten
from .calling import error_text, guarded
from .loading import beside, digest_of, is_there, load_place, load_thing, source_of

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


PACKAGE = __name__.partition(".extensions")[0]

PLUGINS = "RINGYARD_PLUGINS"
"""Environment variable with modules or files that register objects, separated by commas."""

DECLARATION = Path(__file__).parents[1] / "pyproject.toml"
"""Entry points of a checkout. An installed wheel has them in its metadata."""

TAKEN = "Ringyard's own object of this name is used"
"""Reason why an object of another package has no valid name."""

SHOWN = {Callable: "a function"}
"""Names of kinds that are not the names of their classes."""


@dataclass(frozen=True, slots=True)
class _Registered:
    """A registered object of a module, in the form of an entry point."""

    group: str
    name: str
    module: str
    thing: Any
    dist: Any = None
    held: bool = False
    """True if a caller passed it."""

    @property
    def value(self) -> str:
        """Its location."""
        return self.module

    def load(self) -> Any:
        """Return the object, which is already loaded."""
        return self.thing


Point = Union["EntryPoint", _Registered]


class Brought:
    """An object of another package, imported at its first use."""

    def __init__(self, *points: Point) -> None:
        """Store its locations, several if packages share the name."""
        self._points = points
        self.group, self.name, self.about = points[0].group, points[0].name, points[0].value
        packages = (one.dist.name if one.dist else one.value.split(".")[0] for one in points)
        self.package = ", ".join(dict.fromkeys(packages))
        self.held = all(getattr(one, "held", False) for one in points)
        """True if a caller of Python passed it, so that lists leave it out."""

    @property
    def source(self) -> str:
        """Its package, as lists show it."""
        own = "this process" if not self.package else f"package: {self.package}"
        return "Ringyard" if self.package == PACKAGE else own

    @property
    def label(self) -> str:
        """Its name and its package, for messages."""
        return f"{self.name} of {self.package}" if self.package else self.name

    def load(self, kind: Any = None) -> Any:
        """Import it. A failure, or an object of another kind, is an error of that package."""
        wanted = _shown(kind) if kind else "an importable object"
        if len(self._points) > 1:
            raise self._error(Words(f"one in each of {self.package}"), wanted)
        try:
            found = self._points[0].load()
        except (Exception, SystemExit) as error:
            raise self._error(Words(shorten(Words(error_text(error, "")))), wanted) from error
        if kind and not isinstance(found, kind):
            raise self._error(Words(shown_type(found)), wanted)
        return found

    @property
    def module(self) -> Any:
        """The module that defines it, or the name of this module."""
        return self.about.partition(":")[0]

    @property
    def digest(self) -> str:
        """A digest of the source of its module, and of the neighbouring files that it imports."""
        file = source_of(self.about.partition(":")[0])
        return digest_of(file) if file else ""

    def part(self, place: str, function: Any) -> Any:
        """Return a function of the object, at a place such as ``options.takes``.

        The function can be sent to another process.
        """
        del place
        return function

    def guard(self, function: Callable[..., Any], gives: Any = None) -> "Guarded":
        """Return the function, with its errors and invalid results as errors of its package."""
        return Guarded(self.label, function, gives)

    def refused(self, found: str, wanted: str) -> InputError:
        """Return the error of an object that cannot be used."""
        return self._error(Words(found), wanted)

    def _error(self, found: Any, wanted: str) -> InputError:
        advice = f"repair the package {self.package}, or uninstall it"
        problem = Problem(f"{self.group}: {self.name}", found, wanted, advice)
        return InputError("entry points", [problem])


class FromFile(Brought):
    """An object of ``FILE.py:NAME``, or of a module that declares no entry point."""

    def __init__(self, place: str, own: str) -> None:
        """Store the file or the module, and the name there."""
        self._place, self._own = place, own
        self._file = source_of(place)
        self.about = self.name = f"{Path(place).name}:{own}"
        self.package = Path(place).name
        self.held = False

    @property
    def source(self) -> str:
        """Its file, as lists show it."""
        return f"{'file' if self._place.endswith('.py') else 'package'}: {self._place}"

    @property
    def label(self) -> str:
        """Its name, for messages."""
        return self.name

    @property
    def spelled(self) -> str:
        """Its location for other processes, which may run in another folder."""
        return f"{self._file if self._place.endswith('.py') else self._place}:{self._own}"

    def load(self, kind: Any = None) -> Any:
        """Return the object. A file that has changed is read again."""
        try:
            found = load_thing(self._place, self._own, kind, _shown(kind) if kind else "")
        except InputError as error:
            own = (replace(one, path=self._own) for one in error.problems)
            raise InputError(self._place, list(own)) from error
        if kind and not isinstance(found, kind):
            raise self._error(Words(shown_type(found)), _shown(kind))
        return found

    @property
    def module(self) -> Any:
        """The module that defines it."""
        return load_place(self._place)

    @property
    def digest(self) -> str:
        """A digest of the code that the object reaches, which covers neighbouring files."""
        return digest_of(self._file, self._own) if self._file else ""

    def part(self, place: str, function: Any) -> Any:
        """Return a function that loads the file wherever it is called."""
        del function
        return _PartOfFile(self.spelled, place)

    def _error(self, found: Any, wanted: str) -> InputError:
        return InputError.of(self._place, self._own, found, wanted, "correct it, or name another")


@dataclass(frozen=True, slots=True)
class _PartOfFile:
    """A function of an object of a file. Other processes cannot import such a file by name."""

    spelled: str
    place: str

    def __call__(self, *given: Any) -> Any:
        """Call the function."""
        file, _, own = self.spelled.rpartition(":")
        return attrgetter(self.place)(load_thing(file, own))(*given)


class Guarded:
    """A function, or a module of functions, of another package."""

    def __init__(self, label: str, inside: Any, gives: Any = None) -> None:
        """Store the wrapped object, and the expected type of results."""
        self._label, self._inside, self._gives = label, inside, gives
        self.__doc__ = inside.__doc__

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Call the function."""
        with guarded(self._label):
            found = self._inside(*given, **named)
        if self._gives is None or isinstance(found, self._gives):
            return found
        kind = Words(shown_type(found))
        raise InputError.of(self._label, "result", kind, _shown(self._gives), "correct it")

    def __getattr__(self, name: str) -> Any:
        """Return the attribute of a module."""
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(self._inside, name)
        return Guarded(f"{name} of {self._label}", found) if callable(found) else found


def named(group: str) -> Mapping[str, Brought]:
    """Return the objects of packages and plug-ins in a group, by name."""
    load_plugins()
    return _named(group)


def brought_as(group: str, name: str) -> Brought | None:
    """Return what a name means that is not Ringyard's, or None if it means nothing.

    It is an entry point of a group, a registered object, or ``FILE.py:NAME`` or ``MODULE:NAME``.
    """
    known = named(group)
    if name in known:
        return known[name]
    place, sign, own = name.rpartition(":")
    return FromFile(place, own) if sign and own and is_there(place) else None


def _named(group: str) -> Mapping[str, Brought]:
    """Return the objects of the plug-ins that are already loaded."""
    found: dict[str, list[Point]] = {}
    for point in _installed(group, tuple(sys.path)):
        found.setdefault(point.name, []).append(point)
    for one in _Plugins.registered:
        installed = any(one.module == point.module for point in found.get(one.name, ()))
        if one.group == group and not installed:
            found.setdefault(one.name, []).append(one)
    return {name: Brought(*points) for name, points in found.items()}


@cache
def _installed(group: str, places: tuple[str, ...]) -> tuple["EntryPoint", ...]:
    """Return the entry points of a group. Search afresh if the search path has changed."""
    if not any(_is_mentioned(group, Path(place)) for place in places):
        return tuple(_own(group)) if DECLARATION.is_file() else ()
    from importlib.metadata import entry_points

    points = [one for one in entry_points(group=group) if not _is_own(one)]
    return (*_own(group), *points)


def _is_mentioned(group: str, place: Path) -> bool:
    """Return False if no package in a place can have entry points in a group.

    Usually there are none, and this check takes 10 % of the time of importlib.metadata.
    """
    try:
        texts = (file.read_text("utf-8") for file in place.glob("*-info/entry_points.txt"))
        return place.is_file() or any(group in text for text in texts)  # A file is an archive.
    except (OSError, ValueError):
        return True


def _is_own(point: "EntryPoint") -> bool:
    return point.dist is not None and point.dist.name == PACKAGE


def _own(group: str) -> Iterator["EntryPoint"]:
    """Yield the entry points of this package, except for rooms that are not installed.

    In a checkout pyproject.toml is used: the metadata of an editable installation may be older.
    """
    if DECLARATION.is_file():
        points = _declared(group)
    else:
        from importlib.metadata import entry_points

        points = [one for one in entry_points(group=group) if _is_own(one)]
    from importlib.util import find_spec

    for point in points:
        try:
            there = find_spec(point.module)
        except ModuleNotFoundError:
            continue
        if there:
            yield point


def _declared(group: str) -> list["EntryPoint"]:
    """Return the entry points of a group in pyproject.toml."""
    text = DECLARATION.read_text(encoding="utf-8")
    if group not in text:  # Most groups are only for other packages, and parsing is slow.
        return []
    import tomllib
    from importlib.metadata import EntryPoint

    found = tomllib.loads(text)["project"]["entry-points"].get(group, {})
    return [EntryPoint(name, value, group) for name, value in found.items()]


def brought(
    group: str, own: Collection[str], make: Callable[[Brought], Any]
) -> Iterator[tuple[Brought, Any, str]]:
    """Yield each package's objects with their conversion, or with None and the reason.

    A plug-in that fails to load is included, under its own name.
    """
    try:
        load_plugins()
    except InputError as error:
        for problem in error.problems:
            reason = f"broken: {shorten(problem.value)}, expected {problem.expected}"
            yield Brought(_Registered(group, problem.path, PLUGINS, None)), None, reason
    for _, one in sorted(_named(group).items()):
        if one.held:
            continue
        if one.name in own:
            yield one, None, TAKEN
            continue
        try:
            made, reason = make(one), ""
        except InputError as error:
            made, reason = None, f"broken: {shorten(error.problems[0].value)}"
        except RingyardError as error:
            made, reason = None, f"broken: {str(error).splitlines()[0]}"
        yield one, made, reason


class _Plugins:
    """Modules named by the environment variable, and all registered objects."""

    loaded = ""
    """The value of the variable when they were loaded."""
    registered: tuple[_Registered, ...] = ()


def register(group: str, name: str, thing: Any) -> None:
    """Register an object in an entry point group, from a module that is not installed."""
    module = sys._getframe(1).f_globals.get("__name__", "")
    point = _Registered(group, name, module, thing)
    others = [one for one in _Plugins.registered if _place(one) != _place(point)]
    _Plugins.registered = (*others, point)


def hold(group: str, name: str, thing: Any) -> Brought:
    """Return an object that a caller passes. It replaces an earlier one of its name."""
    module = getattr(thing, "module", "")
    point = _Registered(group, name, getattr(module, "__name__", module), thing, held=True)
    others = [
        one
        for one in _Plugins.registered
        if not (one.held and (one.group, one.name) == (group, name))
    ]
    _Plugins.registered = (*others, point)
    return Brought(point)


def _place(one: _Registered) -> tuple[str, str, str]:
    return one.group, one.name, one.module


def load_plugins() -> None:
    """Import the modules that the environment variable names. Combine their errors into one."""
    named = os.environ.get(PLUGINS, "")
    if _Plugins.loaded == named:
        return
    before, _Plugins.loaded = _Plugins.loaded, named  # A module may call this while it is imported.
    problems = list[Problem]()
    try:
        for name in filter(None, map(str.strip, named.split(","))):
            problems += _plugin_problems(name)
        if problems:
            raise InputError("plug-ins", problems)
    except BaseException:
        _Plugins.loaded = before
        raise


def _plugin_problems(name: str) -> list[Problem]:
    """Import a module by its name, or from a .py file. Return its error."""
    if name.endswith(".py") and not Path(name).exists():
        advice = f"check the path, of --plugin or in {PLUGINS}"
        return [Problem(name, ABSENT, "an existing file", advice)]
    try:
        _load_file(name) if name.endswith(".py") else import_module(name)
    except InputError as error:
        return list(error.problems)
    except (Exception, SystemExit) as error:
        lines = error_text(error, str(Path(name).parent)).splitlines()
        found = Words("; ".join(map(str.strip, lines)))
        advice = f"repair it, or remove it from {PLUGINS}"
        return [Problem(name, found, "an importable module", advice)]
    return []


def _load_file(name: str) -> None:
    from importlib.util import module_from_spec, spec_from_file_location

    own = Path(name).stem
    known = sys.modules.get(own)
    if known is not None and getattr(known, "__file__", None) == name:
        return
    beside(Path(name).absolute().parent)
    spec = spec_from_file_location(own, name)
    if known is not None or spec is None or spec.loader is None:
        raise ImportError(f"another module is named {own!r}, rename the file")
    sys.modules[own] = made = module_from_spec(spec)
    try:
        spec.loader.exec_module(made)
    except BaseException:
        del sys.modules[own]
        raise


def _shown(kind: Any) -> str:
    kinds = kind if isinstance(kind, tuple) else (kind,)
    named = (SHOWN.get(one) or one.__name__ for one in kinds)
    return " or ".join(one if " " in one else f"{_article(one)} {one}" for one in named)


def shown_type(thing: Any) -> str:
    """Return what an object is, with its article."""
    return "a class" if isinstance(thing, type) else _shown(type(thing))


def _article(noun: str) -> str:
    return "an" if noun[0] in "AEIOUaeiou" else "a"
