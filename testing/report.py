"""The report of a check: its extent, and the errors found."""

from dataclasses import dataclass, field
from typing import Self

SHOWN = 10
"""Most errors that are shown in full."""


@dataclass(slots=True)
class CheckReport:
    """The extent of a check of a method, solver, bound or family, and the errors found."""

    about: str
    tried: int = 0
    refused: int = 0
    problems: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        """Return a line for the result, and a line for each error."""
        count = len(self.problems)
        found = f"{count} problem{'' if count == 1 else 's'}" if count else "passed"
        lines = [f"{self.about}: {found} ({self.counts()})"]
        more = count - SHOWN
        lines += [*self.problems[:SHOWN], *([f"and {more} more"] if more > 0 else [])]
        return "\n  ".join(lines)

    def counts(self) -> str:
        """Return the extent of the check as text."""
        return f"{self.tried} tried, {self.refused} refused"

    def settled(self) -> Self:
        """Return the report, or raise `AssertionError` if it has errors."""
        if self.problems:
            raise AssertionError(str(self))
        return self
