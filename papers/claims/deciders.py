"""Deciders of claims: results of other studies, a run, a test, or nothing."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from math import inf

from ...analysis.guarantees import FactorVerdict, find_guarantee
from ...campaigns.verifying.theorems import verify
from ..study import named
from .measured import (
    MeasuredParts,
    Reader,
    Sampled,
    ShownNumber,
    half_a_digit,
    predicted,
    span,
)
from .verdicts import ClaimVerdict, Decider, Ruled, both

NEAREST, NEAR_FACTOR = "largest ratio / factor", 0.9
"""The column with the part of a theorem's factor to which runs come, and the least part of it, or
of a bound, at which they test it."""

MARGIN = 0.05
"""A mean is that of a formula if its whole interval is within this part of the formula."""


REPRODUCED, ELSEWHERE = ClaimVerdict.REPRODUCED, ClaimVerdict.ELSEWHERE
OPEN_ELSEWHERE = ClaimVerdict.OPEN_ELSEWHERE
DIFFERS, NO_POWER = ClaimVerdict.DIFFERS, ClaimVerdict.NO_POWER
UNTRIED, UNCHECKABLE = ClaimVerdict.UNTRIED, ClaimVerdict.UNCHECKABLE

OTHERWISE = (DIFFERS, NO_POWER)
"""After these verdicts, other conditions are looked at."""

RERUN, SETTING = "nearest setting, rerun", "nearest setting"
"""The columns of a search with each number at the setting that is nearest to it, on other seeds."""

NEAREST_SETTING = "at the setting of a search that is nearest to this number, with other seeds,"
"""The conditions of these columns, in words."""


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
    at: Mapping[str, str] = field(default_factory=dict)
    """Contents of the row, by the heads of their columns. Of several rows, the largest counts."""
    column: str
    paper: float
    slack: float
    less: bool = False
    """True if it is by how many per cent less a geometric mean of ratios says."""
    ratio: bool = False
    """True if it is a ratio, whose inverse says as much of the other side."""
    side: str = ""
    """The word for a number above 0, such as "lower", if its side is shown too."""
    about: str = ""
    """What else is known of the number."""
    setting: str = ""
    """The column of the conditions. The number needs to hold under one of them only."""

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Compare the paper's number with the interval."""
        rows = matching(measured.rows(self.by, self.part), self.at)
        rows = [row for row in rows if self.column in row]
        if not rows:
            return self.missing
        if self.setting:
            each = [self._of(row, measured) for row in rows]
            found = min(each, key=lambda one: (REPRODUCED, *reversed(OTHERWISE)).index(one.verdict))
            return found._replace(why="; ".join(one.why for one in each))
        return self._of(max(rows, key=lambda row: _mean(row[self.column])), measured)

    def _of(self, row: Mapping[str, str], measured: MeasuredParts) -> Ruled:
        """Compare the paper's number with a row."""
        shown, setting = row[self.column], row.get(self.setting, "")
        sampled = measured.sampled(self.by, self.part, self.column)
        found = compared(shown, sampled, self.paper, self.slack, less=self.less, ratio=self.ratio)
        why = "; ".join(filter(None, (found.why, self.about, setting)))
        if not self.side:
            return found._replace(why=why)
        tells = told(span(shown).within(0, inf))
        return found._replace(why=f"{why} ({INFORM}{self.side}: {tells})")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReproducedElsewhere(Reproduced):
    """A claim that holds under the first conditions, or else under other ones."""

    first: Decider
    there: Decider
    under: str
    """The other conditions, in words."""
    known: bool = True
    """False if the first conditions are only some of those that the paper may have had."""

    def command(self) -> str:
        """Return the commands for both."""
        return both(self.first, self.there)

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Look at the other conditions only where the first leave it open."""
        first, there = self.first.ruled(measured), self.there.ruled(measured)
        if first.verdict not in OTHERWISE:
            return first
        if there == self.missing:
            return there
        why = f"{first.why}; {self.under} {there.why.removeprefix('here ')}"
        return elsewhere(first, there, why, known=self.known)


def elsewhere(first: Ruled, there: Ruled, why: str, *, known: bool = True) -> Ruled:
    """Return the verdict on a claim that the first conditions exclude or do not decide.

    Other conditions count if it holds there. Otherwise the first ones, which are the paper's as far
    as they are known, decide alone. If the paper's are not `known`, all conditions count alike.
    """
    here = first.here or first.verdict
    if there.verdict in HOLDING:
        return Ruled(ELSEWHERE if known and here is DIFFERS else OPEN_ELSEWHERE, why, here)
    if not known and there.verdict is NO_POWER:
        here = NO_POWER
    return Ruled(here, why, here)


HOLDING = (REPRODUCED, ELSEWHERE, OPEN_ELSEWHERE)
"""Verdicts on what holds somewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlyElsewhere:
    """A claim that was looked at under conditions that are not the paper's."""

    there: Decider
    unlike: str
    """What differs from the paper's conditions."""

    def command(self) -> str:
        """Return the command that shows it."""
        return self.there.command()

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Return that it holds there, or else nothing."""
        there = self.there.ruled(measured)
        if there.verdict is UNTRIED:
            return there
        verdict = OPEN_ELSEWHERE if there.verdict in HOLDING else NO_POWER
        return Ruled(verdict, f"not the paper's conditions: {self.unlike}; {there.why}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ByColumns(Reproduced):
    """Two columns of a table that show the same wherever both show something."""

    part: str
    at: Mapping[str, str] = field(default_factory=dict)
    """Contents of the rows that count."""
    columns: tuple[tuple[str, str], ...]
    otherwise: ClaimVerdict = DIFFERS

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Compare the columns, row by row."""
        rows = matching(measured.rows(self.by, self.part), self.at)
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
    at: Mapping[str, str] = field(default_factory=dict)
    """Contents of the rows that count."""
    but: Mapping[str, str] = field(default_factory=dict)
    """Contents of rows that do not count."""
    names: tuple[str, ...] = ()
    """The columns that name the rows."""
    conditions: bool = False
    """True if each row is a condition, and the condition of the paper is not known."""
    every: bool = False
    """True if the claim is on all rows at once, so that some of them are not it."""
    about: str = ""
    """What else the verdict rests on, or what it depends on."""
    exact: bool = False
    """True if the numbers are computed, not sampled. Others tell nothing without an interval."""

    def cells(self, row: Mapping[str, str], read: Reader) -> dict[str, bool | None]:
        """Return by column whether it has the property, None if its interval does not tell."""
        raise NotImplementedError

    def found(self, measured: MeasuredParts) -> list[dict[str, str]]:
        """Return the rows, with those that do not count."""
        return matching(measured.rows(self.by, self.part), self.at)

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Return the number of rows with the property."""
        read = partial(span, exact=self.exact)
        found = self.found(measured)
        left_out = matching(found, self.but) if self.but else []
        found = [row for row in found if row not in left_out]
        rows = [(row, cells) for row in found if (cells := self.cells(row, read))]
        if not rows:
            return self.missing
        ruled = self._of_rows(rows, measured)
        why = "; ".join(filter(None, (self.about, ruled.why)))
        return ruled._replace(why=why, exact=self.exact)

    def _of_rows(
        self,
        rows: Sequence[tuple[Mapping[str, str], Mapping[str, bool | None]]],
        measured: MeasuredParts,
    ) -> Ruled:
        """Return the verdict on the rows that count, with what each of them tells."""
        shown = [all_of(cells.values()) for _, cells in rows]
        alone = shown.count(True)
        if not (all(shown) or self.exact):
            # One row of several is chosen by what it shows, so all intervals have to hold at once.
            wide = measured.together(self.by, self.part, len(rows))
            shown = [all_of(self.cells(row, wide).values()) for row, _ in rows]
        by_column: dict[str, list[str]] = {}
        for row, cells in rows:
            for column in cells:
                by_column.setdefault(column, []).append(row[column].rpartition(": ")[2])
        here = "here " + ", ".join(
            " .. ".join(dict.fromkeys(end(cells, key=_mean) for end in (min, max)))
            + f" {column}" * (len(by_column) > 1)
            for column, cells in by_column.items()
        )
        if self.but:
            here += f" (left out: {' x '.join(self.but.values())})"
        if all(shown):
            return Ruled(REPRODUCED, here + f", in all {len(rows)} rows" * (len(rows) > 1))
        some = [self._name(row) for (row, _), has in zip(rows, shown, strict=True) if has]
        where = f"in {len(some)} of {len(rows)} rows"
        if alone > len(some):
            where += f" with intervals that hold together, in {alone} with their own"
        where += f": {', '.join(some)}" if some else ""
        if unclear := shown.count(None):
            where += f"; intervals do not tell in {unclear}"
        excluded = (all if self.conditions else any)(one is False for one in shown)
        if some and not self.every:
            # Rows that are conditions exclude a claim only together: one may be the paper's.
            here_too = False in shown and not self.conditions
            verdict = ELSEWHERE if here_too else OPEN_ELSEWHERE
        else:
            verdict = DIFFERS if excluded else NO_POWER
        if len(rows) == 1:
            return Ruled(verdict, here)
        by = f" ({' x '.join(self.names)})" if some and len(self.names) > 1 else ""
        return Ruled(verdict, f"{where}{by}; {here}")

    def _name(self, row: Mapping[str, str]) -> str:
        return " x ".join(row[one] for one in self.names)


def _mean(cell: str) -> float:
    return span(cell).mean


def all_of(tells: Collection[bool | None]) -> bool | None:
    """Return False if one is, and True if all are."""
    return False if False in tells else None if None in tells else True


@dataclass(frozen=True, slots=True, kw_only=True)
class ByRange(ByRows):
    """Columns within ranges."""

    columns: Mapping[str, tuple[float, float]]
    """The least and the largest value, by the heads of columns. A dash is left out."""

    def cells(self, row: Mapping[str, str], read: Reader) -> dict[str, bool | None]:
        """Compare the intervals with both ends."""
        way = ShownNumber.within if self.exact else ShownNumber.beside
        return {
            column: way(read(row[column]), *ends)
            for column, ends in self.columns.items()
            if row.get(column, "-") != "-"
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ByLimit(Reproduced):
    """Columns whose last rows come nearer to their limits one after another, and close to them."""

    part: str
    columns: Mapping[str, float]
    """The limits, by the heads of columns."""
    over: Mapping[str, str] = field(default_factory=dict)
    """Columns by which some are divided first."""
    close: float = 1e-4
    """How close the last row has to come, as a part of the limit."""
    about: str = ""
    """Further reasons for the verdict."""

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Look at how far each row is from the limits."""
        rows = measured.rows(self.by, self.part)
        if len(rows) < LEAST_ROWS:
            return self.missing
        verdicts, whys = list[ClaimVerdict](), [self.about] if self.about else []
        for column, limit in self.columns.items():
            by = self.over.get(column)
            values = [float(row[column]) / (float(row[by]) if by else 1) for row in rows]
            off = [abs(value / limit - 1) for value in values]
            nearer = all(after <= before for before, after in pairwise(off[-LEAST_ROWS:]))
            held = REPRODUCED if nearer and off[-1] <= self.close else DIFFERS
            verdicts.append(held)
            shown = ", ".join(f"{value:.5g}" for value in values)
            whys.append(f"{column}{f' / {by}' if by else ''} {shown}, and the limit is {limit:.5g}")
        against = DIFFERS in verdicts
        return Ruled(DIFFERS if against else REPRODUCED, "; ".join(whys), exact=True)


