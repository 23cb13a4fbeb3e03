"""Landlock: forbids to open anything for writing but below some folders.

A file system that is mounted read-only lets a named pipe be written to nevertheless. Somebody who
can write to a method's folder could make one there, and read from outside what a run writes to it.
"""

import ctypes
import os
from collections.abc import Iterable
from pathlib import Path

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""System calls, whose numbers are the same everywhere."""

WRITE_FILE, PATH_BENEATH = 1 << 1, 1


class _Ruleset(ctypes.Structure):
    _fields_ = (("handled", ctypes.c_uint64),)


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def write_only_below(folders: Iterable[Path]) -> bool:
    """Restrict this process and all that it starts; return whether that is possible.

    The process needs to have given up the way to new rights (PR_SET_NO_NEW_PRIVS).
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
