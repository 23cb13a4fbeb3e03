"""Run `ringyard solve` in a process of its own: whatever happens there becomes a row."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from ...formulations.solver_interface.child import peak_mb
from ...interrupts import raising, undoing, waiting

PROGRAM = "from ringyard.__main__ import main; main()"

GRACE_S = 60.0
"""Seconds beyond its time limit after which a process is ended: for start-up and building."""

INTERRUPTED_S = 5.0
"""Seconds that a process has to hand over its best after an interrupt."""

GLANCE_S = 0.02
"""Seconds between two looks at a process."""


def solve_apart(
    words: list[str], *, time_s: float, memory_mb: int | None = None, grace_s: float = GRACE_S
) -> dict[str, Any]:
    """Run `ringyard solve WORDS --json` and return its row, with `memory_mb` added.

    Where there is no row, `status` says why: `refused` (the method cannot treat the instance,
    or something is missing), `error`, `out of memory`, `crashed` or `killed`; `note` has the
    reason. An interrupt is passed on to the process; `stop` is `interrupted` then.
    """
    command = [sys.executable, "-P", "-c", PROGRAM, "solve", *words, "--json"]
    command += ["--time-limit", str(time_s)]
    start = time.perf_counter()
    with TemporaryFile() as out, TemporaryFile() as err:
        with waiting():  # Else an interrupt could leave a process behind.
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
            )
            child = _WatchedProcess(process, time.monotonic() + time_s + grace_s, memory_mb or inf)
            with undoing(partial(child.end, signal.SIGKILL)):
                try:
                    child.follow()
                finally:
                    child.end(signal.SIGKILL)
                    process.wait()
        row = _row(process.returncode, child.ended_for, _text(out), _text(err))
    row = {"seconds": round(time.perf_counter() - start, 6), **row}
    if child.interrupted:
        row["termination"] = "interrupted"
        if row["status"] in ("crashed", "killed"):
            row |= {"status": "interrupted", "note": "before anything was found"}
    return {**row, "memory_mb": round(child.peak_mb, 1) or None}


@dataclass(slots=True)
class _WatchedProcess:
    """A process that is watched, and ended when it takes too much."""

    process: "subprocess.Popen[bytes]"
    deadline: float
    most_mb: float
    peak_mb: float = 0.0
    ended_for: str = ""
    interrupted: bool = False

    def follow(self) -> None:
        """Watch the process until it ends."""
        while self.process.poll() is None:
            try:
                with waiting() if self.interrupted else raising():
                    self._look()
                    time.sleep(GLANCE_S)
            except KeyboardInterrupt:
                self.interrupted = True
                self.deadline = time.monotonic() + INTERRUPTED_S
                self.end(signal.SIGINT)

    def end(self, how: signal.Signals) -> None:
        """Send a signal to the process and to what it started, if it still runs."""
        if self.process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, how)

    def _look(self) -> None:
        now = sum(map(peak_mb, _with_children(self.process.pid)))
        self.peak_mb = max(self.peak_mb, now)
        if self.peak_mb > self.most_mb:
            self.ended_for = "out of memory"
        elif time.monotonic() > self.deadline:
            self.ended_for = "killed"
        if self.ended_for:
            self.end(signal.SIGKILL)


def _with_children(process: int) -> Iterator[int]:
    """Yield a process and what it started: some solvers get a process of their own."""
    yield process
    with suppress(OSError):
        children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii")
        for child in children.split():
            yield from _with_children(int(child))


def _text(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode("utf-8", "replace")


def _row(code: int, ended_for: str, out: str, err: str) -> dict[str, Any]:
    """Return the row that was printed, or one that says why there is none."""
    printed = _object(out)
    if "status" in printed:
        return printed
    if "error" in printed:
        status = {2: "refused", 130: "interrupted"}.get(code, "error")
        return {"status": status, "note": printed["error"]}
    last = err.strip().rpartition("\n")[2]
    if ended_for:
        about = {"killed": "it did not heed its time limit", "out of memory": "it grew too large"}
        return {"status": ended_for, "note": about[ended_for]}
    if "MemoryError" in last or "bad_alloc" in err:
        return {"status": "out of memory", "note": last}
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return {"status": "killed" if code == -signal.SIGKILL else "crashed", "note": f"{how} {last}"}


def _object(text: str) -> dict[str, Any]:
    """Return the JSON object in a text; solvers may print around it."""
    try:
        found: dict[str, Any] = json.loads(text[text.index("{") : text.rindex("}") + 1])
    except ValueError:
        return {}
    return found
