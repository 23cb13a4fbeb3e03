"""What other packages bring under entry points of a group, by name."""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from ..instances.errors import InputError, Problem, Words, shorten


class Brought:
    """A thing of another package, imported when it is used."""

    def __init__(self, point: EntryPoint) -> None:
        """Remember where it is."""
        self._point = point
        self.name = point.name
        self.package = point.dist.name if point.dist else point.value
        self.about = point.value

    def load(self) -> Any:
        """Import it; whatever goes wrong is an error of that package."""
        try:
            return self._point.load()
        except Exception as error:
            found = Words(shorten(f"{type(error).__name__}: {error}"))
            advice = f"repair the package {self.package}, or take it out"
            problem = Problem(f"{self._point.group}: {self.name}", found, "a module", advice)
            raise InputError("entry points", [problem]) from error


@cache
def named(group: str) -> Mapping[str, Brought]:
    """Return what other packages bring under a group, by name."""
    return {point.name: Brought(point) for point in entry_points(group=group)}
