"""Time that no clock measures: it is up once a method has looked so often whether it is."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from ringyard.instances import Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Looks(Limits):
    """Limits that are over for whoever looks after the last of `left`."""

    left: Iterator[int] = field(default_factory=lambda: iter(range(0)))

    def over(self) -> bool:
        """Return True if all looks are used up."""
        return next(self.left, None) is None


def looks(count: int) -> Looks:
    """Return limits that let a method look so often and go on."""
    return Looks(left=iter(range(count)))
