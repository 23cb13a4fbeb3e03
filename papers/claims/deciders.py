"""Claims of papers, and their deciders: results, a run, a test, or no decider."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from math import sqrt
from pathlib import Path
from typing import NamedTuple, Protocol

from ...analysis.guarantees import FactorVerdict, find_guarantee
from ...campaigns.reproductions import END
from ...campaigns.verifying.theorems import verify
from ...instances.reading.decode import read_text
from ..reproductions import REPRODUCTIONS
from ..study import named

PAGES = Path(__file__).parents[2] / "docs"
"""The pages of a checkout, which show measurements. An installed wheel has no pages."""


class ClaimVerdict(StrEnum):
    """Verdicts on claims."""

    REPRODUCED = "reproduced"
    RECALLED = "reproduced as recalled"
    """It holds, but the paper's text or parameters were not at hand."""
    ELSEWHERE = "not under these conditions, but under those"
    DIFFERS = "differs"
    """The measured interval or order excludes it."""
    NO_POWER = "no power"
    """The measurement agrees, but would also agree with absurd numbers, or it separates nothing."""
    FALSE = "false"
    WEAKENED = "false as weakened"
    """A premise of the paper was dropped before the counterexample was found."""
    UNCHECKABLE = "not checkable"
    """It cannot be measured, because something is not known."""
    UNTRIED = "not tried"
    """It could be checked, and was not."""


class Ruled(NamedTuple):
    """A verdict, and its evidence."""

    verdict: ClaimVerdict
    why: str


class Decider(Protocol):
    """Decides a claim by the results at hand."""

    def ruled(self, measured: "MeasuredParts") -> Ruled:
        """Return the verdict."""

    def command(self) -> str:
        """Return the command that makes the evidence, empty without one."""


StatedClaim = tuple[str, str, Decider]
"""The claim, its place in the paper, and its decider. "(recalled)" if it was not read there."""


class PaperClaim(NamedTuple):
    """A number, a figure, an algorithm or a theorem of a paper."""

    paper: str
    says: str
    source: str
    """The place in the paper, with a note if it was recalled or derived."""
    decider: Decider


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredParts:
    """Results of other reproductions: parts of pages, or, without pages, files of a folder."""

    docs: Path | None = None
    out: Path = field(default_factory=Path)

    def part(self, name: str, part: str) -> str | None:
        """Return the Markdown of a part of a reproduction, or None if it was not made."""
        if self.docs is None:
            path = self.out / name / f"{part}.md"
            return _text(path) if path.is_file() else None
        one = next(one for one in REPRODUCTIONS if one.name == name)
        for page in one.pages:
            _, mark, rest = _text(self.docs / page).partition(f"<!-- {part} -->\n")
            if mark:
                return rest.partition(END)[0]
        return None

    def seeds(self, name: str, part: str) -> int:
        """Return the number of seeds of the means in a table."""
        found = SEEDS.search(self.part(name, part) or "")
        return int(found[1]) if found else USUAL_SEEDS

    def rows(self, name: str, part: str) -> list[dict[str, str]]:
        """Return the rows of a table by the heads of its columns, empty if it was not made."""
        lines = [line for line in (self.part(name, part) or "").splitlines() if line[:1] == "|"]
        cells = [[cell.strip(" *") for cell in line.strip("| ").split("|")] for line in lines]
        return [dict(zip(cells[0], row, strict=True)) for row in cells[2:]]

    def sentences(self, name: str) -> list[str]:
        """Return the statements of a reproduction."""
        lines = (self.part(name, "statements") or "").splitlines()
        return [line[2:] for line in lines if line.startswith("- ")]


SEEDS = re.compile(r"over (\d+) (?:\w+ )?seeds")

USUAL_SEEDS = 10
"""Seeds of a mean where a table does not say how many."""

NEAREST, POWER = "largest ratio / factor", 0.5
"""The column with the part of a theorem's factor to which runs come, and the least part at which
they test it."""


class ShownNumber(NamedTuple):
    """A number as it is shown, with its interval, or without."""

    mean: float
    low: float
    high: float


SHOWN = re.compile(r"(-?[\d.]+)(?: \((-?[\d.]+) to (-?[\d.]+)\))?")


def span(cell: str) -> ShownNumber:
    """Read a number as tables show it."""
    found = SHOWN.fullmatch(cell)
    if found is None:
        raise ValueError(f"{cell!r} is no number with or without an interval")
    mean, low, high = found.groups()
    return ShownNumber(float(mean), float(low or mean), float(high or mean))


def _text(path: Path) -> str:
    return _read(path, path.stat().st_mtime_ns)


@cache
def _read(path: Path, _: int) -> str:
    return read_text(path, regular=True)


