"""Guards of the Linux kernel: control groups, Landlock, and a filter of system calls.

A control group of version 2 enforces the memory limit. It includes all kernel memory of a run and
needs no polling. Creating one requires a delegated memory controller, as systemd provides below a
user's manager.

Landlock forbids opening files for writing outside some folders. A read-only mount still allows
writing to a named pipe. Anyone with write access to a method's folder could create a pipe there and
read a run's output from outside.

A filter of system calls is seccomp(2), a small program for the kernel's packet filter. Namespaces
isolate a run from other processes' resources. The filter closes routes around them: keyrings
outlive a run, a nested namespace restores rights, and shared memory belongs to no process's memory.
A forbidden call fails with EPERM, which libraries can handle.
"""

import ctypes
import errno
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

ROOTS = (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/unified"))
"""Mount points, alone or next to version 1."""

_NUMBERS = count(1)


def limited_group(process: int, memory_mb: float) -> Path | None:
    """Move a process and its future children to a new group. Return None if that is forbidden."""
    for folder in _above():
        group = folder / f"ringyard-{os.getpid()}-{next(_NUMBERS)}"
        with suppress(OSError):
            if "memory" not in (folder / "cgroup.subtree_control").read_text().split():
                continue
            group.mkdir()
            try:
                (group / "memory.max").write_text(str(int(memory_mb * 2**20)))
                (group / "cgroup.procs").write_text(str(process))
            except OSError:
                leave(group)
                continue
            with suppress(OSError):  # It exists only where there can be swap.
                (group / "memory.swap.max").write_text("0")
            return group
    return None


def ran_out(group: Path) -> bool:
    """Return True if the kernel killed a process because the group exhausted its memory."""
    with suppress(OSError):
        lines = dict(line.split() for line in (group / "memory.events").read_text().splitlines())
        return int(lines.get("oom_kill", 0)) > 0
    return False


def leave(group: Path) -> None:
    """Remove a group whose processes have ended."""
    with suppress(OSError):
        group.rmdir()


def _above() -> list[Path]:
    """Return the folders of this process's group and its ancestors, from below."""
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            number, _, place = line.split(":", 2)
            roots = [root for root in ROOTS if (root / "cgroup.controllers").exists()]
            if number == "0" and roots:
                own = roots[0] / place.lstrip("/")
                return [own, *(one for one in own.parents if one.is_relative_to(roots[0]))]
    return []


CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""System calls, whose numbers are the same everywhere."""

WRITE_FILE, PATH_BENEATH = 1 << 1, 1


class _Ruleset(ctypes.Structure):
    _fields_ = (("handled", ctypes.c_uint64),)


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def write_only_below(folders: Iterable[Path]) -> bool:
    """Restrict this process and its children, and return True on success.

    The process must have given up new rights (PR_SET_NO_NEW_PRIVS).
    """
    libc, handled = ctypes.CDLL(None), _Ruleset(WRITE_FILE)
    rules = libc.syscall(CREATE_RULESET, ctypes.byref(handled), ctypes.sizeof(handled), 0)
    if rules < 0:
        return False
    made = []
    for folder in folders:
        place = os.open(folder, os.O_PATH | os.O_CLOEXEC)
        rule = _PathBeneath(WRITE_FILE, place)
        made.append(libc.syscall(ADD_RULE, rules, PATH_BENEATH, ctypes.byref(rule), 0))
        os.close(place)
    restricted = not any(made) and libc.syscall(RESTRICT_SELF, rules, 0) == 0
    os.close(rules)
    return restricted


# Audit number of the architecture, then the numbers of system calls: asm/unistd.h.
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

CLONE, MMAP, CLONE3 = {"x86_64": 56, "aarch64": 220}, {"x86_64": 9, "aarch64": 222}, 435

FORBIDDEN = {
    # Keyrings outlive a run.
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # Namespaces and mounts, by which a process would be root again in a world of its own.
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "fsopen": (430, 430),
    # Memory that belongs to no process: files without a name, shared memory, queues, pinned pages.
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "vmsplice": (278, 75),
    # Sockets, whose buffers are memory as well.
    "socket": (41, 198),
    "socketpair": (53, 199),
    # Calls by which other calls are made past this filter, and large surfaces of the kernel.
    "io_uring_setup": (425, 425),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
}
"""Numbers of forbidden calls on x86_64 and on aarch64."""

NEW_NAMESPACE = 0x7E020000
"""Flags of clone(2) that make a namespace."""

MAP_KIND, MAP_SHARED_ANONYMOUS = 0x0F | 0x20, 0x01 | 0x20
"""Flags of mmap(2), and flags of memory that remains although no process maps it."""

X32 = 0x40000000
"""Start of a second range of numbers for the same calls on x86_64."""

LOAD, AND, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
"""Instructions: linux/bpf_common.h."""

NUMBER, ARCHITECTURE, FIRST_ARGUMENT, FOURTH_ARGUMENT = 0, 4, 16, 40
"""Offsets in `struct seccomp_data`, for arguments of the lower half, which is first."""

ALLOW, FAIL = 0x7FFF0000, 0x00050000
"""Return values of the filter: allow the call, or fail it with the error number added."""

SET_SECCOMP, FILTER = 22, 2
"""An option of prctl(2), and its argument."""

Instruction = tuple[int, int, int, int]
"""Operation, instructions to skip if true, if false, and an operand."""


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def filter_calls() -> bool:
    """Forbid the calls to this process and its children, and return True on success.

    The process must have given up new rights (PR_SET_NO_NEW_PRIVS).
    """
    machine = os.uname().machine
    if machine not in ARCHITECTURES or sys.maxsize < 2**32 or sys.byteorder != "little":
        return False
    code = b"".join(_packed(*one) for one in _program(machine))
    program = _Program(len(code) // 8, code)
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    return int(prctl(SET_SECCOMP, FILTER, ctypes.byref(program), 0, 0)) == 0


def _program(machine: str) -> Iterator[Instruction]:
    """Yield the filter: every check skips the return that follows if it does not apply."""
    forbidden = (RETURN, 0, 0, FAIL | errno.EPERM)
    allowed = (RETURN, 0, 0, ALLOW)
    yield LOAD, 0, 0, ARCHITECTURE
    yield EQUAL, 1, 0, ARCHITECTURES[machine]
    yield forbidden
    yield LOAD, 0, 0, NUMBER
    if machine == "x86_64":
        yield AT_LEAST, 0, 1, X32
        yield forbidden
    for numbers in FORBIDDEN.values():
        yield EQUAL, 0, 1, numbers[machine == "aarch64"]
        yield forbidden
    yield EQUAL, 0, 1, CLONE3
    yield RETURN, 0, 0, FAIL | errno.ENOSYS  # Its flags cannot be seen; the C library uses clone.
    yield EQUAL, 0, 4, CLONE[machine]
    yield LOAD, 0, 0, FIRST_ARGUMENT
    yield ANY_BIT, 0, 1, NEW_NAMESPACE
    yield forbidden
    yield allowed
    yield EQUAL, 0, 4, MMAP[machine]
    yield LOAD, 0, 0, FOURTH_ARGUMENT
    yield AND, 0, 0, MAP_KIND
    yield EQUAL, 0, 1, MAP_SHARED_ANONYMOUS
    yield forbidden
    yield allowed


def _packed(operation: int, if_true: int, if_false: int, operand: int) -> bytes:
    head = operation.to_bytes(2, "little") + bytes((if_true, if_false))
    return head + operand.to_bytes(4, "little")
