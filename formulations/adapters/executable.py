"""Solvers that are programs of their own: called on files, within the caps, and ended in time."""

import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path

from ...instances import TerminationReason
from ...interrupts import heard
from ..program import Caps
from ..solver_interface.call import ENDED, GLANCE_S, GRACE_S, LATE, LATE_S
from ..solver_interface.child import END_WITH_PARENT, peak_mb

FOREWORD = (
    [
        sys.executable,
        "-ISc",
        f"import os, sys\n{END_WITH_PARENT}\nos.execvp(sys.argv[1], sys.argv[1:])",
    ]
    if sys.platform == "linux"
    else []
)
"""So that a program ends with us, whatever ends us."""


@dataclass(frozen=True, slots=True)
class ProgramEnd:
    """How a program ended, and what it wrote."""

    words: str
    memory_mb: float | None
    cut: tuple[TerminationReason, str] | None = None
    """Why it did not come to its end by itself, where it did not."""


def call(command: Sequence[str], folder: Path, caps: Caps, said: str = "") -> ProgramEnd:
    """Run a program in a folder, with `said` to read; it ends with us, by the caps or by itself.

    Ctrl-C is passed on, so that it can write what it has; after a while it is ended.
    """
    source, log = folder / "read", folder / "log"
    source.write_text(said, encoding="utf-8")
    with source.open("rb") as stdin, log.open("wb") as stdout:
        process = subprocess.Popen(
            [*FOREWORD, *command],
            cwd=folder,
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            cut, peak = _follow(process, caps)
        finally:
            process.kill()
            process.wait()
    words = log.read_text(encoding="utf-8", errors="replace")
    if cut is None and process.returncode < 0:
        by = signal.Signals(-process.returncode)
        cut = ENDED.get(by, (TerminationReason.CRASHED, f"its process died ({by.name})"))
    return ProgramEnd(words, peak or None, cut)


def _follow(
    process: "subprocess.Popen[bytes]", caps: Caps
) -> tuple[tuple[TerminationReason, str] | None, float]:
    """Wait until it ends or has to be ended; return why it was, and its peak of memory."""
    limit = inf if caps.time_s is None else caps.time_s
    deadline = time.monotonic() + limit * (1 + LATE) + LATE_S
    cut, peak = None, 0.0
    while True:
        try:
            peak = max(peak, peak_mb(process.pid))
            if caps.memory_mb is not None and peak > caps.memory_mb:
                return (
                    TerminationReason.MEMORY_LIMIT,
                    f"its process grew beyond {caps.memory_mb:g} MB",
                ), peak
            if time.monotonic() > deadline:
                late = (TerminationReason.KILLED, "it did not heed its time limit and was ended")
                return cut or late, peak
            process.wait(GLANCE_S)
            return cut, peak
        except subprocess.TimeoutExpired:
            continue
        except KeyboardInterrupt:
            heard()
            if cut is not None:
                return cut, peak
            cut = (TerminationReason.INTERRUPTED, "")
            process.send_signal(signal.SIGINT)
            deadline = time.monotonic() + GRACE_S
