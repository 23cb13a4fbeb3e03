"""What a thread of a Dask worker does: one run at a time, in a process of its own."""

from multiprocessing.connection import wait
from threading import local
from typing import Any

from ...instances import RefusedError
from ...version import __version__
from ..runs import Task
from .local import WorkerSlot

GLANCE_S = 0.5
"""Time between two looks whether a run is still wanted."""

HERE = local()
"""Where a thread keeps its process for the next run."""


def do(task: Task) -> dict[str, Any]:
    """Return the columns and the files of a run; end it when it is no longer wanted."""
    if task["version"] != __version__:
        raise RefusedError(
            f"a Dask worker has ringyard {__version__} and this process {task['version']}; "
            "install the same on both"
        )
    kept = HERE.kept = getattr(HERE, "kept", None) or WorkerSlot()
    kept.begin(task)
    while _wanted():
        finished = kept.take() if wait([kept.line], GLANCE_S) else None
        if finished is not None:
            files = {"schedule": finished.schedule, "certificate": finished.certificate}
            return {"columns": finished.columns, **files}
    HERE.kept = None
    kept.close()
    raise RefusedError("this run is no longer wanted")


def _wanted() -> bool:
    """Say whether this worker's scheduler still waits for what this thread does."""
    from distributed import get_worker

    worker = get_worker()
    task = worker.state.tasks.get(worker.get_current_task())
    return task is not None and task.state == "executing" and worker.status.name != "closing"
