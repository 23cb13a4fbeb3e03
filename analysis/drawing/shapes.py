"""The plain shapes and texts of a Gantt chart, the only input of painters."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, Self
from unicodedata import east_asian_width

from ...instances.errors import visible
from .colours import PAPER

Box = tuple[float, float, float, float]
"""Left, top, width, height, in pixels from the top left corner."""

Place = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Boxes:
    """Rectangles with one look and one meaning, given by `role`."""

    at: tuple[Box, ...]
    fill: str
    opacity: float = 1
    edge: str | None = None
    edge_width: float = 1
    role: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A straight line. `dash` gives the lengths of strokes and gaps."""

    start: Place
    end: Place
    colour: str
    width: float = 1
    opacity: float = 1
    dash: tuple[float, ...] | None = None
    role: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLine:
    """One line of text. `at` is on its baseline, at the side given by `anchor`."""

    at: Place
    text: str
    size: float
    colour: str
    anchor: Literal["start", "middle", "end"] = "start"
    bold: bool = False
    role: str = ""


Shape = Boxes | Line | TextLine


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Shapes of one job, by its number in the instance, with a text shown on hovering."""

    role: str
    job: int
    tooltip: str = ""
    shapes: tuple[Shape, ...]


def _lowered(item: Any, by: float) -> Any:
    """Return a shape or a group lower on the paper."""
    if isinstance(item, Group):
        return replace(item, shapes=tuple(_lowered(shape, by) for shape in item.shapes))
    if isinstance(item, Boxes):
        return replace(item, at=tuple((x, y + by, w, h) for x, y, w, h in item.at))
    if isinstance(item, Line):
        (x, y), (u, v) = item.start, item.end
        return replace(item, start=(x, y + by), end=(u, v + by))
    return replace(item, at=(item.at[0], item.at[1] + by))


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A whole chart: its size, a description, and its shapes from back to front.

    `head` is the height of the headline, which a page with a separate headline crops.
    """

    width: float
    height: float
    head: float
    about: str
    shapes: tuple[Shape | Group, ...]

    @classmethod
    def on_paper(
        cls, size: Place, about: str, shapes: Iterable[Shape | Group], head: float = 0
    ) -> Self:
        """Return shapes on white paper, so wide and high."""
        paper = Boxes(at=((0, 0, *size),), fill=PAPER, role="paper")
        return cls(width=size[0], height=size[1], head=head, about=about, shapes=(paper, *shapes))

    def above(self, other: "Picture") -> "Picture":
        """Return this picture with another one below it."""
        size = max(self.width, other.width), self.height + other.height
        moved = tuple(_lowered(item, self.height) for item in other.shapes)
        about = f"{self.about}; {other.about}"
        return Picture.on_paper(size, about, (*self.shapes, *moved))

    def flat(self) -> Iterator[Shape]:
        """Yield the shapes without their groups."""
        for item in self.shapes:
            if isinstance(item, Group):
                yield from item.shapes
            else:
                yield item


NARROW, WIDE = set("ijlftI.,:;'|!()[] "), set("mwMW@%&—")


def number(value: Fraction | Decimal | float) -> str:
    """Write a number with at most three decimals, or four digits if it is tiny or huge."""
    size = abs(float(value))
    if size and (size < 0.01 or size >= 10**12):
        return f"{float(value):.4g}"
    text = f"{float(value):,.3f}".rstrip("0").rstrip(".")
    return text.replace("-0", "0") if text == "-0" else text


def percent(part: float) -> str:
    """Write a fraction as a percentage."""
    return f"{100 * part:.1f} %"


def text_width(text: str, size: float) -> float:
    """Estimate the width of a text in pixels, on the safe side for common fonts."""
    return size * sum(map(_width, text))


def _width(char: str) -> float:
    if char in NARROW:
        return 0.36
    if char in WIDE:
        return 0.98
    if east_asian_width(char) in "WF":
        return 1.05
    return 0.71 if char.isupper() else 0.62


def fit(text: str, size: float, width: float) -> str:
    """Return a printable text, cut so that it fits into a width."""
    text = visible(text[:200])
    if text_width(text, size) <= width:
        return text
    while text and text_width(text + "…", size) > width:
        text = text[:-1]
    return text + "…"