LEAST_ROWS = 3
"""The last rows, which have to come nearer. Fewer do not show a limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ByFormula(ByRows):
    """A formula in a column, and a mean measured in another. A dash there is left out."""

    formula: str
    measured: str

    def cells(self, row: Mapping[str, str], read: Reader) -> dict[str, bool | None]:
        """Look for the formula's value in the mean's interval, which has to be narrow."""
        if row[self.measured] == "-":
            return {}
        known, shown = float(row[self.formula]), read(row[self.measured])
        holds, off = shown.holds(known, half_a_digit(row[self.formula])), MARGIN * abs(known)
        near = holds and shown.within(known - off, known + off)
        return {self.measured: False if holds is False else near or None}


@dataclass(frozen=True, slots=True, kw_only=True)
class ByBounds(Reproduced):
    """Columns that a theorem bounds by other columns, exactly."""

    part: str
    bounds: Mapping[str, str]
    """The bound of each column. Rows that stay below nine tenths of it do not test it."""
    order: bool = False
    """True if the claim is one of the order of growth, so that every row has to come near it."""
    about: str = ""
    """What the bound is."""

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Look for rows above the bound, and for how near they come."""
        rows = measured.rows(self.by, self.part)
        if not rows:
            return self.missing
        parts = {
            one: [float(row[one]) / float(row[top]) for row in rows]
            for one, top in self.bounds.items()
        }
        near = {one: f"{max(some):.2f}" for one, some in parts.items()}
        if self.order:
            near = {one: f"{min(some):.2f} to {near[one]}" for one, some in parts.items()}
        why = ", ".join(f"{one} comes to {part} of its bound" for one, part in near.items())
        why += f" {self.about}" if self.about else ""
        if max(map(max, parts.values())) > 1:
            return Ruled(DIFFERS, why)
        least = min(map(min if self.order else max, parts.values()))
        return Ruled(
            REPRODUCED if least >= NEAR_FACTOR else DIFFERS if self.order else NO_POWER, why
        )


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
        why += f", and the factor is {float(row.factor):g}"
        return Ruled(ClaimVerdict.FALSE, why, exact=True)


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
        verdict = self.verdict if float(near) >= NEAR_FACTOR else NO_POWER
        if broken != "0":
            verdict, why = DIFFERS, f"{why}; violated in {broken}"
        return Ruled(verdict, "; ".join(filter(None, (self.about, why))))


