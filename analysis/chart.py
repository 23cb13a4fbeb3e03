"""A chart as data: panels of series over categories, and where a panel lies on the paper."""

from dataclasses import dataclass
from typing import Literal

from .gantt.colours import INK
from .intervals import Interval

PALETTE = ("#0a6fb5", "#e06000", "#12a583", "#7b2a6a")
"""Colours that colour-blind eyes tell apart, also from ink; dark enough for thin lines."""

Value = Interval | float | None

Look = Literal["bars", "line", "plain", "dashed", "points", "marks"]
"""Bars; points joined by a line; a line alone, solid or dashed; points alone, full or hollow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Values over the categories of a panel; None where there is none."""

    name: str
    values: tuple[Value, ...]
    look: Look
    colour: str = INK

    @property
    def points(self) -> list[tuple[int, Interval | float]]:
        """The values that there are, with their categories."""
        return [(i, value) for i, value in enumerate(self.values) if value is not None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One picture of a chart: what is measured, over which categories."""

    title: str
    across: str
    categories: tuple[str, ...]
    series: tuple[Series, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """Panels side by side; `about` says in words what they show."""

    about: str
    panels: tuple[Panel, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """Where a panel lies, and where its values and categories lie in it."""

    left: float
    right: float
    top: float
    bottom: float
    most: float
    count: int

    def x(self, category: int) -> float:
        """Return the middle of a category."""
        return self.left + (self.right - self.left) * (category + 0.5) / self.count

    def y(self, value: float) -> float:
        """Return the height of a value."""
        return self.bottom - (self.bottom - self.top) * value / self.most

    @property
    def pitch(self) -> float:
        """The width of a category."""
        return (self.right - self.left) / self.count


def mean_of(value: Interval | float) -> float:
    """Return a value without its interval."""
    return value.mean if isinstance(value, Interval) else value