REPRODUCED, ELSEWHERE = ClaimVerdict.REPRODUCED, ClaimVerdict.ELSEWHERE
DIFFERS, NO_POWER = ClaimVerdict.DIFFERS, ClaimVerdict.NO_POWER
UNTRIED, UNCHECKABLE = ClaimVerdict.UNTRIED, ClaimVerdict.UNCHECKABLE

OTHERWISE = (DIFFERS, NO_POWER)
"""After these verdicts, other conditions are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduced:
    """Decides by the results of a reproduction."""

    by: str
    """Its name."""

    def command(self) -> str:
        """Return the command that regenerates it."""
        return f"ringyard reproduce {self.by}"

    @property
    def missing(self) -> Ruled:
        """The verdict where its results are not at hand."""
        return Ruled(UNTRIED, "results are not at hand: the command makes them")


@dataclass(frozen=True, slots=True, kw_only=True)
class ByNumber(Reproduced):
    """A number in a table, which a draw may give, to `slack`."""

    part: str
    at: Mapping[str, str]
    """Contents of the row, by the heads of their columns."""
    column: str
    paper: float
    slack: float

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Compare the paper's number with the interval."""
        rows = matching(measured.rows(self.by, self.part), self.at)
        if not rows:
            return self.missing
        seeds = measured.seeds(self.by, self.part)
        return compared(rows[0][self.column], seeds, self.paper, self.slack)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReproducedElsewhere(Reproduced):
    """A claim that holds under the first conditions, or else under other ones."""

    first: Decider
    there: Decider
    under: str
    """The other conditions, in words."""

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Look at the other conditions only where the first leave it open."""
        first, there = self.first.ruled(measured), self.there.ruled(measured)
        if first.verdict not in OTHERWISE:
            return first
        why = f"{first.why}; {self.under} {there.why.removeprefix('here ')}"
        return Ruled(ELSEWHERE if there.verdict is REPRODUCED else first.verdict, why)


@dataclass(frozen=True, slots=True, kw_only=True)
class BySentence(Reproduced):
    """A statement of a reproduction. The claim stands if its end contains a text."""

    begins: str
    """A pattern."""
    stands: str
    """Contained in the rest of the sentence where the claim stands."""
    otherwise: ClaimVerdict = DIFFERS

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Look for the sentence."""
        for sentence in measured.sentences(self.by):
            if found := re.match(self.begins, sentence):
                rest = sentence[found.end() :].strip(" :,")
                return Ruled(REPRODUCED if self.stands in rest else self.otherwise, rest)
        return self.missing


@dataclass(frozen=True, slots=True, kw_only=True)
class ByColumns(Reproduced):
    """Two columns of a table that show the same wherever both show something."""

    part: str
    columns: tuple[tuple[str, str], ...]
    otherwise: ClaimVerdict = DIFFERS

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
        why = f"{same} of {len(pairs)} numbers to all digits that are known"
        return Ruled(REPRODUCED if same == len(pairs) else self.otherwise, why)


@dataclass(frozen=True, slots=True, kw_only=True)
class ByRows(Reproduced):
    """A property of the rows of a table. If only some have it, the claim stands there only."""

    part: str
    column: str
    names: tuple[str, ...]
    """The columns that name the rows."""

    def shows(self, row: Mapping[str, str]) -> bool | None:
        """Return True if a row has the property, and None if its intervals do not tell."""
        raise NotImplementedError

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Return the number of rows with the property."""
        rows = measured.rows(self.by, self.part)
        if not rows:
            return self.missing
        shown = [self.shows(row) for row in rows]
        if all(shown):
            return Ruled(REPRODUCED, f"in all {len(rows)} rows")
        pairs = zip(rows, shown, strict=True)
        some = [" x ".join(row[one] for one in self.names) for row, has in pairs if has]
        where = f"in {len(some)} of {len(rows)} rows" + (f": {', '.join(some)}" if some else "")
        if unclear := shown.count(None):
            where += f"; intervals do not tell in {unclear}"
        by = f" ({' x '.join(self.names)})" if len(self.names) > 1 else ""
        verdict = ELSEWHERE if some else DIFFERS if False in shown else NO_POWER
        return Ruled(verdict, where + by)


@dataclass(frozen=True, slots=True, kw_only=True)
class ByAll(ByRows):
    """A column that shows one word in all rows."""

    word: str

    def shows(self, row: Mapping[str, str]) -> bool:
        """Look for the word."""
        return row[self.column].startswith(self.word)


@dataclass(frozen=True, slots=True, kw_only=True)
class ByLead(ByRows):
    """A column with larger values than other columns."""

    others: tuple[str, ...]

    def shows(self, row: Mapping[str, str]) -> bool | None:
        """Compare its interval with those of all other columns."""
        own, others = span(row[self.column]), [span(row[one]) for one in self.others]
        if all(own.low > other.high for other in others):
            return True
        return False if any(own.high <= other.low for other in others) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ByRange(ByRows):
    """A column within a range."""

    least: float
    most: float

    def shows(self, row: Mapping[str, str]) -> bool | None:
        """Compare its interval with both ends."""
        own = span(row[self.column])
        if self.least <= own.low and own.high <= self.most:
            return True
        return False if own.high < self.least or own.low > self.most else None


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
            return Ruled(UNTRIED, f"{self.instance} is no counterexample: {row.verdict}")
        why = f"{self.instance}: {float(row.value):g}, {float(row.best or 0):g} is possible"
        return Ruled(ClaimVerdict.FALSE, f"{why}, and the factor is {float(row.factor):g}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ByTheorem(Reproduced):
    """A theorem that is proved here, and confirmed by all runs within its scope."""

    by: str = "guarantees"
    theorem: str
    verdict: ClaimVerdict = REPRODUCED
    about: str = ""

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Look for runs that violate it."""
        rows = matching(measured.rows(self.by, "theorems"), {"theorem": self.theorem})
        if not rows:
            return self.missing
        held, broken, near = (rows[0][one] for one in ("holds", "violated", NEAREST))
        why = f"{self.theorem}: confirmed in {held} runs, which come to {near} of the factor"
        verdict = self.verdict if float(near) >= POWER else NO_POWER
        if broken != "0":
            verdict, why = DIFFERS, f"{why}; violated in {broken}"
        return Ruled(verdict, "; ".join(filter(None, (self.about, why))))


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
        """Return the verdict that the test asserts."""
        return Ruled(self.verdict, self.why)


