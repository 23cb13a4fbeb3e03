"""The families that there are: those of this package, and those that others bring."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from .coded import CODED
from .family import Family
from .fleet import FLEET
from .late import load
from .makespan import MAKESPAN
from .online import ONLINE
from .rental import RENTAL
from .reserved import RESERVED
from .shuffle import SHUFFLE
from .trace import TRACE
from .transfers import TRANSFERS

GROUP = "ringyard.families"
"""Entry points of this group name families of other packages."""

PLUGINS = "RINGYARD_PLUGINS"
"""The environment names modules, or files, that register families, with commas between."""


class _Families(Mapping[str, Family]):
    """Families by kind; other packages are asked when one is missing, or when all are wanted."""

    def __init__(self, *own: Family) -> None:
        self._known = {family.kind: family for family in own}
        self._asked: str | None = None
        """What the environment named when other packages were asked."""

    def __getitem__(self, kind: str) -> Family:
        if kind not in self._known:
            self._ask()
        if kind not in self._known:
            raise _unknown(kind, self._known)
        return self._known[kind]

    def __iter__(self) -> Iterator[str]:
        self._ask()
        return iter(self._known)

    def __len__(self) -> int:
        self._ask()
        return len(self._known)

    def add(self, family: Family) -> None:
        """Add a family, unless there is another of its kind."""
        known = self._known.setdefault(family.kind, family)
        if known is not family:
            raise _broken(f"{family.kind!r}", "there is a family of this kind already")

    def _ask(self) -> None:
        named = os.environ.get(PLUGINS, "")
        if self._asked == named:
            return
        before, self._asked = self._asked, named  # A module may ask while it is imported.
        try:
            for name in filter(None, map(str.strip, named.split(","))):
                _loaded(name, _plugin, name)
            from importlib.metadata import entry_points

            for point in entry_points(group=GROUP):
                found = _loaded(point.value, point.load)
                if not isinstance(found, Family):
                    raise _broken(point.value, f"a {type(found).__name__}")
                self.add(found)
        except BaseException:
            self._asked = before
            raise


FAMILIES = _Families(MAKESPAN, ONLINE, RESERVED, TRACE, RENTAL, FLEET, CODED, SHUFFLE, TRANSFERS)
"""By the `kind` of their files."""

register = FAMILIES.add
"""Add a family of another package."""


def family_of(instance: Any) -> Family:
    """Return the family of an instance."""
    return FAMILIES[instance.kind]


def _plugin(name: str) -> Any:
    """Import a module by its name, or from a file that ends in .py."""
    if not name.endswith(".py"):
        return load(name)
    if not Path(name).exists():
        from ..instances.errors import ABSENT, InputError, Problem

        advice = f"check the path, of --plugin or in {PLUGINS}"
        raise InputError(name, [Problem("file", ABSENT, "an existing file", advice)])
    from importlib.util import module_from_spec, spec_from_file_location

    own = Path(name).stem
    known = sys.modules.get(own)
    if known is not None and getattr(known, "__file__", None) == name:
        return known
    spec = spec_from_file_location(own, name)
    if known is not None or spec is None or spec.loader is None:
        raise ImportError(f"there is another module {own!r}; rename the file")
    sys.modules[own] = made = module_from_spec(spec)
    try:
        spec.loader.exec_module(made)
    except BaseException:
        del sys.modules[own]
        raise
    return made


def _unknown(kind: str, known: Iterable[str]) -> Exception:
    from ..instances.errors import Problem, UnknownError

    advice = "load it: ringyard --plugin FILE.py COMMAND .."
    problem = Problem("family", kind, f"one of {', '.join(known)}", advice)
    return UnknownError("families", [problem])


def _loaded(name: str, way: Callable[..., Any], *given: str) -> Any:
    """Return what a foreign module gives; whatever it does as it is imported is an input error."""
    from ..instances.errors import InputError

    try:
        return way(*given)
    except InputError:
        raise
    except Exception as error:
        raise _broken(name, f"{type(error).__name__}: {error}") from error


def _broken(name: str, reason: str) -> Exception:
    from ..instances.errors import InputError, Problem, Words, shorten

    advice = f"repair it, or take it out of {PLUGINS} or of the environment's packages"
    return InputError("families", [Problem(name, Words(shorten(reason)), "a family", advice)])
