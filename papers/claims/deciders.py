"""Ways to decide a claim: by what a reproduction left, by a run, by a test, or not at all."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...analysis.guarantees import FactorVerdict
from ...analysis.guarantees.theorems import find_guarantee
from ...campaigns.verifying.theorems import verify
from ..study import named
from .claim import ClaimVerdict, Decider, MeasuredParts, Ruled, span

REPRODUCED, ELSEWHERE = ClaimVerdict.REPRODUCED, ClaimVerdict.ELSEWHERE
OPEN, UNCHECKABLE = ClaimVerdict.OPEN, ClaimVerdict.UNCHECKABLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduced:
    """What all have that are decided by what a reproduction left."""

    by: str
    """Its name."""

    def command(self) -> str:
        """Return the command that makes it again."""
        return f"ringyard reproduce {self.by}"

    @property
    def missing(self) -> Ruled:
        """What is said where its results are not at hand."""
        return Ruled(OPEN, "results are not at hand: the command makes them")


@dataclass(frozen=True, slots=True, kw_only=True)
class ByNumber(Reproduced):
    """A number that a table shows: reproduced within its interval, or so near to it."""

    part: str
    at: Mapping[str, str]
    """Cells that the row has, by the heads of their columns."""
    column: str
    paper: float
    slack: float
    otherwise: ClaimVerdict = OPEN
    because: str = ""

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Compare the paper's number with the interval."""
        rows = matching(measured.rows(self.by, self.part), self.at)
        if not rows:
            return self.missing
        shown = rows[0][self.column]
        if agrees(shown, self.paper, self.slack):
            return Ruled(REPRODUCED, f"here {shown}")
        return Ruled(self.otherwise, "; ".join(filter(None, (f"here {shown}", self.because))))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReproducedElsewhere(Reproduced):
    """What comes out under the first conditions, or else under others."""

    first: Decider
    there: Decider
    under: str
    """What the others are."""

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Look at the others only where the first leave it open."""
        first, there = self.first.ruled(measured), self.there.ruled(measured)
        if first == self.missing or first.verdict is not OPEN:
            return first
        said = f"{first.why}; {there.why.removeprefix('here ')} {self.under}"
        return Ruled(ELSEWHERE if there.verdict is REPRODUCED else there.verdict, said)


@dataclass(frozen=True, slots=True, kw_only=True)
class BySentence(Reproduced):
    """A sentence that a reproduction computes; the claim stands if it ends, or does not, so."""

    begins: str
    stands: str
    """What is in the rest of the sentence where the claim stands."""
    otherwise: ClaimVerdict = OPEN

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Look for the sentence."""
        for sentence in measured.sentences(self.by):
            if sentence.startswith(self.begins):
                rest = sentence.removeprefix(self.begins).strip(" :,")
                return Ruled(REPRODUCED if self.stands in rest else self.otherwise, rest)
        return self.missing


@dataclass(frozen=True, slots=True, kw_only=True)
class ByColumns(Reproduced):
    """Two columns of a table that show the same wherever both show something."""

    part: str
    columns: tuple[tuple[str, str], ...]
    otherwise: ClaimVerdict = OPEN

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Compare the columns, row by row."""
        rows = measured.rows(self.by, self.part)
        pairs = [
            (row[known], row[here])
            for row in rows
            for known, here in self.columns
            if "-" not in (row[known], row[here])
        ]
        if not pairs:
            return self.missing
        same = sum(_alike(known, here) for known, here in pairs)
        said = f"{same} of {len(pairs)} numbers to all digits that are known"
        return Ruled(REPRODUCED if same == len(pairs) else self.otherwise, said)


@dataclass(frozen=True, slots=True, kw_only=True)
class ByRows(Reproduced):
    """What all rows of a table show; if some only do, the claim stands there only."""

    part: str
    column: str
    names: tuple[str, ...]
    """The columns that name the rows."""

    def shows(self, row: Mapping[str, str]) -> bool:
        """Say whether a row shows it."""
        raise NotImplementedError

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Count the rows that show it."""
        rows = measured.rows(self.by, self.part)
        if not rows:
            return self.missing
        some = [" x ".join(row[one] for one in self.names) for row in rows if self.shows(row)]
        if len(some) == len(rows):
            return Ruled(REPRODUCED, f"in all {len(rows)} rows")
        where = f"in {len(some)} of {len(rows)} rows" + (f": {', '.join(some)}" if some else "")
        by = f" ({' x '.join(self.names)})" if len(self.names) > 1 else ""
        return Ruled(ELSEWHERE if some else OPEN, where + by)


