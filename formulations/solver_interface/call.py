"""One call of a solver: in this process, or in a separate one, in which every cap holds.

The separate process keeps caps on time, processor and memory, whatever the solver does.
"""

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import count
from math import inf
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from ...instances import MissingError, RefusedError, TerminationReason
from ...instances.errors import RingyardError
from ...interrupts import heard
from ..adapters.solver import Report, Solver, claim
from ..program import Caps, Floats, Nonlinear, Program, Solution, Usage
from .child import attempt, peak_mb

ROOT = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")

NUMBERS = count(1)

TRIES, WAIT_S = 50, 0.02
"""A group can be removed once the last process in it is gone."""


@dataclass(frozen=True, slots=True)
class ControlGroup:
    """A group that caps the memory of the processes in it, taken together."""

    folder: Path

    def take(self, process: int) -> bool:
        """Put a process and its future children into the group, and return True on success."""
        try:
            (self.folder / "cgroup.procs").write_text(f"{process}\n", encoding="ascii")
        except OSError:
            return False
        return True

    @property
    def full(self) -> bool:
        """True if the system has ended a process of the group for its memory."""
        try:
            text = (self.folder / "memory.events").read_text(encoding="ascii")
        except OSError:
            return False
        counts = dict(line.split() for line in text.splitlines())
        return any(int(counts.get(name, 0)) for name in ("oom_kill", "oom_group_kill"))

    def remove(self) -> None:
        """End the remaining processes of the group, and remove it."""
        with suppress(OSError):  # Linux before 5.14 cannot. Processes of solvers end with them.
            (self.folder / "cgroup.kill").write_text("1\n", encoding="ascii")
        for _ in range(TRIES):
            try:
                self.folder.rmdir()
            except OSError as error:
                if error.errno != errno.EBUSY:
                    return
                time.sleep(WAIT_S)
            else:
                return


def control_group(memory_mb: float) -> ControlGroup | None:
    """Return a new group with this cap on memory, or None if no group can be made.

    For Linux with cgroup v2, where the user may make groups: systemd hands a part of the tree to
    each user. A group that holds processes cannot hold groups with caps as well, so the new group
    is next to the group of this process, or higher up. Without such a place, the caller watches the
    process instead.
    """
    for place in _places():
        group = ControlGroup(place / f"ringyard-{os.getpid()}-{next(NUMBERS)}")
        try:
            group.folder.mkdir()
        except OSError:
            continue
        try:
            (group.folder / "memory.max").write_text(f"{int(memory_mb * 2**20)}\n")
            (group.folder / "memory.oom.group").write_text("1\n")
        except OSError:
            group.remove()
            continue
        with suppress(OSError):  # The file is missing on systems without swap.
            (group.folder / "memory.swap.max").write_text("0\n")
        return group
    return None


def _places() -> list[Path]:
    """Return the groups in which one with a cap on memory can be, the nearest first."""
    try:
        lines = OWN.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return []
    own = next((line.removeprefix("0::/") for line in lines if line.startswith("0::/")), None)
    if own is None or ".." in Path(own).parts:
        return []
    nearest = ROOT / own
    return [one for one in (nearest, *nearest.parents) if one.is_relative_to(ROOT) and _caps(one)]


def _caps(folder: Path) -> bool:
    """Return True if groups in a group can have a cap on memory, and may be made by us."""
    try:
        given = (folder / "cgroup.subtree_control").read_text(encoding="ascii").split()
    except OSError:
        return False
    return "memory" in given and os.access(folder, os.W_OK)


START_S = 60.0
"""A child that has not begun by then is ended."""

GRACE_S = 5.0
"""A child that has not ended so long after Ctrl-C is ended."""

LATE_S, LATE = 2.0, 0.2
"""A child that is late by this many seconds and this part of its time limit is ended."""

GLANCE_S = 0.02
"""Time between two looks at the child's memory."""

