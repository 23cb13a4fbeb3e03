"""What some fields of a family's record have: words of verdicts, servers, bounds, suites."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ..instances.outcome import Bound


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What is said of the verdicts of a family beside the objective."""

    parts: Callable[[Any], dict[str, Any]] = lambda _: {}
    """Keys of the JSON object."""
    beside: Callable[[Any], tuple[str, str] | None] = lambda _: None
    """What is worth knowing beside a solution: what it is, and how much."""
    rest: Callable[[Any], str] = lambda _: ""
    """What follows the objective in a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """How the servers of a family's instances are read and changed, and which a job fits into."""

    read: Callable[[Any], tuple[Any, ...]]
    put: Callable[[Any, tuple[Any, ...]], Any]
    fits: Callable[[Any, Any, tuple[Any, ...]], bool]
    """Of an instance, a job, and some of its servers."""


class SlowBounds(Protocol):
    """What comes of asking for bounds that take their time."""

    @property
    def best(self) -> "Bound":
        """The tightest."""
        ...

    @property
    def found(self) -> "Sequence[Bound]":
        """All that were found beyond the first."""
        ...

    @property
    def missing(self) -> Sequence[str]:
        """Why others could not be had."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What an instance is drawn from, but for its seed."""

    family: str
    """A name of `ringyard list families`."""
    options: Mapping[str, Any] = field(default_factory=dict)
    times: int = 2
    """How many instances are drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """Instances of one problem family, methods to be compared with, and limits of a run.

    What a suite is does not change: another one has another version, or another name.
    """

    name: str
    version: int
    kind: str = ""
    """The problem family; its record fills it in."""
    about: str
    recipes: tuple[Recipe, ...]
    baselines: tuple[str, ...]
    strong: bool = False
    """Whether the bounds that take their time take little of it on these instances."""
    time_limit: float = 10.0
    memory_limit: float = 2000.0

    @property
    def drawn(self) -> list[Recipe]:
        """The recipe of each instance."""
        return [recipe for recipe in self.recipes for _ in range(recipe.times)]


def took(
    begins: str, *, ends: str = "ends", items: str = "jobs", unit: int = 1
) -> Callable[[Any, Any], list[float]]:
    """Return what gives the time from a field of each item to its end, which a verdict has."""

    def times(one: Any, verdict: Any) -> list[float]:
        ended = getattr(verdict, ends)
        return [
            (float(ended.get(item.name, inf)) - float(getattr(item, begins))) / unit
            for item in getattr(one, items)
        ]

    return times
