"""An executor that does each task at once in this process, and rows without running anything."""

from collections.abc import Callable
from typing import Any

from ringyard.analysis.rows import whole_row
from ringyard.campaigns.executors import Finished
from ringyard.campaigns.perform import perform
from ringyard.campaigns.runs import Run, Task
from ringyard.engines.program_run import ProgramRun
from ringyard.instances.catalogue import load

Does = Callable[[Task], dict[str, Any]]


class Here:
    """Does a task when it is asked for results; `done` has the keys of all it did."""

    slot_is_processor = False

    def __init__(self, does: Does = perform, slots: int = 1) -> None:
        self.slots, self._does = slots, does
        self._tasks: list[Task] = []
        self.done: list[str] = []

    def submit(self, task: Task) -> None:
        self._tasks.append(task)

    def finished(self, timeout: float) -> list[Finished]:
        del timeout
        task = self._tasks.pop(0)
        found = self._does(task)
        self.done.append(task["key"])
        return [Finished(key=task["key"], **found)]

    def notices(self) -> list[str]:
        return []

    def close(self) -> None:
        self._tasks = []


def made_up(task: Task) -> dict[str, Any]:
    """Return columns as of a run that went well, quickly."""
    columns = {
        "status": "feasible",
        "termination": "done",
        "solution_status": "feasible",
        "note": "",
        "objective": 10 + task["seed"],
        "bound": 5,
        "bound_kind": "combinatorial",
        "seconds": 0.01,
        "valid": True,
        "violations": 0,
    }
    return {"columns": columns, "schedule": None}


def engine_row(run: ProgramRun) -> dict[str, Any]:
    """Return a row in which an engine finds the optimum on record."""
    value = run.entry.value
    said = "infeasible" if value is None else "optimal"
    columns = {
        "status": said,
        "solution_status": said,
        "objective": value,
        "valid": value is not None,
    }
    return whole_row({**run.stated(), **columns, "violations": 0, "seconds": 0.5})


def some_runs(count: int = 5) -> list[Run]:
    """Return runs that differ in their seeds."""
    instance = load("hand-lpt")
    return [Run(instance=instance, method="random", seed=seed) for seed in range(count)]
