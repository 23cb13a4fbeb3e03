"""Seconds of a file as whole numbers of ticks."""

from decimal import Decimal
from fractions import Fraction


class Ticks:
    """Counts ticks of one length, in integers alone: a schedule has many times in it."""

    def __init__(self, tick_s: Decimal) -> None:
        """Take the length of a tick."""
        self.seconds = Fraction(tick_s)
        self._above, self._below = tick_s.as_integer_ratio()

    def split(self, seconds: Decimal) -> tuple[int, int]:
        """Return the last tick that is not later; then 0 if it is that moment, else more."""
        above, below = seconds.as_integer_ratio()
        return divmod(above * self._below, below * self._above)

    def at(self, seconds: Decimal) -> int:
        """Return the first tick that is not earlier."""
        tick, beyond = self.split(seconds)
        return tick + (beyond > 0)

    def text(self, tick: int) -> str:
        """Write a tick in seconds."""
        moment = tick * self.seconds
        return str(moment) if moment.denominator == 1 else f"{float(moment):.15g}"
