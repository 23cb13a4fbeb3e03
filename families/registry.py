"""The families that there are: those of this package, and those that others bring."""

import os
from collections.abc import Callable, Iterator, Mapping
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
"""The environment names modules that register families, with commas between."""


class _Families(Mapping[str, Family]):
    """Families by kind; other packages are asked when one is missing, or when all are wanted."""

    def __init__(self, *own: Family) -> None:
        self._known = {family.kind: family for family in own}
        self._asked = False

    def __getitem__(self, kind: str) -> Family:
        if kind not in self._known:
            self._ask()
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
        if self._asked:
            return
        self._asked = True  # While a module is imported it may ask for families itself.
        try:
            for name in filter(None, os.environ.get(PLUGINS, "").split(",")):
                _loaded(f"{PLUGINS}: {name}", load, name.strip())
            from importlib.metadata import entry_points

            for point in entry_points(group=GROUP):
                found = _loaded(f"{point.value} ({GROUP})", point.load)
                if not isinstance(found, Family):
                    raise _broken(point.value, f"a {type(found).__name__}, not a Family")
                self.add(found)
        except BaseException:
            self._asked = False
            raise


FAMILIES = _Families(MAKESPAN, ONLINE, RESERVED, TRACE, RENTAL, FLEET, CODED, SHUFFLE, TRANSFERS)
"""By the `kind` of their files."""

register = FAMILIES.add
"""Add a family of another package."""


def family_of(instance: Any) -> Family:
    """Return the family of an instance."""
    return FAMILIES[instance.kind]


def _loaded(name: str, way: Callable[..., Any], *given: str) -> Any:
    try:
        return way(*given)
    except Exception as error:  # Whatever a foreign module does as it is imported.
        raise _broken(name, f"{type(error).__name__}: {error}") from error


def _broken(name: str, reason: str) -> Exception:
    from ..instances.errors import InputError, Problem, Words

    advice = f"repair or uninstall the package, or change {PLUGINS}"
    return InputError("families", [Problem(name, Words(reason), "a problem family", advice)])
