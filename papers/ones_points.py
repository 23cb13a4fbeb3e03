"""What the ONES paper leaves open, and the points at which it is searched for."""

from itertools import product
from typing import NamedTuple

INTERVALS = (600, 300, 60)
"""Seconds between rounds of Optimus; the first is its default."""


class OnesPoint(NamedTuple):
    """What the paper leaves open."""

    load: str
    restarts: str
    """In seconds: of ONES, and of the others."""
    serial: str
    """Most of a job's work that more GPUs do not speed up."""


RESTARTS = {
    "0 s": ("0", "0"),
    "3 s": ("3", "3"),
    "10 s": ("10", "10"),
    "30 s": ("30", "30"),
    "ONES 1 s, others 30 s": ("1", "30"),
}

AS_IT_IS = OnesPoint("0.9", "10 s", "0.15")

POINTS = tuple(
    OnesPoint(*one) for one in product(("0.5", "0.9", "1.5"), RESTARTS, ("0.15", "0.05", "0.4"))
)

CONFIRMED, CONFIRMED_INTERVAL = OnesPoint("0.9", "3 s", "0.05"), 300
"""The point, and rounds of Optimus, that are looked at again."""
