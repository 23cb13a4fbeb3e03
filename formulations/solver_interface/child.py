"""The process in which a solver runs alone.

It is started as ``python -m ringyard.formulations.solver_interface.child SOCKET``.

It reads a request from the socket, sends points as they are found, and sends the answer last.
"""

import os
import resource
import sys
import time
from contextlib import suppress
from dataclasses import replace
from math import ceil
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Thread
from typing import cast

from ...instances import TerminationReason
from ...instances.errors import RingyardError
from ...instances.reading.vocabulary import load
from ..adapters.solver import Report, Reporter, Solver, claim
from ..program import Caps, Floats, Program, Solution


def attempt(
    solver: Solver, program: Program, caps: Caps, start: Floats | None, report: Report
) -> Solution:
    """Return the claims of a solver, or how it failed, with the seconds it took."""
    _import(solver)
    began, reporter = time.monotonic(), Reporter(report)
    try:
        # A solver of another package may give anything.
        given = cast("object", solver.run(program, caps, start, reporter))
        note = f"it gave a {type(given).__name__}, no Solution"
        claimed = given if isinstance(given, Solution) else claim(TerminationReason.FAILED, note)
    except RingyardError:
        raise
    except KeyboardInterrupt:
        claimed = claim(TerminationReason.INTERRUPTED)
    except MemoryError:
        claimed = claim(TerminationReason.MEMORY_LIMIT)
    except Exception as error:  # Vendors' exceptions have no common base.
        claimed = claim(TerminationReason.FAILED, f"{type(error).__name__}: {error}")
    if reporter.ended is not None:
        raise reporter.ended
    return replace(claimed, solver=solver.name, seconds=time.monotonic() - began)


def _import(solver: Solver) -> None:
    """Import the modules of a solver before its clock starts."""
    with suppress(Exception):  # A call reports its error.
        if solver.module:
            load(solver.module)
        solver.load()


END_WITH_PARENT = "import ctypes; ctypes.CDLL(None).prctl(1, 9)"
"""Has the system kill a process once its parent is gone. Linux only."""


def main() -> None:
    """Serve one request."""
    if sys.platform == "linux":  # Some solvers hold Python's lock, and let no thread look.
        exec(END_WITH_PARENT)
    line = Connection(int(sys.argv[1]))
    solver, program, caps, start = line.recv()
    Thread(target=_leave_with_parent, args=(line,), daemon=True).start()
    if caps.cpu_s is not None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        seconds = ceil(used.ru_utime + used.ru_stime + caps.cpu_s)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.RLIM_INFINITY))
    _import(solver)
    _forget_peak()
    line.send(("ready", spent()))
    try:
        answer = attempt(solver, program, caps, start, lambda *found: line.send(("point", *found)))
    except RingyardError as error:
        line.send(("refused", error))
    else:
        line.send(("answer", answer, spent()))


def spent() -> tuple[float, float]:
    """Return the peak memory of this process in megabytes, and its processor time in seconds.

    Ended children are included in the time.
    """
    children = os.times()
    ended_s = children.children_user + children.children_system
    return peak_mb(os.getpid()), time.process_time() + ended_s


def _forget_peak() -> None:
    """Reset the peak memory of this process to its current memory, on Linux."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def peak_mb(process: int) -> float:
    """Return the most memory a process has had, or 0 where the system does not report it.

    Not by getrusage: that includes the parent's memory when it started the process.
    """
    try:
        text = Path(f"/proc/{process}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0.0
    found = [line.split()[1] for line in text.splitlines() if line.startswith("VmHWM:")]
    return int(found[0]) / 1024 if found else 0.0


def _leave_with_parent(line: Connection) -> None:
    """End when the other side is gone, which is silent after the request."""
    try:
        line.recv()
    finally:
        os._exit(1)


if __name__ == "__main__":
    main()
