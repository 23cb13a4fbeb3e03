"""What a process gives up, and that it says so where the system does not let it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ringyard.campaigns.executors.sandbox import KEPT, SET, bare_environment

ENTERED = """
import json, os, resource, sys
from pathlib import Path
from ringyard.campaigns.executors import sandbox
if sys.argv[2]:
    calls = {"unshare": lambda *_: -1, "capset": lambda *_: 0, "prctl": lambda *_: 0}
    sandbox.LIBC = type("Refusing", (), {name: staticmethod(of) for name, of in calls.items()})
guards = sandbox.enter([Path(sys.prefix), Path(sys.base_prefix)], [], Path(sys.argv[1]), 500.0)
limit = resource.getrlimit(resource.RLIMIT_DATA)[0]
print(json.dumps([guards, os.getcwd(), os.getpid(), limit, os.path.exists(sys.argv[3])]))
"""


def entered(scratch: Path, refusing: str) -> list[object]:
    """Return what a process finds that has given up what it can."""
    words = [sys.executable, "-P", "-c", ENTERED, str(scratch), refusing, str(Path(__file__))]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
    return list(json.loads(done.stdout))


def test_where_the_system_refuses_it_is_said_and_limits_remain(tmp_path: Path) -> None:
    guards, folder, _, limit, sees = entered(tmp_path, "refusing")
    assert guards == {"files": False, "network": False, "processes": False}
    assert (folder, limit, sees) == (str(tmp_path), 500 * 2**20, True)


def test_files_that_are_not_shown_are_not_there(tmp_path: Path) -> None:
    guards, folder, number, limit, sees = entered(tmp_path, "")
    if guards != {"files": True, "network": True, "processes": True}:
        pytest.skip("no user namespaces here")
    assert (folder, number, limit, sees) == ("/tmp", 1, 500 * 2**20, False)
    assert list(tmp_path.iterdir()) == []


WITHOUT = """
from evaluation.small import on_tiny
found = on_tiny("gang-lpt", baselines=())
print(found.valid, *(name for name, kept in found.guards.items() if not kept))
"""


def test_where_the_system_refuses_an_evaluation_says_so() -> None:
    """A namespace of users in which there may be no other is such a system."""
    forbid = 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$0" -P -c "$1"'
    words = ["unshare", "--user", "--map-root-user", "sh", "-c", forbid, sys.executable, WITHOUT]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
    except FileNotFoundError:
        pytest.skip("no unshare(1) here")
    if "max_user_namespaces" in done.stderr or "unshare" in done.stderr:
        pytest.skip("no user namespaces here")
    assert done.stdout == "2 files network processes\n", done.stderr


def test_the_environment_holds_what_programs_need(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RINGYARD_EVALUATION_SECRET", "a secret")
    monkeypatch.setenv("LANG", "C.UTF-8")
    found = bare_environment()
    assert found.keys() <= {*KEPT, *SET, "PYTHONPATH"}
    assert found["LANG"] == "C.UTF-8"
