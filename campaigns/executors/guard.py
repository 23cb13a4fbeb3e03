"""The keeper of runs that nobody trusts: ``python -m ...executors.guard SOCKET``.

Each run has a process of its own, which gives up what it can (`guarded.py`). What that process says
afterwards may be anything, of any length, or stop half way: it is read as it comes, up to a limit.
"""

import json
import os
from collections.abc import Mapping
from multiprocessing.connection import Connection
from subprocess import Popen
from typing import Any

from ...instances import Stop
from . import processes
from .keeper import Cause, WatchedWorker, main

MOST = 2**25
"""How many bytes a run may say."""

WRONG: Cause = ("error", Stop.FAILED, "it said what is no answer")

STATUSES = ("answered", "unusable", "refused", "error", "out of memory")
"""What a run may say of itself."""

COLUMNS: Mapping[str, type] = {"status": str, "stop": str, "note": str, "changed": bool}
"""What an answer says beside its plans."""


class GuardedWorker(WatchedWorker):
    """A process for one run, of which only the first words are to be believed."""

    _used = False

    def _begun(self, stderr: int) -> "tuple[Popen[bytes], Connection]":
        return processes.start("guarded", stderr=stderr, environment=os.environ)

    def or_new(self) -> "GuardedWorker":
        """Return another if it has done its run."""
        if not self._used and self._process.poll() is None:
            return self
        self._end()
        return GuardedWorker()

    def _report(self, owner: Connection) -> dict[str, Any] | Cause:
        """Return what a run says; its time begins once it has given up what it can."""
        self._used, self._read = True, bytearray()
        entered = self._line_said(owner)
        if isinstance(entered, tuple):
            return entered
        guards = json.loads(entered)["guards"]
        self._measure(self._task)
        said = self._line_said(owner)
        columns = None if isinstance(said, tuple) else _understood(said)
        if columns is None:
            report = self._failed(said if isinstance(said, tuple) else WRONG)
            report["columns"]["guards"] = guards
            return report
        own = 2 if guards["processes"] else 1
        others = [one for one in processes.descendants(os.getpid()) if processes.lives(one)]
        columns |= {"seconds": round(self._seconds(), 6), "left_behind": len(others) - own}
        return {"columns": columns | {"guards": guards}, "schedule": None}

    def _line_said(self, owner: Connection) -> bytes | Cause:
        """Return the next line of text, or why there is none."""
        while b"\n" not in self._read[-(2**16) :]:
            ended = self._process.poll() is not None
            said, excess = self._glance(owner)
            if excess:
                return excess
            more = os.read(self._line.fileno(), 2**16) if said else b""
            if not more and (ended or said):
                return self._own_end()
            self._read += more
            if len(self._read) > MOST:
                return "error", Stop.FAILED, f"it said more than {MOST:,} bytes"
        line, _, self._read = self._read.partition(b"\n")
        return bytes(line)


def _understood(said: bytes) -> dict[str, Any] | None:
    """Return what an answer says if it has the form of one: a method can write to the line, too."""
    try:
        answer = json.loads(said)
        columns = {name: answer[name] for name in COLUMNS if name in answer}
        plans = [str(one) for one in answer["plans"]][:2]
    except (ValueError, TypeError, LookupError, RecursionError):
        return None
    wrong = any(type(value) is not COLUMNS[name] for name, value in columns.items())
    if wrong or columns.get("status") not in STATUSES:
        return None
    return columns | {"plans": plans}


if __name__ == "__main__":
    main(GuardedWorker)
