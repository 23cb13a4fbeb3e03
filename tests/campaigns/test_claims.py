"""Claims: one process has a run, and the system frees what a killed process had."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ringyard.campaigns.drive import Claims
from ringyard.instances.errors import InputError

KEY, OTHER = "0" * 32, "f" * 32

HOLDER = """
import sys
from pathlib import Path
from ringyard.campaigns.drive import Claims
claims = Claims(Path(sys.argv[1]))
print(claims.take(sys.argv[2]), flush=True)
sys.stdin.read()
"""


def holder(path: Path, key: str) -> "subprocess.Popen[str]":
    """Start a process that claims a run and waits."""
    return subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path), key],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def said(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_a_run_is_claimed_by_one_process(tmp_path: Path) -> None:
    path = tmp_path / "claims"
    claims = Claims(path)
    with holder(path, KEY) as process:
        assert said(process) == "True"
        assert not claims.take(KEY)
        assert claims.take(OTHER)
        process.kill()
    assert claims.take(KEY)
    claims.close()
    assert path.stat().st_size == 0


def test_a_run_that_was_dropped_is_free(tmp_path: Path) -> None:
    path = tmp_path / "claims"
    claims = Claims(path)
    assert claims.take(KEY)
    claims.drop(KEY)
    with holder(path, KEY) as process:
        assert said(process) == "True"
        os.kill(process.pid, signal.SIGKILL)
    claims.close()


def test_a_place_without_locks_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "claims").mkdir()
    with pytest.raises(InputError, match="expected a writable file on a file system with POSIX"):
        Claims(tmp_path / "claims")
    claims = Claims(tmp_path / "others")

    def none(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("fcntl.lockf", none)
    with pytest.raises(InputError, match="no locks available"):
        claims.take(KEY)
    claims.close()
