"""What other packages bring under entry points of a group, by name.

Nothing of it is imported before it is named or listed, and no name of ours can be replaced.
"""

import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from ..instances.errors import InputError, Problem, RingyardError, Words, shorten
from .calling import guarded, told_of

TAKEN = "ringyard has one of this name, which is used"
"""Why a thing of another package cannot be named."""

SHOWN = {Callable: "a function"}
"""What is expected, where it is not a noun."""


class Brought:
    """A thing of another package, imported when it is used."""

    def __init__(self, point: EntryPoint, *others: EntryPoint) -> None:
        """Remember where it is, and which others have its name."""
        self._point = point
        self.name = point.name
        packages = (one.dist.name if one.dist else one.value for one in (point, *others))
        self.package = ", ".join(packages)
        self.about = point.value
        self._alone = not others

    @property
    def source(self) -> str:
        """Where it comes from, as lists show it."""
        return f"outside: {self.package}"

    def load(self, kind: Any = None) -> Any:
        """Import it; whatever goes wrong, or is of another kind, is an error of that package."""
        wanted = _shown(kind) if kind else "what can be imported"
        if not self._alone:
            raise self._fault(Words(f"one in each of {self.package}"), wanted)
        try:
            found = self._point.load()
        except (Exception, SystemExit) as error:
            raise self._fault(Words(shorten(Words(told_of(error, "")))), wanted) from error
        if kind and not isinstance(found, kind):
            raise self._fault(Words(f"a {type(found).__name__}"), wanted)
        return found

    def guard(self, function: Callable[..., Any], gives: Any = None) -> "Guarded":
        """Return the function with its errors, and what it should not give, as this package's."""
        return Guarded(f"{self.name} of {self.package}", function, gives)

    def _fault(self, found: Any, wanted: str) -> InputError:
        advice = f"repair the package {self.package}, or take it out"
        problem = Problem(f"{self._point.group}: {self.name}", found, wanted, advice)
        return InputError("entry points", [problem])


class Guarded:
    """A function, or a module of functions, of another package."""

    def __init__(self, label: str, inside: Any, gives: Any = None) -> None:
        """Keep what is inside, and what a function is to give."""
        self._label, self._inside, self._gives = label, inside, gives
        self.__doc__ = inside.__doc__

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Call the function."""
        with guarded(self._label):
            found = self._inside(*given, **named)
        if self._gives is None or isinstance(found, self._gives):
            return found
        told = Words(f"a {type(found).__name__}")
        problem = Problem("result", told, _shown(self._gives), "correct it")
        raise InputError(self._label, [problem])

    def __getattr__(self, name: str) -> Any:
        """Return what a module has under a name."""
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(self._inside, name)
        return Guarded(f"{name} of {self._label}", found) if callable(found) else found


def named(group: str) -> Mapping[str, Brought]:
    """Return what other packages bring under a group, by name."""
    return _named(group, tuple(sys.path))


@cache
def _named(group: str, _: tuple[str, ...]) -> Mapping[str, Brought]:
    """Look again where packages are looked for elsewhere."""
    found: dict[str, list[EntryPoint]] = {}
    for point in entry_points(group=group):
        found.setdefault(point.name, []).append(point)
    return {name: Brought(*points) for name, points in found.items()}


def brought(
    group: str, own: Collection[str], make: Callable[[Brought], Any]
) -> Iterator[tuple[Brought, Any, str]]:
    """Yield what other packages bring, with what is made of it, or None and why there is none."""
    for _, one in sorted(named(group).items()):
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


def _shown(kind: Any) -> str:
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return " or ".join(SHOWN.get(one, f"a {one.__name__}") for one in kinds)
