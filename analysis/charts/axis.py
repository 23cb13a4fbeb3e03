"""Axes: what they measure, how far they go, the round numbers along them, where they lie."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from math import ceil, floor, log10

from ..drawing.shapes import Place

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
ROOM = 0.03
"""Part of an axis left free beyond the outermost values."""
SIZE = 10.0
"""Of all words, in pixels; two points less than a paper's own."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """What is measured and between which ends; an end that is None is left to the values."""

    title: str
    log: bool = False
    low: float | None = None
    high: float | None = None
    categories: tuple[str, ...] = ()
    """What stands at 0, 1 and so on, in place of numbers."""

    def around(self, values: Iterable[float]) -> "Scale":
        """Return the scale on which all values fit."""
        known = [*values, *(end for end in (self.low, self.high) if end is not None)]
        least, most = min(known, default=1.0), max(known, default=1.0)
        if most - least <= 1e-9 * max(abs(least), abs(most)):
            # A single value stands in the middle.
            room = abs(most) / 2 or 1.0
            least, most = (least / 2, most * 2) if self.log else (least - room, most + room)
        raw = Scale(log=self.log, low=least, high=most)
        return replace(
            raw,
            low=raw.value(-ROOM) if self.low is None else self.low,
            high=raw.value(1 + ROOM) if self.high is None else self.high,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """An axis with both ends known."""

    log: bool
    low: float
    high: float

    def part(self, value: float) -> float:
        """Return how far along the axis a value stands: 0 at the low end, 1 at the high one."""
        low, high = self._measure(self.low), self._measure(self.high)
        return (self._measure(value) - low) / (high - low)

    def value(self, part: float) -> float:
        """Return which value stands so far along the axis."""
        low, high = self._measure(self.low), self._measure(self.high)
        measure = low + (high - low) * part
        return 10.0**measure if self.log else measure

    def _measure(self, value: float) -> float:
        return log10(value) if self.log else value

    def ticks(self) -> Iterator[list[tuple[float, str]]]:
        """Yield choices of two to ten round values with their names, from many to few."""
        wide = self.log and self.part(4 * self.low) <= 1
        for decimals in self._powers() if wide else self._steps():
            if 2 <= len(decimals) <= 10:
                texts = names(decimals)
                yield [(float(d), text) for d, text in zip(decimals, texts, strict=True)]

    def _steps(self) -> Iterator[list[Decimal]]:
        power = floor(log10(self.high - self.low)) - 1
        for step in (Decimal(digit).scaleb(e) for e in (power, power + 1) for digit in (1, 2, 5)):
            first = ceil(self.low / float(step) - 1e-9)
            last = floor(self.high / float(step) + 1e-9)
            yield [i * step for i in range(first, last + 1)]

    def _powers(self) -> Iterator[list[Decimal]]:
        first, last = floor(log10(self.low)), ceil(log10(self.high))
        for digits in (range(1, 10), (1, 2, 5), (1, 3)):
            yield self._inside(first, last, digits)
        for by in (1, 2, 3, 5, 10, 20, 50, 100):
            yield self._inside(ceil(first / by) * by, last, (1,), by)

    def _inside(self, first: int, last: int, digits: Iterable[int], by: int = 1) -> list[Decimal]:
        """Return the digits times powers of ten that lie on the axis."""
        values = (Decimal(d).scaleb(k) for k in range(first, last + 1, by) for d in digits)
        return [value for value in values if -1e-9 <= self.part(float(value)) <= 1 + 1e-9]


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


def names(values: list[Decimal]) -> list[str]:
    """Write the ticks of one axis: plainly, or with powers of ten if that would be long."""
    sizes = [abs(value) for value in values if value]
    if max(sizes) >= 10**6 or min(sizes) < Decimal("0.001"):
        return [_power(value) for value in values]
    return [f"{value:,.{max(0, -_exponent(value))}f}" for value in values]


def _exponent(value: Decimal) -> int:
    """Return the exponent of the last digit that is not 0."""
    exponent = value.normalize().as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0


def _power(value: Decimal) -> str:
    if not value:
        return "0"
    power = value.adjusted()
    digits = f"{value.scaleb(-power).normalize():f}"
    text = "10" + str(power).translate(SUPERSCRIPTS)
    return {"1": text, "-1": f"-{text}"}.get(digits, f"{digits}·{text}")
