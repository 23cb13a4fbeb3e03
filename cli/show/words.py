"""How many there are of each kind, and how values are spread, in words."""

from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

QUANTILES = (0, 25, 50, 75, 95, 100)
"""In per cent of the jobs."""


def mix(kinds: Iterable[Any], by: str = " x ") -> str:
    """Count the things of each kind."""
    return ", ".join(f"{count}{by}{kind}" for kind, count in sorted(Counter(kinds).items()))


def quantiles(values: Iterable[Decimal]) -> str:
    """Say at which parts of some values which are reached."""
    known = sorted(values)
    told = ", ".join(f"{known[(len(known) - 1) * part // 100]:,f}" for part in QUANTILES)
    return f"{', '.join(map(str, QUANTILES))} %: {told}"
