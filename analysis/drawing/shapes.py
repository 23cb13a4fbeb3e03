"""The few plain shapes that a chart is made of; painters know nothing else."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Box = tuple[float, float, float, float]
"""Left, top, width, height, in pixels from the top left corner."""

Place = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Boxes:
    """Rectangles of one look that belong together; `role` says what they stand for."""

    at: tuple[Box, ...]
    fill: str
    opacity: float = 1
    edge: str | None = None
    edge_width: float = 1
    role: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A straight line; `dash` gives the lengths of strokes and gaps."""

    start: Place
    end: Place
    colour: str
    width: float = 1
    opacity: float = 1
    dash: tuple[float, ...] | None = None
    role: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Straight lines from place to place, dashed as one."""

    through: tuple[Place, ...]
    colour: str
    width: float = 1
    dash: tuple[float, ...] | None = None
    role: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamps:
    """The same polygon at several places; `outline` are its corners as seen from a place."""

    at: tuple[Place, ...]
    outline: tuple[Place, ...]
    fill: str
    opacity: float = 1
    edge: str | None = None
    edge_width: float = 1
    role: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLine:
    """One line of text; `at` is on its baseline, at the side that `anchor` names."""

    at: Place
    text: str
    size: float
    colour: str
    anchor: Literal["start", "middle", "end"] = "start"
    bold: bool = False
    role: str = ""


Shape = Boxes | Line | Curve | Stamps | TextLine


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Shapes of one job, by its number in the instance, with a text shown on hovering."""

    role: str
    job: int
    tooltip: str = ""
    shapes: tuple[Shape, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A whole chart: its size, what it shows in words, and its shapes from back to front.

    `head` is the height of the headline, which a page with a headline of its own cuts off.
    """

    width: float
    height: float
    head: float
    about: str
    shapes: tuple[Shape | Group, ...]

    def flat(self) -> Iterator[Shape]:
        """Yield the shapes without their groups."""
        for item in self.shapes:
            if isinstance(item, Group):
                yield from item.shapes
            else:
                yield item
