"""Reproductions: campaigns behind tables and figures of pages, wherever they come from.

Studies are leaves. Nothing here imports one: a package names its reproductions in an entry point of
the group, and so does the room `papers/` of this package. It can be left out of an installation.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from ..analysis.rows import Row
from ..extensions.entry_points import TAKEN, Brought, brought
from ..instances.errors import InputError, Problem
from ..instances.reading.vocabulary import load
from .runs import Run

GROUP = "ringyard.reproductions"
"""Entry points of this group name a `Reproduction`, or a tuple of them."""

ALL = "all"
"""What stands for all reproductions of this package."""

T = TypeVar("T")

Answers = Callable[[Run], Row]
"""Gives the row of a run."""

Known = Callable[[Run], Row | None]
"""Gives the row of a run if it is there already: what runs next may depend on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How much work a campaign does."""

    seeds: int = 10
    """Instances drawn for each point."""
    time_limit: float = 10.0
    """Seconds for our best schedule, and for the bound, of an instance."""
    figure: int | None = None
    """Only this figure of the paper."""
    points: int | None = None
    """Only this many, the first, of everything that is varied."""

    def some(self, points: Sequence[T]) -> list[T]:
        """Return the points that take part."""
        return list(points[: self.points])


SMOKE = Settings(seeds=1, time_limit=0.1, points=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction:
    """A campaign, the pages that show what comes out, and how much work it is."""

    name: str
    about: str
    module: str
    """The module with `runs(settings, known)` and `report(settings, answers)`.

    It is imported when the reproduction is made. A name that begins with a dot is in this package.
    """
    pages: tuple[str, ...] = ()
    settings: Settings = Settings()
    """With these, pages are made."""
    smoke: Settings = SMOKE
    """With these, it takes seconds and says little."""
    timed: bool = False
    """Whether seconds are measured while the report is made, rather than by runs."""
    kept: bool = False
    """Whether its runs come with Ringyard: `report_of(kept_rows())` reports on them."""
    summary: bool = False
    """Whether it only reports on what others left: `summary(docs, out)` is its campaign."""
    figures: tuple[int, ...] = ()
    """Figures of the paper that can be made alone."""
    plots: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)
    """Kinds of pictures that `ringyard plot` draws of these rows, and which rows it takes."""

    @property
    def campaign(self) -> Any:
        """Import the campaign."""
        return load(self.module)


class Found(NamedTuple):
    """A reproduction, and the entry point that brings it."""

    one: Reproduction
    point: Brought

    @property
    def is_ours(self) -> bool:
        """Whether this package brings it."""
        return self.point.source == "ours"

    @property
    def label(self) -> str:
        """Its name and its package, for messages."""
        return f"{self.one.name} of {self.point.package}"


def find_reproductions() -> tuple[dict[str, Found], list[str]]:
    """Return the reproductions of all packages by name, ours first, and why some are left out."""
    found, remarks = list[Found](), list[str]()
    for point, made, reason in brought(GROUP, (), _loaded):
        found += [Found(one, point) for one in made or ()]
        remarks += [f"{point.label}: {reason}"] if reason else []
    found.sort(key=lambda one: not one.is_ours)
    by_name = dict[str, Found]()
    for one in found:
        first = by_name.setdefault(one.one.name, one)
        if one.one.name == ALL or (first is not one and first.is_ours):
            remarks.append(f"{one.label}: {TAKEN}")
        elif first is not one:
            remarks.append(f"{one.label}: {first.point.package} has one of this name, too")
    by_name.pop(ALL, None)
    return by_name, remarks


def _loaded(point: Brought) -> tuple[Reproduction, ...]:
    made = point.load((Reproduction, tuple))
    wrong = [one for one in _each(made) if not isinstance(one, Reproduction)]
    if wrong:
        expected, advice = "reproductions", f"repair the package {point.package}, or take it out"
        raise InputError(point.label, [Problem(point.name, wrong[0], expected, advice)])
    return tuple(_each(made))


def _each(made: Any) -> Iterator[Any]:
    yield from (made,) if isinstance(made, Reproduction) else made
