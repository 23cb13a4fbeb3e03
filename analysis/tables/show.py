"""How a cell reads, in any notation."""

from collections.abc import Iterable, Sequence
from math import floor, isfinite, log10
from statistics import median

from ..intervals import Interval

Cell = str | float | Interval | None

HUGE = 1e15
"""Numbers from here on are shown by their power of ten."""
SMALL = 10
"""Objectives below this get four digits."""


def cell_text(cell: Cell, digits: int | None) -> str:
    """Show a cell: numbers with `digits` decimals, an interval behind its mean."""
    if cell is None:
        return "-"
    if isinstance(cell, str):
        return cell
    places = digits or 0
    if not isinstance(cell, Interval):
        return number_text(cell, places)
    mean = number_text(cell.mean, places)
    return f"{mean} ({ends_text(cell, places, ' to ')})" if cell.bounded else mean


def decimals(cells: Iterable[Cell], most: int) -> int:
    """Return how many decimals a column has: `most`, but none where all its numbers are whole."""
    numbers = [n for cell in cells for n in _numbers(cell)]
    return 0 if all(float(n).is_integer() for n in numbers) else most


def value_decimals(cells: Sequence[Cell]) -> int:
    """Return how many decimals objectives have: one or none, but four digits if most are small."""
    places = decimals(cells, 1)
    sizes = [abs(n) for cell in cells for n in _numbers(cell) if n and isfinite(n)]
    typical = median(sizes) if sizes else HUGE
    return 3 - floor(log10(typical)) if places and typical < SMALL else places


def _numbers(cell: Cell) -> tuple[float, ...]:
    if isinstance(cell, Interval):
        return (cell.mean, cell.low, cell.high) if cell.bounded else (cell.mean,)
    return () if cell is None or isinstance(cell, str) else (cell,)


def ends_text(interval: Interval, places: int, between: str) -> str:
    """Show both ends of an interval."""
    return between.join(number_text(end, places) for end in (interval.low, interval.high))


def number_text(value: float, places: int) -> str:
    """Show a number, without a minus before zero."""
    if not isfinite(value) or abs(value) >= HUGE:
        return f"{value:.3g}"
    return f"{round(value, places) + 0.0:.{places}f}"  # Adding 0 takes the sign off a zero.
