"""The problem families of this package and of other packages."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .coded import CODED
from .family import Family
from .fleet import FLEET
from .makespan import MAKESPAN
from .method import Program
from .online import ONLINE
from .rental import RENTAL
from .reserved import RESERVED
from .shuffle import SHUFFLE
from .trace import TRACE
from .transfers import TRANSFERS

if TYPE_CHECKING:
    from ..extensions.entry_points import Brought

GROUP = "ringyard.families"
"""Entry point group of other packages' families."""


class _Families(Mapping[str, Family]):
    """Families by kind. Other packages are searched if a kind is missing, or for the full list."""

    def __init__(self, *own: Family) -> None:
        self._known = {family.kind: family for family in own}
        self._asked: str | None = None
        """Value of the environment variable at the last search of other packages."""

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
        """Add a family, unless its kind is already registered."""
        known = self._known.setdefault(family.kind, family)
        if known is not family:
            raise _broken(f"{family.kind!r}", "a family of this kind is already registered")

    def _ask(self) -> None:
        from ..extensions.entry_points import PLUGINS, named

        plugins = os.environ.get(PLUGINS, "")
        if self._asked == plugins:
            return
        before, self._asked = self._asked, plugins  # A module may call this while it is imported.
        try:
            for one in named(GROUP).values():
                self.add(one.load(Family))
        except BaseException:
            self._asked = before
            raise


FAMILIES = _Families(MAKESPAN, ONLINE, RESERVED, TRACE, RENTAL, FLEET, CODED, SHUFFLE, TRANSFERS)
"""Return the families by the `kind` of their files."""

register = FAMILIES.add
"""Add a family of another package."""


def family_of(instance: Any) -> Family:
    """Return the family of an instance."""
    return FAMILIES[instance.kind]


def extension_program(one: "Brought") -> Program:
    """Return a program of another package or of a file. By default its module defines it."""
    found: Program = one.load(Program)
    if not found.family:
        wanted = f"one with its family, such as family={next(iter(FAMILIES._known))!r}"
        raise one.refused("a Program without a family", wanted)
    FAMILIES[found.family]  # A family that there is not is an error.
    module = found.module or one.module
    if not module:
        raise one.refused("a Program without a module", "one with module=__name__")
    return replace(found, name=one.name, module=module)


def _unknown(kind: str, known: Iterable[str]) -> Exception:
    from ..instances.errors import Problem, UnknownError

    advice = "load it: ringyard --plugin FILE.py COMMAND .."
    problem = Problem("family", kind, f"one of {', '.join(known)}", advice)
    return UnknownError("families", [problem])


def _broken(name: str, reason: str) -> Exception:
    from ..instances.errors import InputError, Problem, Words

    advice = "give it another kind"
    return InputError("families", [Problem(name, Words(reason), "a family", advice)])
