"""Claims of papers, verdicts on them, and deciders that read no table."""

from dataclasses import dataclass
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
    """A statement on all inputs has a counterexample, wherever else it holds."""
    WEAKENED = "false as weakened"
    """A premise that the paper states, or may state, was dropped before it was found."""
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
    exact: bool = False
    """True if it was proved or computed, so that what is against it is a counterexample."""


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
        notes = self.notes
        if OTHER_DATA.isdisjoint(notes):
            return Known.RECALLED if RECALLED in notes else Known.PRINTED
        return Known.BOTH if RECALLED in notes else Known.OTHER_DATA

    @property
    def is_general(self) -> bool:
        """True if it is on all inputs within its premises, False if it is on some runs."""
        return OTHER_DATA.isdisjoint(self.notes) and not self.source.startswith(OF_RUNS)

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Decide it. What is said of all inputs does not hold under some conditions only."""
        found = self.decider.ruled(measured)
        if self.is_general and found.verdict is ClaimVerdict.ELSEWHERE:
            against = ClaimVerdict.FALSE if found.exact else ClaimVerdict.DIFFERS
            return found._replace(verdict=against)
        return found

    @property
    def notes(self) -> list[str]:
        """The notes on its source: recalled, or on which other data."""
        return self.source.partition(" (")[2].rstrip(")").split("; ")


RECALLED, OTHER_DATA = "recalled", {"durations fitted", "another trace", "other jobs"}
"""Notes on sources."""

OF_RUNS = ("experiments", "Figure", "Introduction", "example", "slides", "testbed", "experience")
"""Sources of claims on some runs, examples or drawings."""


def both(*deciders: Decider) -> str:
    """Return the commands of several deciders, each once."""
    return ", ".join(dict.fromkeys(one.command() for one in deciders))


@dataclass(frozen=True, slots=True, kw_only=True)
class ByTest:
    """A test that would fail if the verdict were another."""

    test: str
    """Files and functions under tests/, separated by blanks."""
    why: str
    verdict: ClaimVerdict = ClaimVerdict.REPRODUCED
    premise: str = ""
    """An assumption of the paper that the claim leaves out. Papers not read may not have it."""

    def command(self) -> str:
        """Return the command that runs them."""
        return " ".join(["python -m pytest", *(f"tests/{one}" for one in self.test.split())])

    def ruled(self, _: MeasuredParts) -> Ruled:
        """Return the verdict that the test asserts. A premise that is left out weakens *false*."""
        if self.premise and self.verdict is ClaimVerdict.FALSE:
            return Ruled(ClaimVerdict.WEAKENED, f"{self.why}. {self.premise}", exact=True)
        return Ruled(self.verdict, self.why, exact=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ByBoth:
    """A counterexample and what is true of the claim nevertheless, or two parts of a claim."""

    first: Decider
    second: Decider

    def command(self) -> str:
        """Return both commands, or the one of both."""
        return both(self.first, self.second)

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Return both reasons, and a counterexample's verdict, or the first's if it does not hold.

        If the first holds, the second decides.
        """
        first, second = self.first.ruled(measured), self.second.ruled(measured)
        refuted = second.verdict is ClaimVerdict.FALSE
        decisive = second if refuted or first.verdict is ClaimVerdict.REPRODUCED else first
        return decisive._replace(why=f"{first.why}; {second.why}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Undecided:
    """A claim without a decider."""

    missing: str
    """The one fact, or the one thing, that is missing."""
    verdict: ClaimVerdict = ClaimVerdict.UNCHECKABLE

    def command(self) -> str:
        """Return an empty text: no command exists."""
        return ""

    def ruled(self, _: MeasuredParts) -> Ruled:
        """Return what is missing."""
        return Ruled(self.verdict, f"missing: {self.missing}")


def by_test(
    says: str,
    source: str,
    *,
    test: str,
    why: str,
    verdict: ClaimVerdict = ClaimVerdict.REPRODUCED,
    premise: str = "",
) -> StatedClaim:
    """Return a claim that a test decides."""
    return says, source, ByTest(test=test, why=why, verdict=verdict, premise=premise)


def undecided(
    says: str, source: str, *, missing: str, verdict: ClaimVerdict = ClaimVerdict.UNCHECKABLE
) -> StatedClaim:
    """Return a claim without a decider."""
    return says, source, Undecided(missing=missing, verdict=verdict)
