"""A control group of version 2 for one run: there the kernel itself keeps the memory limit.

It counts all that a run makes the kernel keep, and needs no look from time to time. A group can be
made where the system has delegated the memory controller, as systemd does below a user's manager.
"""

import os
from contextlib import suppress
from itertools import count
from pathlib import Path

ROOTS = (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/unified"))
"""Where systems mount it: alone, or beside version 1."""

_NUMBERS = count(1)


def limited_group(process: int, memory_mb: float) -> Path | None:
    """Move a process, and all that it will start, to a new group; None if that is not allowed."""
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
    """Return whether the kernel has ended a process because the group had no memory left."""
    with suppress(OSError):
        lines = dict(line.split() for line in (group / "memory.events").read_text().splitlines())
        return int(lines.get("oom_kill", 0)) > 0
    return False


def leave(group: Path) -> None:
    """Remove a group whose processes have ended."""
    with suppress(OSError):
        group.rmdir()


def _above() -> list[Path]:
    """Return the group of this process and those above it, as folders, from below."""
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            number, _, place = line.split(":", 2)
            roots = [root for root in ROOTS if (root / "cgroup.controllers").exists()]
            if number == "0" and roots:
                own = roots[0] / place.lstrip("/")
                return [own, *(one for one in own.parents if one.is_relative_to(roots[0]))]
    return []
