"""This machine: as many warm worker processes as there are slots, each with its keeper."""

import os
from multiprocessing.connection import wait

from ..runs import Task
from . import GRACE_S, Finished
from .worker_slot import WorkerSlot


class LocalExecutor:
    """Does tasks in processes of their own, each watched and ended when it takes too much."""

    def __init__(self, slots: int | None = None, *, grace_s: float = GRACE_S) -> None:
        """Allow as many runs side by side as there are processors, or as stated."""
        self.slots = slots or len(os.sched_getaffinity(0))
        self._grace_s = grace_s
        self._idle: list[WorkerSlot] = []
        self._busy: list[WorkerSlot] = []
        self._notices: list[str] = []

    def submit(self, task: Task) -> None:
        """Begin a task; workers are started when they are needed."""
        kept = self._idle.pop() if self._idle else WorkerSlot()
        self._busy.append(kept)
        kept.begin({**task, "grace": self._grace_s})

    def finished(self, timeout: float) -> list[Finished]:
        """Return the tasks that have ended, after waiting at most the given seconds."""
        ready = wait([kept.line for kept in self._busy], timeout)
        done = []
        for kept in [kept for kept in self._busy if kept.line in ready]:
            finished = kept.take()
            if finished is None:
                self._notices.append("a run was ended from outside; it begins anew")
                continue
            done.append(finished)
            self._busy.remove(kept)
            self._idle.append(kept)
        return done

    def notices(self) -> list[str]:
        """Return what a person should know, each sentence once."""
        told, self._notices = self._notices, []
        return told

    def close(self) -> None:
        """End what still runs and leave no process behind."""
        everyone = [*self._busy, *self._idle]
        for kept in everyone:
            kept.hang_up()
        for kept in everyone:
            kept.close()
        self._busy, self._idle = [], []
