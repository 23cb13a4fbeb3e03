"""This machine: as many warm worker processes as there are slots, each with its keeper."""

import json
import os
from contextlib import suppress
from multiprocessing.connection import wait
from subprocess import TimeoutExpired
from typing import Any

from ...instances import RefusedError, TerminationReason
from ..runs import Task, environment, failure, now
from . import GRACE_S, Finished
from .processes import END_S, start, watchable
from .sandbox import bare_environment

TRIES = 3
"""Number of starts of a run whose processes are terminated from outside.

A guarded run starts once, because a method could gain time by ending itself in the same manner."""


class WorkerSlot:
    """A slot for consecutive runs."""

    def __init__(self, *, guarded: bool = False) -> None:
        """Start its keeper."""
        self._guarded = guarded
        if not watchable():
            raise RefusedError(
                "runs are monitored through /proc, which this system lacks. Use Linux."
            )
        self._start()

    def _start(self) -> None:
        try:
            if self._guarded:
                self._process, self.line = start("guard", environment=bare_environment())
            else:
                self._process, self.line = start("keeper")
        except OSError as error:
            raise RefusedError(f"no worker process starts: {error.strerror}") from None

    def begin(self, task: Task) -> None:
        """Start a task, to be followed by `take` once `line` is readable."""
        self._task, self._began, self._tries = task, now(), 0
        self._send()

    def _send(self) -> None:
        self._tries += 1
        with suppress(ConnectionError):  # The line will be at its end, which `take` notices.
            self.line.send_bytes(json.dumps(self._task).encode())

    def take(self) -> Finished | None:
        """Return the result of a task, None if it was restarted."""
        try:
            report = json.loads(self.line.recv_bytes())
        except (EOFError, OSError):
            report = self._lost()
        unbegun, killed = report.pop("unbegun", False), report["columns"]["status"] == "killed"
        if (unbegun or (killed and not self._guarded)) and self._tries < TRIES:
            self._send()
            return None
        if unbegun and not killed:
            raise RefusedError(f"no worker process starts: {report['columns']['note']}")
        return Finished(key=self._task["key"], **report)

    def _lost(self) -> dict[str, Any]:
        """Start another keeper, and report that the last one was ended."""
        self.close()
        self._start()
        ended = failure(
            "killed", TerminationReason.KILLED, "its monitoring process was terminated from outside"
        )
        return {"columns": {**environment(), **ended, "started": self._began}, "schedule": None}

    def hang_up(self) -> None:
        """Make the keeper terminate all processes and exit."""
        self.line.close()

    def close(self) -> None:
        """Disconnect, and wait until all processes have ended."""
        self.hang_up()
        try:
            self._process.wait(2 * END_S)
        except TimeoutExpired:
            self._process.kill()
            self._process.wait()


class LocalExecutor:
    """Executes tasks in separate processes, monitored and terminated at their limits."""

    def __init__(
        self, slots: int | None = None, *, grace_s: float = GRACE_S, guarded: bool = False
    ) -> None:
        """Allow the given number of concurrent runs, or as many threads as there are processors.

        Tasks that are `guarded` have the given guards, and return unjudged plans.
        """
        self._guarded = guarded
        self.slots = slots or len(os.sched_getaffinity(0))
        self.slot_is_processor = slots is None
        self._grace_s = grace_s
        self._idle: list[WorkerSlot] = []
        self._busy: list[WorkerSlot] = []
        self._notices: list[str] = []

    def submit(self, task: Task) -> None:
        """Start a task, with a new worker if necessary."""
        kept = self._idle.pop() if self._idle else WorkerSlot(guarded=self._guarded)
        self._busy.append(kept)
        kept.begin({**task, "grace": self._grace_s})

    def finished(self, timeout: float) -> list[Finished]:
        """Return the tasks that have ended, after waiting at most the given seconds."""
        ready = wait([kept.line for kept in self._busy], timeout)
        done = []
        for kept in [kept for kept in self._busy if kept.line in ready]:
            finished = kept.take()
            if finished is None:
                self._notices.append("a run was terminated from outside and restarts")
                continue
            done.append(finished)
            self._busy.remove(kept)
            self._idle.append(kept)
        return done

    def notices(self) -> list[str]:
        """Return messages for people, each sentence once."""
        notices, self._notices = self._notices, []
        return notices

    def close(self) -> None:
        """Terminate running tasks and leave no process behind."""
        everyone = [*self._busy, *self._idle]
        for kept in everyone:
            kept.hang_up()
        for kept in everyone:
            kept.close()
        self._busy, self._idle = [], []
