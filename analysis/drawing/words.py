"""Numbers and names as a chart writes them, and how much room they take."""

from decimal import Decimal
from fractions import Fraction
from unicodedata import east_asian_width

from ...instances.errors import visible

NARROW, WIDE = set("ijlftI.,:;'|!()[] "), set("mwMW@%&—")


def number(value: Fraction | Decimal | float) -> str:
    """Write a number with at most three decimals, or four digits if it is tiny or huge."""
    size = abs(float(value))
    if size and (size < 0.01 or size >= 10**12):
        return f"{float(value):.4g}"
    text = f"{float(value):,.3f}".rstrip("0").rstrip(".")
    return text.replace("-0", "0") if text == "-0" else text


def percent(part: float) -> str:
    """Write a part of one as a percentage."""
    return f"{100 * part:.1f} %"


def plural(count: int, noun: str) -> str:
    """Write a count with its noun."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


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
