"""Solvers that are separate programs: called on files, within the caps, and ended in time."""

import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...instances import TerminationReason
from ..program import Caps
from ..solver_interface.call import ENDED, GLANCE_S, ProcessWatch
from ..solver_interface.child import END_WITH_PARENT

EXECUTE = f"import os, sys\n{END_WITH_PARENT}\nos.execvp(sys.argv[1], sys.argv[1:])"

FOREWORD = [sys.executable, "-ISc", EXECUTE] if sys.platform == "linux" else []
"""Ends a program with its parent, even if the parent is killed."""


@dataclass(frozen=True, slots=True)
class ProgramEnd:
    """The end of a program, and its output."""

    words: str
    memory_mb: float | None
    cut: tuple[TerminationReason, str] | None = None
    """Why it was ended early, if it was."""


def call(command: Sequence[str], folder: Path, caps: Caps, text: str = "") -> ProgramEnd:
    """Run a program in a folder, with `text` as its input.

    It ends by itself, at the caps, or with the parent. Ctrl-C is passed on, so that the program can
    write its result. If it continues, it is ended later.
    """
    source, log = folder / "read", folder / "log"
    source.write_text(text, encoding="utf-8")
    with source.open("rb") as stdin, log.open("wb") as stdout:
        process = subprocess.Popen(
            [*FOREWORD, *command],
            cwd=folder,
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        watch = ProcessWatch(process=process, caps=caps)
        watch.begin()
        try:
            _follow(process, watch)
        finally:
            process.kill()
            process.wait()
    words, cut = log.read_text(encoding="utf-8", errors="replace"), watch.ended_for
    if cut is None and process.returncode < 0:
        by = signal.Signals(-process.returncode)
        cut = ENDED.get(by, (TerminationReason.CRASHED, f"its process died ({by.name})"))
    return ProgramEnd(words, watch.peak or None, cut)


def _follow(process: "subprocess.Popen[bytes]", watch: ProcessWatch) -> None:
    """Wait until a process ends, by itself or because it has to."""
    while True:
        try:
            watch.look()
            process.wait(GLANCE_S)
            return
        except subprocess.TimeoutExpired:
            continue
        except KeyboardInterrupt:
            watch.interrupt()
