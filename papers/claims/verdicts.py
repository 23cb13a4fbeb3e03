"""Claims of papers, verdicts on them, and how much of a claim was at hand."""

from enum import StrEnum
from typing import NamedTuple, Protocol

from .measured import MeasuredParts


class ClaimVerdict(StrEnum):
    """Verdicts on claims."""

    REPRODUCED = "reproduced"
    ELSEWHERE = "not under these conditions, but under those"
    OPEN_ELSEWHERE = "no power under these conditions, holds under those"
    DIFFERS = "differs"
    """The measured interval or order excludes it."""
    NO_POWER = "no power"
    """The measurement agrees, but would also agree with absurd numbers, or it separates nothing."""
    FALSE = "false"
    WEAKENED = "false as weakened"
    """A premise of the paper was dropped before the counterexample was found."""
    SLIP = "misprint"
    """It is false as printed, and the paper's own text says what is meant."""
    UNCHECKABLE = "not checkable"
    """It cannot be measured, because something is not known."""
    UNTRIED = "not tried"
    """It could be checked, and was not."""


class Ruled(NamedTuple):
    """A verdict, and its evidence."""

    verdict: ClaimVerdict
    why: str
    here: ClaimVerdict | None = None
    """The verdict under the first conditions, if other ones were looked at too."""


class Decider(Protocol):
    """Decides a claim by the results at hand."""

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Return the verdict."""

    def command(self) -> str:
        """Return the command that makes the evidence, empty without one."""


StatedClaim = tuple[str, str, Decider]
"""The claim, its place in the paper, and its decider. "(recalled)" if it was not read there."""


class Known(StrEnum):
    """How much of a claim and of its data was at hand."""

    PRINTED = "as printed"
    RECALLED = "as recalled"
    """The claim or its parameters were not read in the paper."""
    OTHER_DATA = "on other data"
    """The paper's data are not published, and similar ones stand in."""
    BOTH = "as recalled, on other data"


class PaperClaim(NamedTuple):
    """A number, a figure, an algorithm or a theorem of a paper."""

    paper: str
    says: str
    source: str
    """The place in the paper, with a note in brackets on what is known of it."""
    decider: Decider

    @property
    def known(self) -> Known:
        """How much of it was at hand."""
        notes = self.source.partition(" (")[2].rstrip(")").split("; ")
        if OTHER_DATA.isdisjoint(notes):
            return Known.RECALLED if RECALLED in notes else Known.PRINTED
        return Known.BOTH if RECALLED in notes else Known.OTHER_DATA


RECALLED, OTHER_DATA = "recalled", {"durations fitted", "another trace", "other jobs"}
"""Notes on sources."""
