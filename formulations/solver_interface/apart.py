"""A solve in a process of its own: caps on time, processor and memory hold whatever it does."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import inf
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from tempfile import TemporaryFile
from typing import IO, Any

from ...instances import RefusedError, TerminationReason
from ...instances.errors import RingyardError
from ...interrupts import heard
from ..adapters.solver import Solver, Tell
from ..program import Caps, Floats, Program, Solution
from .attempt import failure
from .cgroups import ControlGroup, control_group
from .child import peak_mb

START_S = 60.0
"""A child that has not begun by then is ended."""

GRACE_S = 5.0
"""A child that has not ended so long after Ctrl-C is ended."""

LATE_S, LATE = 2.0, 0.2
"""So is one that is late by this many seconds and this part of its time limit."""

GLANCE_S = 0.02
"""Time between two looks at the child's memory."""

ENDED = {
    signal.SIGXCPU: (TerminationReason.TIME_LIMIT, "it reached its processor limit"),
    signal.SIGKILL: (TerminationReason.KILLED, "its process was killed from outside"),
    signal.SIGTERM: (TerminationReason.KILLED, "its process was ended from outside"),
    signal.SIGHUP: (TerminationReason.KILLED, "its process was ended from outside"),
}
"""What it means that a signal ended the child; any other is a crash."""


def run_apart(
    solver: Solver, program: Program, caps: Caps, start: Floats | None, tell: Tell
) -> Solution:
    """Return what a solver claims in a process of its own, or how that process ended."""
    if caps.memory_mb is not None and not peak_mb(os.getpid()):
        raise RefusedError("this system does not tell the memory of processes; leave memory_mb out")
    began = time.monotonic()
    ours, theirs = Pipe()
    with TemporaryFile() as errors, ours, _group(caps) as group:
        with theirs:
            process = _spawn(theirs, errors)
        held = group if group is not None and group.take(process.pid) else None
        child = _SolverProcess(process, ours, caps, tell, began + START_S, held)
        try:
            child.follow((solver, program, caps, start))
        except BaseException:
            process.kill()
            raise
        finally:
            process.wait()
        errors.seek(0)
        words = errors.read().decode(errors="replace").split("\n")
        if isinstance(child.answer, RingyardError):
            raise child.answer
        answer = child.answer or failure(solver, *child.cause(words))
    return replace(
        answer,
        seconds=answer.seconds or time.monotonic() - began,
        memory_mb=max(child.peak, answer.memory_mb or 0.0) or None,
        memory_by="" if caps.memory_mb is None else "looks" if held is None else "control group",
    )


@contextmanager
def _group(caps: Caps) -> Iterator[ControlGroup | None]:
    """Make a group that keeps the cap on memory, where there is a cap and groups can be made."""
    group = None if caps.memory_mb is None else control_group(caps.memory_mb)
    try:
        yield group
    finally:
        if group is not None:
            group.remove()


def _spawn(theirs: Connection, errors: IO[bytes]) -> "subprocess.Popen[bytes]":
    """Start the child in a session of its own, so that Ctrl-C reaches only the parent."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", f"{__package__}.child", str(theirs.fileno())],
        pass_fds=[theirs.fileno()],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        start_new_session=True,
    )


@dataclass(slots=True)
class _SolverProcess:
    """What the parent knows of the child, and does about it."""

    process: "subprocess.Popen[bytes]"
    line: Connection
    caps: Caps
    tell: Tell
    deadline: float
    group: ControlGroup | None = None
    peak: float = 0.0
    ended_for: tuple[TerminationReason, str] | None = None
    answer: Solution | RingyardError | None = None

    def follow(self, request: tuple[Any, ...]) -> None:
        """Hand over the request, then listen and look until the child closes the line."""
        try:
            self.line.send(request)
            while True:
                try:
                    if self.line.poll(GLANCE_S):
                        self._hear(self.line.recv())
                    self._look()
                except KeyboardInterrupt:
                    self._interrupt()
        except (EOFError, OSError):
            return

    def cause(self, words: list[str]) -> tuple[TerminationReason, str]:
        """Return why the child ended without an answer; `words` is what it wrote last."""
        code = self.process.returncode
        if self.ended_for is not None:
            return self.ended_for
        if self.group is not None and self.group.full:
            return (
                TerminationReason.MEMORY_LIMIT,
                f"the system ended it at {self.caps.memory_mb:g} MB",
            )
        if -code in ENDED:
            return ENDED[signal.Signals(-code)]
        if any("bad_alloc" in line for line in words):
            return TerminationReason.MEMORY_LIMIT, "it could not get more memory"
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        last = next((line for line in reversed(words) if line.strip()), "")
        return TerminationReason.CRASHED, f"its process died ({how}) {last[:200]}".strip()

    def _hear(self, message: tuple[Any, ...]) -> None:
        match message:
            case ("ready",):
                limit = inf if self.caps.time_s is None else self.caps.time_s
                self.deadline = time.monotonic() + limit * (1 + LATE) + LATE_S
            case ("point", point, bound):
                self.tell(point, bound)
            case ("refused", error):
                self.answer = error
            case ("answer", answer, peak):
                self.answer, self.peak = answer, peak

    def _look(self) -> None:
        """End the child if it has become too large or too slow."""
        self.peak = max(self.peak, peak_mb(self.process.pid))
        if self.caps.memory_mb is not None and self.peak > self.caps.memory_mb:
            self._kill(
                TerminationReason.MEMORY_LIMIT,
                f"its process grew beyond {self.caps.memory_mb:g} MB",
            )
        if time.monotonic() > self.deadline:
            self._kill(TerminationReason.KILLED, "it did not heed its time limit and was ended")

    def _interrupt(self) -> None:
        """Pass Ctrl-C on; a second one ends the child."""
        heard()
        if self.ended_for is not None:
            self.process.kill()
        self.ended_for = (TerminationReason.INTERRUPTED, "")
        self.process.send_signal(signal.SIGINT)
        self.deadline = time.monotonic() + GRACE_S

    def _kill(self, termination: TerminationReason, note: str) -> None:
        if self.ended_for is None:
            self.ended_for = (termination, note)
        self.process.kill()
