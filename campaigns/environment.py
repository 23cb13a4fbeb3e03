"""On what a run was made: host, interpreter, version, and the source itself."""

import platform
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..version import __version__

ROOT = Path(__file__).parents[1]


@cache
def environment() -> dict[str, Any]:
    """Return the columns of a row that are the same for all runs of a process."""
    return {
        "host": platform.node(),
        "python": platform.python_version(),
        "version": __version__,
        "code": code(),
    }


@cache
def code() -> str:
    """Name the source of the package by its content, whatever its version says."""
    rooms = sorted(file.parent for file in ROOT.glob("*/__init__.py"))
    files = [*ROOT.glob("*.py"), *(file for room in rooms for file in room.rglob("*.py"))]
    whole = sha256()
    for file in sorted(files):
        whole.update(file.relative_to(ROOT).as_posix().encode() + b"\0" + file.read_bytes())
    return whole.hexdigest()[:16]


def now() -> str:
    """Return the time in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
