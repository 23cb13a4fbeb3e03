"""The keeper of untrusted runs: ``python -m ...executors.guard SOCKET``.

Each run has a separate process, which drops its privileges (`guarded.py`). Anything that the
process sends afterwards may be arbitrary, long, or incomplete, and is read up to a limit.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from subprocess import Popen
from types import MappingProxyType
from typing import Any

from ...instances import TerminationReason
from . import linux, processes
from .keeper import OUT_OF_MEMORY, Cause, WatchedWorker, main
from .sandbox import PROCESSES

MOST = 2**22
"""Maximum number of bytes of a line from a run, a plan or its answer."""

NOTE = 2000
"""Maximum number of characters of a note."""

WRONG: Cause = ("error", TerminationReason.FAILED, "it sent an invalid answer")

STATUSES = ("answered", "unusable", "refused", "error", "out of memory")
"""Statuses that a run may report of itself."""

REPORTED = b'{"reported": '
"""Prefix of a line with a plan that the method reports before its end."""

COLUMNS: Mapping[str, type] = {"status": str, "termination": str, "note": str, "changed": bool}
"""Fields of an answer other than its plans, with their types."""


class GuardedWorker(WatchedWorker):
    """A process for one run, trusted only in its first message."""

    _used = False
    _group: Path | None = None
    _guards: Mapping[str, bool] = MappingProxyType({})

    def _begun(self, stderr: int) -> "tuple[Popen[bytes], Connection]":
        return processes.start("guarded", stderr=stderr, environment=os.environ)

    def follow(self, text: bytes, owner: Connection) -> dict[str, Any]:
        """Run like every worker, in a control group with the memory limit if possible."""
        limit_mb = json.loads(text)["memory_limit"]
        self._group = linux.limited_group(self._process.pid, limit_mb)
        return super().follow(text, owner)

    def _end(self) -> None:
        super()._end()
        if self._group:
            linux.leave(self._group)

    def _own_end(self) -> Cause:
        return self._without_memory() or super()._own_end()

    def _without_memory(self) -> Cause | None:
        if self._group and linux.ran_out(self._group):
            return *OUT_OF_MEMORY, "the kernel terminated it at its memory limit"
        return None

    def or_new(self) -> "GuardedWorker":
        """Return another if it has done its run."""
        if not self._used and self._process.poll() is None:
            return self
        self._end()
        return GuardedWorker()

    def _report(self, owner: Connection) -> dict[str, Any] | Cause:
        """Return the report of a run, whose time starts after it dropped its privileges."""
        self._used, self._read = True, bytearray()
        entered = self._next_line(owner)
        if isinstance(entered, tuple):
            return entered
        begun = json.loads(entered)
        if "refused" in begun:
            return "unguarded", TerminationReason.FAILED, begun["refused"]
        self._guards = begun["guards"]
        self._measure(self._task)
        reported, line = b"", self._next_line(owner)
        while isinstance(line, bytes) and line.startswith(REPORTED):
            reported, line = line, self._next_line(owner)
        columns = None if isinstance(line, tuple) else _understood(line)
        if columns is None:
            report = self._failed(line if isinstance(line, tuple) else WRONG)
            columns = report["columns"] | {"plans": []}
        else:
            own = 2 if self._guards["processes"] else 1
            others = [one for one in processes.descendants(os.getpid()) if processes.lives(one)]
            columns |= {"seconds": round(self._seconds(), 6), "left_behind": len(others) - own}
        columns["plans"] = [*_plan(reported), *columns["plans"]]
        return {"columns": columns | {"guards": self._guards}, "schedule": None}

    def _held_mb(self, ours: list[int]) -> float:
        """Return the memory of all processes, of their page tables, and of the working folder."""
        held = sum(processes.memory_mb(one, "VmHWM", "VmPTE", "HugetlbPages") for one in ours)
        if self._guards.get("memory"):
            with suppress(OSError):  # It has ended.
                folder = os.statvfs(f"/proc/{self._process.pid}/root")
                held += (folder.f_blocks - folder.f_bfree) * folder.f_frsize / 2**20
        return held

    def _excess(self) -> Cause | None:
        """Return the limit exceeded by the run's processes and threads together."""
        ours = [self._process.pid, *processes.descendants(self._process.pid)]
        if sum(map(processes.threads, ours)) > PROCESSES:
            note = f"it had more than {PROCESSES} processes and threads"
            return "error", TerminationReason.FAILED, note
        return self._without_memory() or super()._excess()

    def _next_line(self, owner: Connection) -> bytes | Cause:
        """Return the next line of text, or the reason for its absence."""
        while b"\n" not in self._read[-(2**16) :]:
            ended = self._process.poll() is not None
            ready, excess = self._glance(owner)
            if excess:
                return excess
            more = os.read(self._line.fileno(), 2**16) if ready else b""
            if not more and (ended or ready):
                return self._own_end()
            self._read += more
            if len(self._read) > MOST:
                note = f"it sent a line of more than {MOST:,} bytes"
                return "error", TerminationReason.FAILED, note
        line, _, self._read = self._read.partition(b"\n")
        return bytes(line)


def _plan(line: bytes) -> list[str]:
    """Return the plan of a line as a list, which is empty for other lines."""
    try:
        plan = json.loads(line)["reported"]
    except (ValueError, TypeError, LookupError, RecursionError):
        return []
    return [plan] if type(plan) is str else []


def _understood(line: bytes) -> dict[str, Any] | None:
    """Return the columns of an answer, if it is one: a method can write to the connection, too."""
    try:
        answer = json.loads(line)
        columns = {name: answer[name] for name in COLUMNS if name in answer}
        plans = list(answer["plans"])[:1]
    except (ValueError, TypeError, LookupError, RecursionError):
        return None
    wrong = any(type(value) is not COLUMNS[name] for name, value in columns.items())
    wrong = wrong or any(type(plan) is not str for plan in plans)
    if wrong or columns.get("status") not in STATUSES:
        return None
    return columns | {"note": columns.get("note", "")[:NOTE], "plans": plans}


if __name__ == "__main__":
    main(GuardedWorker)