ENDED = {
    signal.SIGXCPU: (TerminationReason.TIME_LIMIT, "it reached its processor limit"),
    signal.SIGKILL: (TerminationReason.KILLED, "its process was killed from outside"),
    signal.SIGTERM: (TerminationReason.KILLED, "its process was ended from outside"),
    signal.SIGHUP: (TerminationReason.KILLED, "its process was ended from outside"),
}
"""The meaning of the signals that can end the child. Any other is a crash."""


def run_apart(
    solver: Solver, program: Program, caps: Caps, start: Floats | None, report: Report
) -> Solution:
    """Return the claims of a solver in a separate process, or how that process ended."""
    if caps.memory_mb is not None and not peak_mb(os.getpid()):
        raise RefusedError("this system does not report processes' memory, so leave memory_mb out")
    began = time.monotonic()
    ours, theirs = Pipe()
    with TemporaryFile() as errors, ours, _group(caps) as group:
        with theirs:
            process = _spawn(theirs, errors)
        held = group if group is not None and group.take(process.pid) else None
        child = _SolverProcess(
            process=process,
            caps=caps,
            deadline=began + START_S,
            line=ours,
            report=report,
            group=held,
        )
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
        answer = child.answer or claim(*child.cause(words), solver=solver.name)
    return replace(
        answer,
        seconds=answer.seconds or time.monotonic() - began,
        memory_mb=max(child.peak, answer.memory_mb or 0.0) or None,
        usage=child.usage(answer.memory_mb or 0.0),
        memory_by="" if caps.memory_mb is None else "looks" if held is None else "control group",
    )


@contextmanager
def _group(caps: Caps) -> Iterator[ControlGroup | None]:
    """Make a group that keeps the cap on memory, if there is a cap and groups can be made."""
    group = None if caps.memory_mb is None else control_group(caps.memory_mb)
    try:
        yield group
    finally:
        if group is not None:
            group.remove()


