"""Executors of runs: a small interface for this machine or a Dask cluster."""

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
    """The certificate of the bound, accepted by the checker."""
    point: str | None = None
    """The point of a solver, better than the best known one, as the text of a ``.sol`` file."""


class Executor(Protocol):
    """Executes tasks and returns each submitted task exactly once."""

    @property
    def slots(self) -> int:
        """Current maximum number of concurrent tasks."""

    @property
    def slot_is_processor(self) -> bool:
        """True if a task needs a slot for each thread. A task with more threads runs alone."""

    def submit(self, task: Task) -> None:
        """Start a task. The caller observes `slots`."""

    def finished(self, timeout: float) -> list[Finished]:
        """Return the tasks that have ended, after waiting at most the given seconds."""

    def notices(self) -> list[str]:
        """Return messages for people, each sentence once."""

    def close(self) -> None:
        """Terminate running tasks and leave no process behind."""
