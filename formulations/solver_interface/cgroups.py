"""A control group for one process: the system itself ends what grows beyond a cap on memory.

For Linux with cgroup v2, where the user may make groups: systemd hands a part of the tree to each
user. A group that holds processes cannot hold groups with caps as well, so ours is beside that of
this process, or higher up. Where there is no such place, whoever caps looks at the process instead.
"""

import errno
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")

NUMBERS = count(1)

TRIES, WAIT_S = 50, 0.02
"""A group can be removed once the last process in it is gone."""


@dataclass(frozen=True, slots=True)
class ControlGroup:
    """A group that caps the memory of the processes in it, taken together."""

    folder: Path

    def take(self, process: int) -> bool:
        """Put a process into the group, and all that it will start; return whether that worked."""
        try:
            (self.folder / "cgroup.procs").write_text(f"{process}\n", encoding="ascii")
        except OSError:
            return False
        return True

    @property
    def full(self) -> bool:
        """Whether the system has ended a process of the group for its memory."""
        try:
            text = (self.folder / "memory.events").read_text(encoding="ascii")
        except OSError:
            return False
        counts = dict(line.split() for line in text.splitlines())
        return any(int(counts.get(name, 0)) for name in ("oom_kill", "oom_group_kill"))

    def remove(self) -> None:
        """End what is left in the group, and remove it."""
        with suppress(OSError):  # Linux before 5.14 cannot; what solvers start ends with them.
            (self.folder / "cgroup.kill").write_text("1\n", encoding="ascii")
        for _ in range(TRIES):
            try:
                self.folder.rmdir()
            except OSError as error:
                if error.errno != errno.EBUSY:
                    return
                time.sleep(WAIT_S)
            else:
                return


def control_group(memory_mb: float) -> ControlGroup | None:
    """Return a new group with this cap on memory, or None where none can be made."""
    for place in _places():
        group = ControlGroup(place / f"ringyard-{os.getpid()}-{next(NUMBERS)}")
        try:
            group.folder.mkdir()
        except OSError:
            continue
        try:
            (group.folder / "memory.max").write_text(f"{int(memory_mb * 2**20)}\n")
            (group.folder / "memory.oom.group").write_text("1\n")
        except OSError:
            group.remove()
            continue
        with suppress(OSError):  # There is none where the system has no swap.
            (group.folder / "memory.swap.max").write_text("0\n")
        return group
    return None


def _places() -> list[Path]:
    """Return the groups in which one with a cap on memory can be, the nearest first."""
    try:
        lines = OWN.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return []
    own = next((line.removeprefix("0::/") for line in lines if line.startswith("0::/")), None)
    if own is None or ".." in Path(own).parts:
        return []
    nearest = ROOT / own
    return [one for one in (nearest, *nearest.parents) if one.is_relative_to(ROOT) and _caps(one)]


def _caps(folder: Path) -> bool:
    """Say whether groups in a group can have a cap on memory, and may be made by us."""
    try:
        given = (folder / "cgroup.subtree_control").read_text(encoding="ascii").split()
    except OSError:
        return False
    return "memory" in given and os.access(folder, os.W_OK)
