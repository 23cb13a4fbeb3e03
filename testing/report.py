"""What was tried of something, and what is wrong with it."""

from dataclasses import dataclass, field
from typing import Self

SHOWN = 10
"""Faults that are shown in full."""


@dataclass(slots=True)
class CheckReport:
    """What was tried of something, by its name, and what is wrong with it."""

    about: str
    tried: int = 0
    refused: int = 0
    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        """Say it in a line, and a line for each fault."""
        count = len(self.faults)
        found = f"{count} fault{'' if count == 1 else 's'}" if count else "nothing wrong"
        lines = [f"{self.about}: {found} ({self.counts()})"]
        more = count - SHOWN
        lines += [*self.faults[:SHOWN], *([f"and {more} more"] if more > 0 else [])]
        return "\n  ".join(lines)

    def counts(self) -> str:
        """Say how much was tried."""
        return f"{self.tried} tried, {self.refused} refused"

    def settled(self) -> Self:
        """Return it, or raise `AssertionError` if something is wrong."""
        if self.faults:
            raise AssertionError(str(self))
        return self
