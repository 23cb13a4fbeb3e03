"""The process between an executor and a worker: ``python -m ...executors.keeper SOCKET``.

It forwards tasks, monitors their resources, and reports their results. All processes of a run stay
below the keeper, which terminates them after a failure and after its owner's end.
"""

import json
import os
import signal
import sys
import time
from contextlib import suppress
from io import FileIO
from multiprocessing.connection import Connection, wait
from subprocess import Popen, TimeoutExpired
from typing import Any, Self

from ...instances import TerminationReason
from ..executors import processes
from ..runs import Task, environment, failure, now
from .processes import adopt_orphans, end_descendants

GLANCE_S = 0.05
"""Seconds between two checks of a worker's resources."""

START_S = 120.0
"""A worker that has not begun by then is ended."""

UNLIMITED_S = 3600.0
"""A run without a time limit is ended after so long."""

CLOSED_S = 5.0
"""Seconds that a worker has to be gone after it closed its line."""

GROWN_MB = 1000.0
"""A worker that keeps more memory after a run is replaced."""

WORDS = 10_000
"""Number of trailing output bytes kept of a worker."""

GULPS = 10
"""Maximum number of reads of output per check, so that endless output delays no check."""

OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)
"""External signals. Any other signal is caused by the process itself."""

Cause = tuple[str, TerminationReason, str]
"""Why a run was ended: status, termination and note of its row."""

OUT_OF_MEMORY = ("out of memory", TerminationReason.MEMORY_LIMIT)


