"""The choice of campaign rows by the values of their columns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from cyclopts import Parameter

from ...analysis.rows import COLUMNS, Row, chosen
from ...campaigns.store import Store, counted_rows
from ...instances.errors import InputError, Problem, unknown
from .options import Whole
from .output import note


@dataclass(frozen=True, slots=True, kw_only=True)
class RowChoice:
    """Options that choose rows of a campaign.

    Parameters
    ----------
    family
        Only instances of this family: makespan, online, reserved, trace, rental, fleet,
        coded, shuffle or transfers.
    instance
        Only this instance, or all that match a pattern such as 'tight-*'. May be repeated.
    method
        Only this method, or all that match a pattern. May be repeated.
    seed
        Only runs with this seed.
    where
        Only rows whose column has this value, as in time_limit=60. May be repeated.
    """

    family: str | None = None
    instance: tuple[str, ...] = ()
    method: tuple[str, ...] = ()
    seed: Whole | None = None
    where: tuple[str, ...] = ()

    def rows(self, rows: list[Row]) -> list[Row]:
        """Return the rows that meet all conditions.

        Each value must occur among the rows that the earlier conditions leave. Bounds of the
        instances
        are kept, whatever runs are chosen.
        """
        for option, column, values in self._conditions():
            rows = chosen(rows, column, values, option)
        return rows

    def _conditions(self) -> Iterator[tuple[str, str, Sequence[str]]]:
        """Yield option, column, and the accepted values of the column."""
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
    """Return the current rows of a campaign. Report missing and left-out rows."""
    rows, sentences = counted_rows(store)
    for sentence in sentences:
        note(sentence)
    return rows


Chosen = Annotated[RowChoice, Parameter(name="*")]
"""The options of a choice, as options of a command."""

ALL_ROWS = RowChoice()


def _condition(text: str) -> tuple[str, str]:
    """Split COLUMN=VALUE."""
    column, sign, value = text.partition("=")
    if not sign or column not in COLUMNS:
        like = unknown(
            "--where", column, COLUMNS, "see docs/howto/run-a-campaign.md for the columns"
        )
        expected = "COLUMN=VALUE with a column of the rows"
        raise InputError("rows of the campaign", [replace(like, value=text, expected=expected)])
    return column, value


def rename_problems(pairs: Sequence[str]) -> list[Problem]:
    """Return invalid pairs OLD=NEW."""
    return [
        Problem("--rename", pair, "OLD=NEW", "give both names, as in sjf-bco=SJF-BCO")
        for pair in pairs
        if not all(pair.rpartition("="))
    ]


def new_names(pairs: Sequence[str]) -> dict[str, str]:
    """Return the new names by the old ones."""
    return {old: new for old, _, new in (pair.rpartition("=") for pair in pairs)}


def kind_problems(option: str, name: str, known: Sequence[str], command: str) -> list[Problem]:
    """Return a problem if a name is not one of the known names."""
    return [] if name in known else [unknown(option, name, known, f"see `{command} --help`")]
