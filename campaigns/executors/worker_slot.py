"""A worker and its keeper, as the process that has tasks for them sees them."""

import json
from contextlib import suppress
from subprocess import TimeoutExpired
from typing import Any

from ...instances import RefusedError, Stop
from ..environment import environment, now
from ..perform import failure
from ..runs import Task
from . import Finished
from .processes import END_S, start, watchable

TRIES = 3
"""A run whose processes were ended from outside is begun so often; then its row says it."""


class WorkerSlot:
    """A place where one run after another can be done."""

    def __init__(self) -> None:
        """Start its keeper."""
        if not watchable():
            raise RefusedError("runs are watched by /proc, which this system lacks; use Linux")
        self._start()

    def _start(self) -> None:
        try:
            self._process, self.line = start("keeper")
        except OSError as error:
            raise RefusedError(f"no worker process starts: {error.strerror}") from None

    def begin(self, task: Task) -> None:
        """Begin a task; once `line` can be read, `take` what came of it."""
        self._task, self._began, self._tries = task, now(), 0
        self._send()

    def _send(self) -> None:
        self._tries += 1
        with suppress(ConnectionError):  # The line will be at its end, which `take` notices.
            self.line.send_bytes(json.dumps(self._task).encode())

    def take(self) -> Finished | None:
        """Return what the task came to; None if it had to be begun anew."""
        try:
            report = json.loads(self.line.recv_bytes())
        except (EOFError, OSError):
            report = self._lost()
        unbegun, killed = report.pop("unbegun", False), report["columns"]["status"] == "killed"
        if (unbegun or killed) and self._tries < TRIES:
            self._send()
            return None
        if unbegun and not killed:
            raise RefusedError(f"no worker process starts: {report['columns']['note']}")
        return Finished(key=self._task["key"], **report)

    def _lost(self) -> dict[str, Any]:
        """Start another keeper, and report that the last one was ended."""
        self.close()
        self._start()
        ended = failure("killed", Stop.KILLED, "the process that watched it was ended from outside")
        return {"columns": {**environment(), **ended, "started": self._began}, "schedule": None}

    def hang_up(self) -> None:
        """Let the keeper end whatever runs, and leave."""
        self.line.close()

    def close(self) -> None:
        """Hang up, and wait until nothing is left."""
        self.hang_up()
        try:
            self._process.wait(2 * END_S)
        except TimeoutExpired:
            self._process.kill()
            self._process.wait()