@dataclass(frozen=True, slots=True, kw_only=True)
class ByBoth:
    """A counterexample, and what is true of the claim nevertheless."""

    first: Decider
    second: Decider

    def command(self) -> str:
        """Return both commands."""
        return f"{self.first.command()}, {self.second.command()}"

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Return the verdict of the first, and the reasons of both."""
        first, second = self.first.ruled(measured), self.second.ruled(measured)
        return first._replace(why=f"{first.why}; {second.why}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Undecided:
    """A claim without a decider, with the reason in `why`."""

    why: str
    verdict: ClaimVerdict = UNCHECKABLE

    def command(self) -> str:
        """Return an empty text: no command exists."""
        return ""

    def ruled(self, _: MeasuredParts) -> Ruled:
        """Return why."""
        return Ruled(self.verdict, self.why)


def by_test(
    says: str, source: str, *, test: str, why: str, verdict: ClaimVerdict = REPRODUCED
) -> StatedClaim:
    """Return a claim that a test decides."""
    return says, source, ByTest(test=test, why=why, verdict=verdict)


def undecided(
    says: str, source: str, *, why: str, verdict: ClaimVerdict = UNCHECKABLE
) -> StatedClaim:
    """Return a claim without a decider."""
    return says, source, Undecided(why=why, verdict=verdict)


def matching(rows: Iterable[dict[str, str]], at: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the rows that have these values."""
    return [row for row in rows if all(row[head] == cell for head, cell in at.items())]


def compared(shown: str, seeds: int, paper: float, slack: float) -> Ruled:
    """Compare a number of a paper with a mean over seeds and its 95 % interval.

    Papers show one draw, or do not say how many. So the number is compared with the prediction
    interval of one more draw, which is sqrt(seeds + 1) times as wide (in logarithms, if the shown
    interval is symmetric there). It has no power if it also holds half or twice the number.
    """
    low, high = predicted(span(shown), seeds)
    alone = " to " not in shown
    why = f"here {shown}, " + (
        "without an interval" if alone else f"one draw {low:.4g} to {high:.4g}"
    )
    low, high = low - slack, high + slack
    if not low <= paper <= high:
        return Ruled(NO_POWER if alone else DIFFERS, why)
    absurd = low <= paper / 2 or high >= 2 * paper
    return Ruled(NO_POWER if absurd else REPRODUCED, why)


def predicted(shown: ShownNumber, seeds: int) -> tuple[float, float]:
    """Return the ends of the 95 % prediction interval of one more draw."""
    mean, low, high = shown
    wider = sqrt(seeds + 1)
    up, down = high - mean, mean - low
    if low > 0 and abs(high * low - mean * mean) < abs(up - down) * mean:
        return mean * (low / mean) ** wider, mean * (high / mean) ** wider
    return mean - wider * down, mean + wider * up


def _alike(known: str, here: str) -> bool:
    """Return True if a known number is the one shown, to the digits that it has."""
    places = len(known.partition(".")[2])
    return round(float(here), places) == float(known)
