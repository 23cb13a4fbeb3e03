"""What tables, figures and the report need beside the rows."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ..instances import AnySchedule, Instance
from .guarantees import Guarantee
from .rows import BOUND, Row

Unmet = Callable[[Guarantee, Row, Instance], str | None]
"""Says which hypothesis of a theorem a run does not meet, or None."""

Read = Callable[[Row], tuple[Instance, AnySchedule]]
"""Gives the instance and the schedule of a row that has one."""


def _nothing(_: Any) -> None:
    return None


def _unknown(guarantee: Guarantee, row: Row, instance: Instance) -> str | None:
    del guarantee, row, instance
    return "needs hypotheses that were not looked at"


def _any(_: Row) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Who knows about instances, schedules, theorems and methods."""

    instance: Callable[[str], Instance | None] = _nothing
    """Gives an instance by its digest, if it is at hand."""
    schedule: Callable[[Row], AnySchedule | None] = _nothing
    """Gives the schedule of a row that has one."""
    unmet: Unmet = _unknown
    exact: Callable[[Row], bool] = _any
    """Says whether the method of a run would prove an optimum, given time."""
    random: Callable[[Row], bool] = _any
    """Says whether the method of a run draws lots; else its run stands for every seed."""

    def read(self, row: Row) -> tuple[Instance, AnySchedule]:
        """Return the instance and the schedule of a row that has one."""
        instance, schedule = self.instance(row["digest"]), self.schedule(row)
        assert instance is not None, row["key"]
        assert schedule is not None, row["key"]
        return instance, schedule

    def seedless(self, rows: Iterable[Row]) -> set[str]:
        """Return the methods that no seed changes."""
        return {row["method"] for row in rows if row["method"] != BOUND and not self.random(row)}


NOTHING = Sources()
"""Rows alone."""