class WatchedWorker:
    """A worker, its run's resources, and its last output."""

    def __init__(self) -> None:
        """Start it."""
        self._ready = False
        errors, theirs = os.pipe()
        os.set_blocking(errors, False)
        self._errors = FileIO(errors)
        self._process, self._line = self._begun(theirs)
        os.close(theirs)

    def _begun(self, stderr: int) -> "tuple[Popen[bytes], Connection]":
        return processes.start("worker", stderr=stderr)

    def follow(self, text: bytes, owner: Connection) -> dict[str, Any]:
        """Forward a task and return its result. Exit if the owner is gone.

        The result has `columns` and `schedule`, and `unbegun` if the worker did not start.
        """
        if not self._ready:
            self._measure({"time_limit": 0.0, "grace": START_S})
            first = self._next(owner)
            if isinstance(first, tuple):
                return {**self._failed(first), "unbegun": True}
            self._ready = True
        self._measure(json.loads(text))
        with suppress(ConnectionError):  # Its end is noticed below.
            self._line.send_bytes(text)
        report = self._report(owner)
        if isinstance(report, tuple):
            return self._failed(report)
        if "memory_mb" not in report["columns"]:  # Engines are measured apart from the worker.
            report["columns"] |= self._measured()
        return report

    def _report(self, owner: Connection) -> dict[str, Any] | Cause:
        """Return the worker's report of its task."""
        answer = self._next(owner)
        return answer if isinstance(answer, tuple) else dict(json.loads(answer))

    def _next(self, owner: Connection) -> bytes | Cause:
        """Return the next message of the worker, or the reason for its absence."""
        ended = False
        with suppress(EOFError, OSError):
            while not ended:
                ended = self._process.poll() is not None
                ready, excess = self._glance(owner)
                if excess:
                    return excess
                if ready:
                    return self._line.recv_bytes()
        return self._own_end()

    def _glance(self, owner: Connection) -> tuple[bool, Cause | None]:
        """Return whether the worker has sent a message, and any reason to terminate it.

        Exit if the owner is gone.
        """
        waiting = wait([self._line, owner], GLANCE_S)
        if owner in waiting:
            raise SystemExit
        self._look()
        return self._line in waiting, self._excess()

    def or_new(self) -> Self:
        """Return this worker if it can be reused, or else terminate it and return a new one."""
        others = {*processes.descendants(os.getpid())} - {self._process.pid}
        if (
            self._process.poll() is None
            and not any(map(processes.lives, others))
            and processes.memory_mb(self._process.pid, "VmRSS") < GROWN_MB
        ):
            return self
        self._end()
        return type(self)()

    def _end(self) -> None:
        self._process.kill()
        self._process.wait()
        processes.end_descendants()
        self._line.close()
        self._errors.close()

    def _measure(self, task: Task) -> None:
        """Reset all measures at the start of a task."""
        self._task, self._words, self._started = task, b"", now()
        self._began, self._before_s = time.monotonic(), processes.cpu_s(os.getpid())
        self._used_s = self._peak_mb = 0.0
        processes.forget_peak(self._process.pid)

    def _look(self) -> None:
        for _ in range(GULPS):
            self._words = (self._words + (self._errors.read(WORDS) or b""))[-WORDS:]
        ours = [self._process.pid, *processes.descendants(self._process.pid)]
        self._peak_mb = max(self._peak_mb, self._held_mb(ours))
        # Of an ended process only whole ticks are known, so this can fall.
        self._used_s = max(self._used_s, processes.cpu_s(os.getpid()) - self._before_s)

    def _held_mb(self, ours: list[int]) -> float:
        """Return the sum of the processes' peak memory."""
        return sum(processes.memory_mb(one, "VmHWM") for one in ours)

    def _excess(self) -> Cause | None:
        """Return the limit that it exceeded, if any."""
        memory_mb, cpu_s, time_s = (
            self._task.get(f"{what}_limit") for what in ("memory", "cpu", "time")
        )
        if memory_mb is not None and self._peak_mb > memory_mb:
            return *OUT_OF_MEMORY, f"it grew beyond {memory_mb:g} MB"
        if cpu_s is not None and self._used_s > cpu_s:
            note = f"it used {cpu_s:g} s of processor time"
            return "timed out", TerminationReason.TIME_LIMIT, note
        if time_s is None and self._seconds() > UNLIMITED_S:
            note = f"it ran for {UNLIMITED_S:g} s without a time limit"
            return "timed out", TerminationReason.KILLED, note
        if time_s is not None and self._seconds() > time_s + self._task["grace"]:
            return "timed out", TerminationReason.KILLED, "it ignored its time limit"
        return None

    def _seconds(self) -> float:
        return time.monotonic() - self._began

    def _measured(self) -> dict[str, float | None]:
        peak_mb = round(self._peak_mb, 1) or None
        return {"cpu_seconds": round(self._used_s, 6), "memory_mb": peak_mb}

    def _failed(self, cause: Cause) -> dict[str, Any]:
        """Terminate all remaining processes of a run, and return its report."""
        seconds = self._seconds()
        self._end()
        columns = {
            **environment(),
            **failure(*cause),
            "started": self._started,
            "seconds": round(seconds, 6),
            **self._measured(),
        }
        return {"columns": columns, "schedule": None}

    def _own_end(self) -> Cause:
        """Return the reason for its end without an answer."""
        try:
            code = self._process.wait(CLOSED_S)
        except TimeoutExpired:
            return "crashed", TerminationReason.CRASHED, "it closed its line"
        self._look()
        lines = self._words.decode(errors="replace").split("\n")
        last = next((line for line in reversed(lines) if line.strip()), "")[:200]
        if "MemoryError" in last or any("bad_alloc" in line for line in lines):
            return *OUT_OF_MEMORY, last
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        if -code in OUTSIDE:
            return (
                "killed",
                TerminationReason.KILLED,
                f"its process was terminated from outside ({how})",
            )
        return "crashed", TerminationReason.CRASHED, f"its process died ({how}) {last}".strip()


def main(kind: type[WatchedWorker] = WatchedWorker) -> None:
    """Serve the owner until it hangs up."""
    adopt_orphans()
    try:
        with suppress(EOFError, OSError):
            _serve(Connection(int(sys.argv[1])), kind)
    finally:
        end_descendants()


def _serve(owner: Connection, kind: type[WatchedWorker]) -> None:
    worker = kind()
    while True:
        text = owner.recv_bytes()
        worker = worker.or_new()
        owner.send_bytes(json.dumps(worker.follow(text, owner)).encode())
        worker = worker.or_new()


if __name__ == "__main__":
    main()