@dataclass(frozen=True, slots=True, kw_only=True)
class ByAll(ByRows):
    """A column that shows one word in all rows."""

    word: str

    def shows(self, row: Mapping[str, str]) -> bool:
        """Look for the word."""
        return row[self.column].startswith(self.word)


@dataclass(frozen=True, slots=True, kw_only=True)
class ByLead(ByRows):
    """A column that shows more than others."""

    others: tuple[str, ...]

    def shows(self, row: Mapping[str, str]) -> bool:
        """Compare it with all others."""
        return all(span(row[self.column]).mean > span(row[one]).mean for one in self.others)


@dataclass(frozen=True, slots=True, kw_only=True)
class ByRange(ByRows):
    """A column within a range."""

    least: float
    most: float

    def shows(self, row: Mapping[str, str]) -> bool:
        """Compare its mean with both ends."""
        return self.least <= span(row[self.column]).mean <= self.most


@dataclass(frozen=True, slots=True, kw_only=True)
class ByRun:
    """A named instance on which a method breaks a theorem: a counterexample."""

    instance: str
    method: str
    theorem: str

    def command(self) -> str:
        """Return the command that shows it."""
        return f"ringyard verify {self.instance} --method {self.method}"

    def ruled(self, _: MeasuredParts) -> Ruled:
        """Run the method and hold the theorem against it."""
        theorem = find_guarantee(self.theorem)
        (row,) = verify(named(self.instance), [self.method], theorems=[theorem])
        if row.verdict is not FactorVerdict.VIOLATED or row.value is None or row.factor is None:
            return Ruled(OPEN, f"{self.instance} is no counterexample: {row.verdict}")
        said = f"{self.instance}: {float(row.value):g}, {float(row.best or 0):g} is possible"
        return Ruled(ClaimVerdict.FALSE, f"{said}, and the factor is {float(row.factor):g}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ByTheorem(Reproduced):
    """A theorem that is proved here, and confirmed by all runs of which it speaks."""

    by: str = "guarantees"
    theorem: str
    verdict: ClaimVerdict = REPRODUCED
    about: str = ""

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Look whether any run violates it."""
        rows = matching(measured.rows(self.by, "theorems"), {"theorem": self.theorem})
        if not rows:
            return self.missing
        held, broken = rows[0]["holds"], rows[0]["violated"]
        said = f"{self.theorem}: confirmed in {held} runs, violated in {broken}"
        verdict = self.verdict if broken == "0" else OPEN
        return Ruled(verdict, "; ".join(filter(None, (self.about, said))))


@dataclass(frozen=True, slots=True, kw_only=True)
class ByTest:
    """A test that would fail if the verdict were another."""

    test: str
    """File and function under tests/."""
    why: str
    verdict: ClaimVerdict = REPRODUCED

    def command(self) -> str:
        """Return the command that runs it."""
        return f"python -m pytest tests/{self.test}"

    def ruled(self, _: MeasuredParts) -> Ruled:
        """Return what the test asserts."""
        return Ruled(self.verdict, self.why)


@dataclass(frozen=True, slots=True, kw_only=True)
class ByExample:
    """A line that an example of a page prints; the examples of pages are run by the tests."""

    page: str
    prints: str
    verdict: ClaimVerdict

    def command(self) -> str:
        """Return where the example is."""
        return f"the example in docs/{self.page}"

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Look for the line."""
        if self.prints in measured.page(self.page).splitlines():
            return Ruled(self.verdict, self.prints)
        return Ruled(OPEN, "the page with the example is not at hand")


@dataclass(frozen=True, slots=True, kw_only=True)
class Undecided:
    """Nothing decides it: why it cannot be checked, or was not."""

    why: str
    verdict: ClaimVerdict = UNCHECKABLE

    def command(self) -> str:
        """Return nothing: there is none."""
        return ""

    def ruled(self, _: MeasuredParts) -> Ruled:
        """Return why."""
        return Ruled(self.verdict, self.why)


def matching(rows: Iterable[dict[str, str]], at: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the rows that have these cells."""
    return [row for row in rows if all(row[head] == cell for head, cell in at.items())]


def agrees(shown: str, paper: float, slack: float) -> bool:
    """Say whether a number lies in the interval that is shown, or so near to it."""
    there = span(shown)
    return there.low - slack <= paper <= there.high + slack


def _alike(known: str, here: str) -> bool:
    """Say whether a number is known to be what is shown, to the digits that it has."""
    places = len(known.partition(".")[2])
    return round(float(here), places) == float(known)
