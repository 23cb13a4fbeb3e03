"""Sources other than the rows for tables, figures and the report."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from ..instances import AnySchedule, Instance
from ..instances.errors import InputError, Problem, Words
from .guarantees import Guarantee
from .rows import BOUND, Row

Unmet = Callable[[Guarantee, Row, Instance], str | None]
"""Returns which hypothesis of a theorem a run does not meet, or None."""

Read = Callable[[Row], tuple[Instance, AnySchedule]]
"""Gives the instance and the schedule of a row that has one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Access to instances, schedules, theorems and methods."""

    instance: Callable[[str], Instance | None] = lambda _: None
    """Gives an instance by its digest, if it is at hand."""
    schedule: Callable[[Row], AnySchedule | None] = lambda _: None
    """Gives the schedule of a row that has one."""
    unmet: Unmet = lambda *_: "needs hypotheses that were not checked"
    exact: Callable[[Row], bool] = lambda _: True
    """Says whether the method of a run would prove an optimum, given time."""
    random: Callable[[Row], bool] = lambda _: True
    """Returns True if a run's method is random. If not, one run is used for every seed."""

    methods: Collection[str] = ()
    """All methods of the campaign: whichever are drawn, each keeps its look."""

    def read(self, row: Row) -> tuple[Instance, AnySchedule]:
        """Return the instance and the schedule of a row. Raise `InputError` if one is missing."""
        found = self.instance(row["digest"]), self.schedule(row)
        if None in found:
            raise _lost(row, "instance" if found[0] is None else "schedule", "none")
        instance, schedule = found
        assert instance is not None  # For those who check types.
        assert schedule is not None
        if {instance.kind, schedule.kind.removesuffix("-schedule")} != {row["family"]}:
            raise _lost(row, "family", f"{instance.kind} and {schedule.kind}")
        return instance, schedule

    def seedless(self, rows: Iterable[Row]) -> set[str]:
        """Return the methods that no seed changes."""
        return {row["method"] for row in rows if row["method"] != BOUND and not self.random(row)}


def _lost(row: Row, what: str, found: str) -> InputError:
    """Return the error of a row without a matching instance and schedule."""
    expected, advice = "the digest of the run", "run `ringyard check` on the folder"
    where = f"{row['method']} on {row['instance']}, seed {row['seed']}"
    return InputError(where, [Problem(what, Words(found), expected, advice)])


NOTHING = Sources()
"""Rows alone."""
