"""A filter of system calls: seccomp(2), as a small program for the kernel's packet filter.

A namespace keeps a run away from what others have. This filter keeps it from the ways around that:
keyrings outlive a run, a nested namespace gives back rights, and shared memory is not counted as
memory of any process. A forbidden call fails with EPERM, so that a library can do without it.
"""

import ctypes
import errno
import os
import sys
from collections.abc import Iterator

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
"""Flags of mmap(2), and those of memory that stays although no process maps it any more."""

X32 = 0x40000000
"""From here on x86_64 has the same calls once more, under other numbers."""

LOAD, AND, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
"""Instructions: linux/bpf_common.h."""

NUMBER, ARCHITECTURE, FIRST_ARGUMENT, FOURTH_ARGUMENT = 0, 4, 16, 40
"""Offsets in `struct seccomp_data`; of arguments the lower half, which comes first."""

ALLOW, FAIL = 0x7FFF0000, 0x00050000
"""Return values of the filter: allow the call, or fail it with the error number added."""

SET_SECCOMP, FILTER = 22, 2
"""An option of prctl(2), and its argument."""

Instruction = tuple[int, int, int, int]
"""Operation, instructions to skip if true, if false, and an operand."""


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def filter_calls() -> bool:
    """Forbid the calls to this process and all that it starts; return whether that is possible.

    The process needs to have given up the way to new rights (PR_SET_NO_NEW_PRIVS).
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