def _spawn(theirs: Connection, errors: IO[bytes]) -> "subprocess.Popen[bytes]":
    """Start the child in a new session, so that Ctrl-C reaches only the parent."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", f"{__package__}.child", str(theirs.fileno())],
        pass_fds=[theirs.fileno()],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        start_new_session=True,
    )


@dataclass(slots=True, kw_only=True)
class ProcessWatch:
    """Ends a process that becomes too large or too slow, or that Ctrl-C interrupts."""

    process: "subprocess.Popen[bytes]"
    caps: Caps
    deadline: float = inf
    peak: float = 0.0
    """The most memory that it has had, in megabytes."""
    cpu_s: float = 0.0
    """Its processor time."""
    ended_for: tuple[TerminationReason, str] | None = None
    """Why it was ended early, if it was."""

    def begin(self) -> None:
        """Start the clock of the time limit."""
        limit = inf if self.caps.time_s is None else self.caps.time_s
        self.deadline = time.monotonic() + limit * (1 + LATE) + LATE_S

    def look(self) -> None:
        """End the process if it has become too large or too slow."""
        self.peak = max(self.peak, peak_mb(self.process.pid))
        self.cpu_s = max(self.cpu_s, cpu_s(self.process.pid))
        if self.caps.memory_mb is not None and self.peak > self.caps.memory_mb:
            note = f"its process grew beyond {self.caps.memory_mb:g} MB"
            self._kill(TerminationReason.MEMORY_LIMIT, note)
        if time.monotonic() > self.deadline:
            self._kill(TerminationReason.KILLED, "it did not heed its time limit and was ended")

    def interrupt(self) -> None:
        """Pass Ctrl-C on. A second one ends the process."""
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


@dataclass(slots=True, kw_only=True)
class _SolverProcess(ProcessWatch):
    """The parent's side of the child."""

    line: Connection
    report: Report
    group: ControlGroup | None = None
    answer: Solution | RingyardError | None = None
    base: tuple[float, float] | None = None
    """Its memory and processor time when the solver began."""
    began: float = 0.0
    """When that was."""

    def usage(self, program_mb: float) -> Usage | None:
        """Return what the solver used, given the peak memory of a program that it started."""
        if self.base is None:
            return None
        base_mb, base_cpu_s = self.base
        return Usage(
            memory_mb=max(0.0, self.peak - base_mb, program_mb),
            cpu_s=max(0.0, self.cpu_s - base_cpu_s),
            base_mb=base_mb,
            base_cpu_s=base_cpu_s,
            began=self.began,
        )

    def follow(self, request: tuple[Any, ...]) -> None:
        """Hand over the request, then listen and look until the child closes the line."""
        try:
            self.line.send(request)
            while True:
                try:
                    if self.line.poll(GLANCE_S):
                        self._hear(self.line.recv())
                    self.look()
                except KeyboardInterrupt:
                    self.interrupt()
        except (EOFError, OSError):
            return

    def cause(self, words: list[str]) -> tuple[TerminationReason, str]:
        """Return why the child ended without an answer. `words` is its last output."""
        code = self.process.returncode
        if self.ended_for is not None:
            return self.ended_for
        if self.group is not None and self.group.full:
            note = f"the system ended it at {self.caps.memory_mb:g} MB"
            return TerminationReason.MEMORY_LIMIT, note
        if -code in ENDED:
            return ENDED[signal.Signals(-code)]
        if any("bad_alloc" in line for line in words):
            return TerminationReason.MEMORY_LIMIT, "it could not get more memory"
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        last = next((line for line in reversed(words) if line.strip()), "")
        return TerminationReason.CRASHED, f"its process died ({how}) {last[:200]}".strip()

    def _hear(self, message: tuple[Any, ...]) -> None:
        match message:
            case ("ready", base):
                self.base, self.began = base, time.monotonic()
                self.peak, self.cpu_s = base
                self.begin()
            case ("point", point, bound):
                self.report(point, bound)
            case ("refused", error):
                self.answer = error
            case ("answer", answer, (peak, cpu)):
                self.answer, self.peak, self.cpu_s = answer, peak, cpu


def cpu_s(process: int) -> float:
    """Return the processor time of a process and its ended children, 0 where it is not reported."""
    try:
        text = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0.0
    return sum(map(int, text.rpartition(")")[2].split()[11:15])) / os.sysconf("SC_CLK_TCK")


LARGE = 20_000
"""With a time limit, programs with more columns are solved in a separate process that can be ended,
because presolve may take long to notice the clock."""

LARGE_NONLINEAR = 2_000
"""The same for nonlinear programs."""


def call(
    solver: Solver, program: Program, caps: Caps, start: Floats | None, report: Report
) -> Solution:
    """Return the claims of a solver, or how it failed."""
    asked = caps.own_process or caps.cpu_s is not None or caps.memory_mb is not None
    most = LARGE_NONLINEAR if isinstance(program, Nonlinear) else LARGE
    large = caps.time_s is not None and len(program.columns) > most
    late = caps.time_s is not None and not solver.clock
    runner = run_apart if asked or large or late or solver.alone else attempt
    return runner(solver, program, caps, start, report)


def unheard(point: Floats, bound: float | None) -> None:
    """Ignore a point."""


def plain_answer(
    solver: Solver, program: Program, caps: Caps, report: Report = unheard
) -> Solution:
    """Return the claims of a solver.

    The interface scales programs, checks points, and some adapters repeat doubtful answers. A
    search for wrong answers needs the original ones.

    Raises:
        MissingError: If the solver is not installed.
        RefusedError: If it cannot treat such a program.
    """
    if solver.missing:
        raise MissingError(solver.missing)
    if reason := solver.refuses(program):
        raise RefusedError(f"{solver.name} cannot solve this program: {reason}")
    return call(replace(solver, run=solver.plain or solver.run), program, caps, None, report)
