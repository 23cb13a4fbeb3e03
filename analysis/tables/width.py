"""How wide a text is in print: widths of the letters of Computer Modern, a wide face."""

from collections.abc import Iterable
from re import findall

from ...instances.errors import visible
from .escape import latex_text

LETTERS = {
    2.8: "il.,:;!|'",
    3.4: "- []j",
    4.0: "frts()",
    4.5: "ce_z",
    5.0: 'ago0123456789/*?\\$`"{}^~',
    5.6: "bdhknpquvxySI",
    6.3: "LZ",
    6.9: "EFPJ",
    7.9: "ABCDGHKNOQRTUVXYw&@+=<>",
    8.4: "m%#",
    10.3: "MW",
}
"""Characters by width, in points at 10 points; not less than they are."""

WIDTHS = {c: width for width, some in LETTERS.items() for c in some}

NUMBERED, NAMED = 48.0, 13.4
"""The width of a character beyond ASCII that is shown by its number, and of any other."""

BOLD = 1.16
"""How much wider bold digits are."""

WORD, PART = r"\s*\S+\s*|\s+", r"[^\-:=/_,;.]*[\-:=/_,;.]*\s*"
"""A word; a part of one, behind which a line may end if the word is too long."""


def text_width(text: str) -> float:
    """Return the width in points of a text of 10 points."""
    return sum(map(_width, visible(text)))


def widest(texts: Iterable[str]) -> float:
    """Return the width of the widest text."""
    return max(map(text_width, texts), default=0.0)


def pieces(text: str, width: float) -> list[str]:
    """Split a text where a line may end: behind words; in wide ones behind signs, or anywhere."""
    found = []
    for word in findall(WORD, visible(text)):
        parts = [word] if _fits(word, width) else filter(None, findall(PART, word))
        found += [one for part in parts for one in ([part] if _fits(part, width) else part)]
    return found


def _fits(text: str, width: float) -> bool:
    return text_width(text.strip()) <= width


def least_width(text: str) -> float:
    """Return the width in which lines end behind words and signs only."""
    return widest(part for word in visible(text).split() for part in findall(PART, word))


def in_lines(text: str, width: float) -> list[str]:
    """Split a text into lines of at most this width."""
    lines = [""]
    for part in pieces(text, width):
        if lines[-1] and text_width(lines[-1] + part.rstrip()) > width:
            lines.append("")
        lines[-1] += part
    return [line.rstrip() for line in lines]


def _width(c: str) -> float:
    if c.isascii():
        return WIDTHS[c]
    return NUMBERED if latex_text(c).startswith("U+") else NAMED