def matching(rows: Iterable[dict[str, str]], at: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the rows that have these values."""
    return [row for row in rows if all(row[head] == cell for head, cell in at.items())]


def compared(
    shown: str,
    sampled: Sampled | None,
    paper: float,
    slack: float,
    *,
    less: bool = False,
    ratio: bool = False,
) -> Ruled:
    """Compare a number of a paper with a mean over seeds and its 95 % interval.

    Papers show one draw, or do not say how many. So the number is compared with the prediction
    interval of one more draw. It has no power if it also holds half or twice the number, or the
    inverse of a ratio, or if the number agrees only because it or the interval is rounded. `slack`
    is how far the number that is meant may be from the one that is printed or read off a plot.
    """
    here = span(shown)
    if here.low == -inf:
        return Ruled(NO_POWER, f"here {shown}, without an interval")
    if sampled is None:
        return Ruled(NO_POWER, f"here {shown}, and the table does not name its seeds and scale")
    _, low, high, *halves = predicted(here, sampled, less=less)
    why = f"here {shown}, one draw {_digits(low)} to {_digits(high)}"
    least, most = low - halves[0], high + halves[1]
    if not least - slack <= paper <= most + slack:
        return Ruled(DIFFERS, why)
    inverse = ratio and paper != 1 and least <= 1 / paper <= most
    if least - slack <= paper / 2 or most + slack >= 2 * paper or inverse:
        return Ruled(NO_POWER, why)
    if not (low + halves[0] <= paper <= high - halves[1] or here.mean == paper):
        if low + halves[0] - slack <= paper <= high - halves[1] + slack:
            why = f"{why}, so {_digits(paper)} agrees only within its slack of +-{slack:g}"
        else:
            why = f"{why}, so only digits that are not shown tell whether it agrees"
        return Ruled(NO_POWER, why)
    return Ruled(REPRODUCED, why)


INFORM = "for information, "
"""Before a side, which makes no verdict."""


def told(tells: bool | None) -> str:
    """Return the word for what an interval tells."""
    return "not told" if tells is None else "yes" if tells else "no"


def _digits(value: float) -> str:
    """Return a number with four digits, without an exponent if it is below a million."""
    return f"{float(f'{value:.4g}'):g}"


def _alike(known: str, here: str) -> bool:
    """Return True if a known number is the one shown, to the digits that it has."""
    places = len(known.partition(".")[2])
    return round(float(here), places) == float(known)
