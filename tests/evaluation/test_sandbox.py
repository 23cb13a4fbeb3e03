"""What a process gives up, and that it says so where the system does not let it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ringyard.campaigns.executors import linux
from ringyard.campaigns.executors.sandbox import KEPT, SET, WORKING, bare_environment

GUARDED = ("memory", "files", "network", "processes", "syscalls")

ENTERED = """
import ctypes, errno, json, os, resource, sys
from pathlib import Path
from ringyard.campaigns.executors import sandbox
if sys.argv[2]:
    def refusing(*_):
        ctypes.set_errno(errno.EPERM)
        return -1
    calls = {"unshare": refusing, "capset": lambda *_: 0, "prctl": lambda *_: 0}
    sandbox.LIBC = type("Refusing", (), {name: staticmethod(of) for name, of in calls.items()})
    sandbox.filter_calls = lambda: False
hidden = [Path(one) for one in sys.argv[4:]]
guards = sandbox.enter([Path(sys.prefix), Path(sys.base_prefix)], hidden, Path(sys.argv[1]), 500.0)
limit = resource.getrlimit(resource.RLIMIT_DATA)[0]
import multiprocessing
if guards["files"]:
    multiprocessing.Lock()  # Importing Pyomo makes one.
print(json.dumps([guards, os.getcwd(), os.getpid(), limit, os.path.exists(sys.argv[3])]))
"""


def entered(scratch: Path, refusing: str, *hidden: str) -> list[object]:
    """Return what a process finds that has given up what it can."""
    words = [sys.executable, "-P", "-c", ENTERED, str(scratch), refusing, __file__, *hidden]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    return list(json.loads(done.stdout)) if done.returncode == 0 else [done.stderr]


def test_where_the_system_refuses_it_is_said_and_limits_remain(tmp_path: Path) -> None:
    guards, folder, _, limit, sees = entered(tmp_path, "refusing")
    assert guards == dict.fromkeys(GUARDED, False)
    assert (folder, limit, sees) == (str(tmp_path), 500 * 2**20, True)


def test_files_that_are_not_shown_are_not_there(tmp_path: Path) -> None:
    guards, folder, number, limit, sees = entered(tmp_path, "")
    if guards != dict.fromkeys(GUARDED, True):
        pytest.skip("this system does not allow all that the sandbox is made of")
    assert (folder, number, limit, sees) == (str(WORKING), 1, 500 * 2**20, False)
    assert list(tmp_path.iterdir()) == []


def test_a_mistake_of_ours_does_not_count_as_a_system_that_refuses(tmp_path: Path) -> None:
    """What is to be hidden is not there: nothing may go on without a sandbox."""
    if not entered(tmp_path, "")[0]["files"]:  # type: ignore[index]
        pytest.skip("no user namespaces here")
    [said] = entered(tmp_path, "", "/nowhere/at/all")
    assert "SandboxError: " in str(said)


WITHOUT = """
import sys
from pathlib import Path
from evaluation.small import on_tiny
from ringyard.instances import RefusedError
found = on_tiny("gang-lpt", baselines=())
print(found.valid, *(name for name, kept in found.guards.items() if not kept))
for strict in (True, False):
    try:
        on_tiny(f"{sys.argv[1]}/one.py:nothing", baselines=(), strict=strict)
    except RefusedError as error:
        print(error)
    print(Path(sys.argv[1], "mark").exists())
"""


def test_where_the_system_refuses_an_evaluation_says_so(tmp_path: Path) -> None:
    """A namespace of users in which there may be no other is such a system."""
    method = f"open({str(tmp_path / 'mark')!r}, 'w')\n\n\ndef nothing(instance): ...\n"
    (tmp_path / "one.py").write_text(method)
    forbid = 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$0" -P -c "$@"'
    words = ["unshare", "--user", "--map-root-user", "sh", "-c", forbid]
    words += [sys.executable, WITHOUT, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
    except FileNotFoundError:
        pytest.skip("no unshare(1) here")
    if "max_user_namespaces" in done.stderr or "unshare" in done.stderr:
        pytest.skip("no user namespaces here")
    lacking, refused, strict, lax = done.stdout.splitlines()
    assert lacking.removesuffix(" syscalls") == "2 memory files network processes", done.stderr
    assert "cannot guard files, memory, network, processes" in refused
    assert (strict, lax) == ("False", "True"), "a strict evaluation has imported the method"


def test_the_environment_holds_what_programs_need(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RINGYARD_EVALUATION_SECRET", "a secret")
    monkeypatch.setenv("LANG", "C.UTF-8")
    found = bare_environment()
    assert found.keys() <= {*KEPT, *SET, "PYTHONPATH"}
    assert found["LANG"] == "C.UTF-8"


def test_a_run_gets_a_control_group_only_where_memory_is_delegated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two groups of plain files: in the lower one no controller is delegated."""
    lower = tmp_path / "upper" / "lower"
    lower.mkdir(parents=True)
    (tmp_path / "upper" / "cgroup.subtree_control").write_text("memory pids")
    (lower / "cgroup.subtree_control").write_text("pids")
    monkeypatch.setattr(linux, "_above", lambda: [lower, lower.parent, tmp_path])
    group = linux.limited_group(17, 300.0)
    assert group is not None
    assert group.parent == lower.parent
    assert (group / "memory.max").read_text() == str(300 * 2**20)
    assert (group / "cgroup.procs").read_text() == "17"
    assert not linux.ran_out(group)
    (group / "memory.events").write_text("low 0\noom 2\noom_kill 1\n")
    assert linux.ran_out(group)
    monkeypatch.setattr(linux, "_above", lambda: [lower])
    assert linux.limited_group(17, 300.0) is None
    assert [one.name for one in lower.iterdir()] == ["cgroup.subtree_control"]


def test_the_kernel_keeps_the_memory_of_a_control_group() -> None:
    with subprocess.Popen([sys.executable, "-S", "-c", HOLDS], stdin=subprocess.PIPE) as process:
        group = linux.limited_group(process.pid, 100.0)
        if group is None:
            process.kill()
            pytest.skip("no control group can be made here")
        process.communicate(b"now")
        assert linux.ran_out(group)
    linux.leave(group)
    assert not group.exists()


HOLDS = "import sys; sys.stdin.read(); held = b'x' * 300 * 2**20"
