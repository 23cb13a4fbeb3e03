"""What some tables need beside the rows."""

from collections.abc import Callable
from dataclasses import dataclass

from ...instances import Instance
from ..guarantees import Guarantee
from ..rows import Row

Unmet = Callable[[Guarantee, Row, Instance], str | None]
"""Says which hypothesis of a theorem a run does not meet, or None."""


def _no_instance(_: str) -> Instance | None:
    return None


def _unknown(guarantee: Guarantee, row: Row, instance: Instance) -> str | None:
    del guarantee, row, instance
    return "needs hypotheses that were not looked at"


def _any(_: Row) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Who knows about instances, theorems and methods."""

    instance: Callable[[str], Instance | None] = _no_instance
    """Gives an instance by its digest, if it is at hand."""
    unmet: Unmet = _unknown
    exact: Callable[[Row], bool] = _any
    """Says whether the method of a run would prove an optimum, given time."""


NOTHING = Sources()
"""Rows alone."""
