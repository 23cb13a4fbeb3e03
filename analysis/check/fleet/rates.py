"""How fast a run works: millionths of a tick's work in a tick."""

from collections.abc import Sequence
from decimal import Decimal

from ....instances.rental.instance import JobType
from ..rental.speed import speed_of

FULL = 10**6
"""The rate on one GPU."""


class FleetRates:
    """The rates of jobs by type, epoch and GPUs; each is worked out once."""

    def __init__(self, types: Sequence[JobType]) -> None:
        """Take the types; know no rate."""
        self._epochs = {one.name: one.epochs for one in types}
        self._known: dict[tuple[str, int, Decimal], int] = {}

    def of(self, kind: str, epoch: int, gpus: Decimal) -> int:
        """Return the rate of a job of some type in an epoch.

        It is rounded to the nearest, halves to even; none is less than one.
        """
        key = kind, epoch, gpus
        if key not in self._known:
            speed = speed_of(self._epochs[kind][epoch].speedup, gpus)
            self._known[key] = max(1, round(FULL * speed))
        return self._known[key]
