"""Tasks, and what an executor makes of them."""

import time
from collections.abc import Callable
from typing import Any

from ringyard.campaigns.executors import Executor, Finished
from ringyard.campaigns.runs import Run, Task
from ringyard.instances.generate import generate

LONG_S = 600.0
"""After so long a test hangs, on however slow a machine."""


def task(method: str, **limits: Any) -> Task:
    """Return a task with the method's name as its key; this process need not know the method."""
    run = Run(instance=generate("small", seed=0, jobs=4, servers=2), method="gang-lpt", **limits)
    return {**run.task(), "method": method, "code": "", "key": method}


def gather(executor: Executor, *tasks: Task) -> dict[str, Finished]:
    """Do all tasks, each once, and return what they came to by their keys."""
    waiting, found, deadline = list(tasks), list[Finished](), time.monotonic() + LONG_S
    while len(found) < len(tasks):
        assert time.monotonic() < deadline, f"only {[one.key for one in found]} came back"
        while waiting and len(tasks) - len(waiting) - len(found) < executor.slots:
            executor.submit(waiting.pop(0))
        found += executor.finished(0.2)
    assert executor.finished(0.0) == []
    assert sorted(one.key for one in found) == sorted(one["key"] for one in tasks)
    return {one.key: one for one in found}


def until(executor: Executor, holds: Callable[[], Any]) -> Any:
    """Wait until something holds while nothing is finished yet."""
    return eventually(lambda: holds() if executor.finished(0.02) == [] else None)


def eventually(holds: Callable[[], Any]) -> Any:
    """Wait until something holds, and return it."""
    deadline = time.monotonic() + LONG_S
    while not (found := holds()):
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.02)
    return found
