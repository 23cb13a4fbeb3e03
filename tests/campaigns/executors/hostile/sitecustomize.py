"""Loaded by every interpreter that finds this folder on its path: hostile methods, by name."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ringyard.families import FAMILIES, Method
from ringyard.policies.makespan import gang_lpt

LONG_S = 600


def hangs(*_: Any) -> None:
    """Heed nothing."""
    for one in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(one, signal.SIG_IGN)
    time.sleep(LONG_S)


def spins(*_: Any) -> None:
    """Take processor time, half of it in another session."""
    if not os.fork():
        os.setsid()
    while True:
        pass


def hoards(*_: Any) -> None:
    """Take memory, in another process of another session."""
    if os.fork() == 0:
        os.setsid()
        heap = []
        while True:
            heap.append(b"x" * 10_000_000)
    time.sleep(LONG_S)


def exhausts(*_: Any) -> None:
    """Take more memory than there is at once."""
    bytearray(1 << 60)


def aborts(*_: Any) -> None:
    """End as C does."""
    os.write(2, b"a last word\n")
    os.abort()


def segfaults(*_: Any) -> None:
    """Read where nothing is."""
    ctypes.string_at(0)


def exits(*_: Any) -> None:
    """Leave, content."""
    os._exit(0)


def quits(*_: Any) -> None:
    """Leave by an exception that is none."""
    sys.exit(3)


def hangs_up(*_: Any) -> None:
    """Close whatever is open, and stay."""
    os.closerange(3, 100)
    time.sleep(LONG_S)


def raises(*_: Any) -> None:
    """Fail."""
    raise ZeroDivisionError("nothing to share")


def chatters(*asked: Any) -> Any:
    """Write rubbish on both streams, more than a pipe holds, and answer."""
    for stream in (1, 2):
        for _ in range(30):
            os.write(stream, b"\x00begun{]\n" * 1000)
    return gang_lpt.run(*asked)


def scatters(*asked: Any) -> Any:
    """Leave a process behind that nobody knows, and answer."""
    command = f"trap '' TERM HUP; sleep {LONG_S} & wait"
    subprocess.Popen(["setsid", "-f", "sh", "-c", command])
    return gang_lpt.run(*asked)


def dies_once(*asked: Any) -> Any:
    """Be ended from outside the first time, and answer the second."""
    mark = Path(os.environ["DIES_ONCE"])
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return gang_lpt.run(*asked)


def always_dies(*_: Any) -> None:
    """Be ended from outside, always."""
    os.kill(os.getpid(), signal.SIGKILL)


def grows(*asked: Any) -> Any:
    """Keep more memory than it was given."""
    globals()["heap"] = b"x" * 1_200_000_000
    return gang_lpt.run(*asked)


def waits(*asked: Any) -> Any:
    """Describe who works, and wait for a file to appear before the answer."""
    folder = Path(os.environ["WAITS"])
    folder.joinpath(f"{os.getpid()}-{time.monotonic_ns()}").touch()
    while not folder.joinpath("go").exists():
        time.sleep(0.01)
    return gang_lpt.run(*asked)


@dataclass(frozen=True, kw_only=True)
class Hostile(Method):
    """A method whose code is a function of this file."""

    code: Callable[..., Any]

    def _load(self) -> SimpleNamespace:
        return SimpleNamespace(run=self.code)


vars(FAMILIES["makespan"])["methods"] += tuple(
    Hostile(
        name=code.__name__.replace("_", "-"),
        family="makespan",
        kind="test",
        module="",
        about=code.__doc__ or "",
        source="",
        code=code,
    )
    for code in (
        hangs,
        spins,
        hoards,
        exhausts,
        aborts,
        segfaults,
        exits,
        quits,
        hangs_up,
        raises,
        chatters,
        scatters,
        grows,
        dies_once,
        always_dies,
        waits,
    )
)
