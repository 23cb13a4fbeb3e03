"""Which rows of a campaign are meant: chosen by what stands in their columns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Annotated

from cyclopts import Parameter

from ...analysis.rows import BOUND, COLUMNS, Row
from ...campaigns.store import Store
from ...instances.errors import InputError, Problem, Words, unknown
from .options import Whole
from .output import note
from .sources import told

RUNS = ("--method", "--seed")
"""Options that choose among the runs of an instance."""

MANY = 12
"""An error names at most this many of what there is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowChoice:
    """Options that say which rows of a campaign are meant.

    Parameters
    ----------
    family
        Only instances of this family: makespan, online, reserved, trace, rental, fleet,
        coded, shuffle or transfers.
    instance
        Only this instance, or all whose names fit a pattern such as 'tight-*'; may be repeated.
    method
        Only this method, or all that fit a pattern; may be repeated.
    seed
        Only runs with this seed.
    where
        Only rows whose column has this value, as in time_limit=60; may be repeated.
    """

    family: str | None = None
    instance: tuple[str, ...] = ()
    method: tuple[str, ...] = ()
    seed: Whole | None = None
    where: tuple[str, ...] = ()

    def rows(self, rows: list[Row]) -> list[Row]:
        """Return the rows that meet all conditions.

        Whatever is wanted must be there, among the rows that the conditions before it leave.
        Bounds of the instances stay, whatever runs are chosen.
        """
        for option, column, values in self._conditions():
            there = sorted({_said(row[column]) for row in rows}, key=_order)
            for value in values:
                if not any(_fits(one, value) for one in there):
                    problem = Problem(
                        option, value, f"one of {listed(there)}", "choose one of them"
                    )
                    raise InputError("rows of the campaign", [problem])
            kept = option in RUNS
            rows = [
                row
                for row in rows
                if (kept and row["method"] == BOUND)
                or any(_fits(_said(row[column]), value) for value in values)
            ]
        return rows

    def _conditions(self) -> Iterator[tuple[str, str, Sequence[str]]]:
        """Yield option, column, and the values of which a row must have one."""
        if self.family is not None:
            yield "--family", "family", (self.family,)
        if self.instance:
            yield "--instance", "instance", self.instance
        if self.method:
            yield "--method", "method", self.method
        if self.seed is not None:
            yield "--seed", "seed", (str(self.seed),)
        for condition in self.where:
            column, value = _condition(condition)
            yield f"--where {column}", column, (value,)


def rows_of(store: Store) -> list[Row]:
    """Return the rows that a campaign asks for now; say what is missing, or left out."""
    rows = store.wanted()
    told(store)
    if left_out := len(store) - len(rows):
        note(f"{left_out:,} rows are left out: the campaign asks for other runs now")
    if not rows:
        expected = "rows of the runs that the campaign asks for now"
        problem = Problem("folder", Words("none"), expected, "run the campaign again")
        raise InputError(str(store.folder), [problem])
    return rows


Chosen = Annotated[RowChoice, Parameter(name="*")]
"""The options of a choice, as options of a command."""

ALL_ROWS = RowChoice()


def _condition(text: str) -> tuple[str, str]:
    """Split COLUMN=VALUE."""
    column, sign, value = text.partition("=")
    if not sign or column not in COLUMNS:
        like = unknown(
            "--where", column, COLUMNS, "see docs/campaigns/campaigns.md for the columns"
        )
        expected = "COLUMN=VALUE with a column of the rows"
        raise InputError("rows of the campaign", [replace(like, value=text, expected=expected)])
    return column, value


def _said(value: object) -> str:
    """Write a value as it is given on the command line."""
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _order(text: str) -> tuple[int, str]:
    """Sort texts, and whole numbers by their size."""
    return len(text) if text.isdigit() else 0, text


def _fits(text: str, wanted: str) -> bool:
    return text == wanted or fnmatchcase(text, wanted)


def listed(names: Sequence[object]) -> str:
    """List names, the first of very many."""
    shown = ", ".join(map(str, names[:MANY]))
    return f"{shown} and {len(names) - MANY:,} more" if len(names) > MANY else shown


def refuse_mixed(rows: list[Row], column: str) -> None:
    """Refuse rows that differ in a column."""
    there = sorted({row[column] for row in rows})
    if len(there) > 1:
        found = Words(f"{len(there):,} of them: {listed(there)}")
        problem = Problem(f"--{column}", found, "a single one for this figure", "choose one")
        raise InputError("rows of the campaign", [problem])


def kind_problems(option: str, name: str, known: Sequence[str], command: str) -> list[Problem]:
    """Return what is wrong with a name that has to be one of some."""
    return [] if name in known else [unknown(option, name, known, f"see `{command} --help`")]
