"""How a cell reads, in any notation."""

from math import isfinite

from ..intervals import Interval

Cell = str | float | Interval | None

HUGE = 1e15
"""Numbers from here on are shown by their power of ten."""


def cell_text(cell: Cell, digits: int | None) -> str:
    """Show a cell: numbers with so many decimals, an interval behind its mean."""
    if cell is None:
        return "-"
    if isinstance(cell, str):
        return cell
    places = digits or 0
    if not isinstance(cell, Interval):
        return number_text(cell, places)
    mean = number_text(cell.mean, places)
    return f"{mean} ({ends_text(cell, places, ' to ')})" if cell.bounded else mean


def ends_text(interval: Interval, places: int, between: str) -> str:
    """Show both ends of an interval."""
    return between.join(number_text(end, places) for end in (interval.low, interval.high))


def number_text(value: float, places: int) -> str:
    """Show a number, without a minus before zero."""
    if not isfinite(value) or abs(value) >= HUGE:
        return f"{value:.3g}"
    return f"{round(value, places) + 0.0:.{places}f}"  # Adding 0 takes the sign off a zero.
