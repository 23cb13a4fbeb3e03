"""The report of a check: what was tried, and the problems that were found."""

from dataclasses import dataclass, field
from typing import Self

SHOWN = 10
"""Problems that are shown in full."""


@dataclass(slots=True)
class CheckReport:
    """What was tried of a method, solver, bound or family, and the problems that were found."""

    about: str
    tried: int = 0
    refused: int = 0
    problems: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        """Return a line for the result, and a line for each problem."""
        count = len(self.problems)
        found = f"{count} problem{'' if count == 1 else 's'}" if count else "passed"
        lines = [f"{self.about}: {found} ({self.counts()})"]
        more = count - SHOWN
        lines += [*self.problems[:SHOWN], *([f"and {more} more"] if more > 0 else [])]
        return "\n  ".join(lines)

    def counts(self) -> str:
        """Return how much was tried."""
        return f"{self.tried} tried, {self.refused} refused"

    def settled(self) -> Self:
        """Return it, or raise `AssertionError` if something is wrong."""
        if self.problems:
            raise AssertionError(str(self))
        return self
