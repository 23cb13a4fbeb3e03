"""Eight looks for eight methods, told apart by colour and, in grey print, by dash and mark.

The colours keep a distance in normal, red-blind and green-blind vision; a line shows its dash and
wears its mark, so nobody has to trust a colour.
"""

from dataclasses import dataclass
from math import cos, pi, sin

from ..drawing.colours import INK
from ..drawing.shapes import Place

Dash = tuple[float, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How a series is drawn: `outline` is its mark around (0, 0), `hollow` or filled."""

    colour: str
    dash: Dash = None
    outline: tuple[Place, ...] = ()
    hollow: bool = False


def _turned(outline: tuple[Place, ...]) -> tuple[Place, ...]:
    return tuple((-x, -y) for x, y in outline)


DISC = tuple((2.9 * cos(angle), 2.9 * sin(angle)) for angle in (pi * i / 6 for i in range(12)))
SQUARE = ((-2.6, -2.6), (2.6, -2.6), (2.6, 2.6), (-2.6, 2.6))
DIAMOND = ((0.0, -3.7), (3.7, 0.0), (0.0, 3.7), (-3.7, 0.0))
TRIANGLE = ((0.0, -3.4), (3.4, 2.5), (-3.4, 2.5))
CROSS = (
    (-1.0, -3.6),
    (1.0, -3.6),
    (1.0, -1.0),
    (3.6, -1.0),
    (3.6, 1.0),
    (1.0, 1.0),
    (1.0, 3.6),
    (-1.0, 3.6),
    (-1.0, 1.0),
    (-3.6, 1.0),
    (-3.6, -1.0),
    (-1.0, -1.0),
)

PALETTE = ("#0a6fb5", "#e06000", "#12a583", "#7b2a6a")
"""Colours that colour-blind eyes tell apart, also from ink; dark enough for thin lines."""

COLOURS = (*PALETTE, "#b0a860", "#c81848", "#184800", "#3838b0")
DASHES: tuple[Dash, ...] = (
    None,
    (6, 2.5),
    (1.6, 1.8),
    (7, 2, 1.6, 2),
    (11, 2.5),
    (3.2, 1.6),
    (7, 2, 1.6, 2, 1.6, 2),
    (10, 2, 3.2, 2),
)
MARKS = (DISC, SQUARE, TRIANGLE, DIAMOND, _turned(TRIANGLE), CROSS, DISC, SQUARE)
HOLLOW = 6
"""The looks from this one on have hollow marks."""

LOOKS = tuple(
    Look(colour=colour, dash=dash, outline=outline, hollow=i >= HOLLOW)
    for i, (colour, dash, outline) in enumerate(zip(COLOURS, DASHES, MARKS, strict=True))
)

GUIDE = Look(colour=INK, dash=(4, 3))
"""The look of a line that is no method: a diagonal, a bound."""
