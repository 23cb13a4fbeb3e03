"""Where runs are done: one small interface, and behind it this machine or a Dask cluster."""

from dataclasses import dataclass
from typing import Any, Protocol

from ..runs import Task

GRACE_S = 120.0
"""Seconds beyond its time limit after which a run is ended: for the bound, building and judging."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The result of a task, or its failure."""

    key: str
    columns: dict[str, Any]
    """Columns of its row."""
    schedule: str | None
    """The schedule as the text of a file."""
    certificate: str | None = None
    """That of the bound, which the checker has accepted."""


class Executor(Protocol):
    """Does tasks; each that is submitted comes back finished, once."""

    @property
    def slots(self) -> int:
        """How many tasks may run at once; this may change."""

    def submit(self, task: Task) -> None:
        """Begin a task; the caller keeps to `slots`."""

    def finished(self, timeout: float) -> list[Finished]:
        """Return the tasks that have ended, after waiting at most the given seconds."""

    def notices(self) -> list[str]:
        """Return what a person should know, in sentences, each once."""

    def close(self) -> None:
        """End what still runs and leave no process behind."""
