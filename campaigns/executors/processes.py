"""A process with all its descendants: resources and termination."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO

TICKS_PER_S = os.sysconf("SC_CLK_TCK")

END_S = 10.0
"""Seconds that ended processes have to be gone."""

DEATH_SIGNAL, SUBREAPER = 1, 36
"""Options of prctl(2)."""


def watchable() -> bool:
    """Return True if this system reports the children of a process, as Linux does."""
    return Path(f"/proc/self/task/{os.getpid()}/children").exists()


def start(
    module: str,
    *,
    stderr: IO[bytes] | int | None = None,
    environment: Mapping[str, str] | None = None,
) -> tuple["subprocess.Popen[bytes]", Connection]:
    """Start a module of this folder in a new session, and return it with its socket.

    Its output is discarded, and Ctrl-C reaches only its parent. By default, its environment is this
    process's environment and modules.
    """
    if environment is None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    ours, theirs = Pipe()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", f"{__package__}.{module}", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            start_new_session=True,
        )
    return process, ours


def die_with_parent() -> None:
    """Make the system terminate this process when its parent ends."""
    ctypes.CDLL(None).prctl(DEATH_SIGNAL, signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends."""
    ctypes.CDLL(None).prctl(SUBREAPER, 1)


def descendants(process: int) -> Iterator[int]:
    """Yield every descendant of a process, including zombies."""
    for thread in _names(Path(f"/proc/{process}/task")):
        for child in _text(f"/proc/{process}/task/{thread}/children").split():
            yield int(child)
            yield from descendants(int(child))


def lives(process: int) -> bool:
    """Return True if a process exists and has not ended."""
    return _stat(process)[0] not in "ZX"


def memory_mb(process: int, *what: str) -> float:
    """Return the sum of lines of a process's status.

    `VmRSS` is its memory, `VmHWM` its peak memory, `VmPTE` its page tables.
    """
    return sum(_status(process, *what)) / 1024


def threads(process: int) -> int:
    """Return the number of threads of a process, 0 if it has ended."""
    return sum(_status(process, "Threads"))


def _status(process: int, *what: str) -> Iterator[int]:
    for line in _text(f"/proc/{process}/status").splitlines():
        name, _, value = line.partition(":")
        if name in what:
            yield int(value.split()[0])


def forget_peak(process: int) -> None:
    """Reset a process's peak memory to its current memory."""
    with suppress(OSError):
        Path(f"/proc/{process}/clear_refs").write_text("5", encoding="ascii")


def cpu_s(process: int) -> float:
    """Return the processor time of all that descend from a process, living or dead."""
    # A parent is read before its children: one that ends in between is missed, not counted twice.
    seconds = _waited_for_s(process)
    for one in descendants(process):
        with suppress(OSError):
            seconds += time.clock_gettime(~one << 3 | 2)  # as clock_getcpuclockid(3) names it
        seconds += _waited_for_s(one)
    return seconds


def end_descendants() -> None:
    """Terminate all descendants of this process, which has adopted their orphans."""
    deadline = time.monotonic() + END_S
    while (left := list(descendants(os.getpid()))) and time.monotonic() < deadline:
        for one in left:
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
        time.sleep(0.002)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _waited_for_s(process: int) -> float:
    """Return the processor time of the ended children of a process that it has waited for."""
    return sum(map(int, _stat(process)[13:15])) / TICKS_PER_S


def _stat(process: int) -> list[str]:
    """Return the fields of proc_pid_stat(5) from the third on, the state."""
    fields = _text(f"/proc/{process}/stat").rpartition(")")[2].split()
    return fields or ["X", *["0"] * 50]


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
