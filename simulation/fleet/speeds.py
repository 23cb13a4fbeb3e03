"""How much work a job does in a tick, in millionths of a tick's work on one GPU."""

from decimal import Decimal
from functools import lru_cache

from ...instances import Speedup
from ...instances.fleet.instance import MOST_TICKS
from ...instances.speedup import speed_at

UNITS = 10**6
"""Units of work that one GPU does in a tick."""


@lru_cache(maxsize=1_000_000)
def rate(speedup: Speedup, milli: int) -> int:
    """Return the work done in a tick on so many thousandths of a GPU, at least 1.

    No epoch has more work than the most that is returned, which fits 64 bits.
    """
    found = round(UNITS * speed_at(speedup, Decimal(milli) / 1000))
    return min(max(1, found), MOST_TICKS * UNITS)
