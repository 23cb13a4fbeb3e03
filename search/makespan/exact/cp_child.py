"""The process in which CP-SAT runs: ``python -m ringyard.search.makespan.cp_child SOCKET``.

The wheels of OR-Tools and of HiGHS each hold a library ``libhighs.so.1``, of different versions,
and a process that loads both fails. Therefore OR-Tools is loaded in a separate process. It is
started once and kept, since that takes 1 s.
"""

import atexit
import os
import subprocess
import sys
from functools import lru_cache
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread

from .cp_model import CpQuestion, Reply, answer

GRACE_S = 5.0
"""A process that has not ended this long after its line was closed is killed."""


class LostError(Exception):
    """The process ended without a reply."""


def ask(question: CpQuestion) -> Reply:
    """Let the process answer a question. Any interrupt also ends the process."""
    child = _child(os.getpid())
    try:
        child.line.send(question)
        reply: Reply = child.line.recv()
    except (EOFError, OSError) as lost:
        raise LostError(f"the process of CP-SAT ended with code {child.end()}") from lost
    except BaseException:
        child.end()
        raise
    return reply


@lru_cache(maxsize=1)
def _child(_: int) -> "_CpProcess":
    """Return the process of this parent. A fork of the parent needs a separate one."""
    child = _CpProcess()
    atexit.register(child.end)
    return child


class _CpProcess:
    """A process with the line to it."""

    def __init__(self) -> None:
        self.line, theirs = Pipe()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", __name__, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                stdin=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for the parent
            )

    def end(self) -> int:
        """End the process and return how it ended."""
        _child.cache_clear()
        atexit.unregister(self.end)
        self.line.close()
        try:
            return self._process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()


def main() -> None:
    """Answer questions until the parent closes the line."""
    line = Connection(int(sys.argv[1]))
    questions: SimpleQueue[CpQuestion] = SimpleQueue()
    Thread(target=_listen, args=(line, questions), daemon=True).start()
    while True:
        line.send(answer(questions.get()))


def _listen(line: Connection, questions: "SimpleQueue[CpQuestion]") -> None:
    """Receive questions, also while one is being answered. Exit with the parent."""
    try:
        while True:
            questions.put(line.recv())
    finally:
        os._exit(0)


if __name__ == "__main__":
    main()
