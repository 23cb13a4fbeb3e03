"""The plot's rectangle: from values to pixels."""

from dataclasses import dataclass

from ..gantt.shapes import Place
from .axis import Scale
from .panel import Point

SIZE = 10.0
"""Of all words, in pixels; two points less than a paper's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Where the plot lies, and the scales along its sides."""

    x: Scale
    y: Scale
    left: float
    right: float
    top: float
    bottom: float

    def across(self, value: float) -> float:
        """Return where a value stands from left to right."""
        return self.left + (self.right - self.left) * self.x.part(value)

    def up(self, value: float) -> float:
        """Return where a value stands from the bottom up."""
        return self.bottom - (self.bottom - self.top) * self.y.part(value)

    def place(self, point: Point) -> Place:
        """Return where a point stands."""
        return self.across(point[0]), self.up(point[1])
