"""Compile kernels with numba, and keep the machine code in a cache that cannot go stale.

numba notices when the file of a cached function changes, but not when a function that it
calls does. So the cache folder is named after the content of this room, which holds the
records and constants, and of every file elsewhere that holds kernels.

There are two sorts. An `entry` is called from Python and may create arrays. A `kernel` is
called by entries only and works on arrays it is given; without the counting of references
that array creation needs, the event loop runs about twice as fast.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import event

from ..instances.clock import leave_out

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

_ROOMS_WITH_KERNELS = ("policies", "search", "simulation/fleet", "simulation/trace")


_compiling: Any = event.TimingListener()
event.register("numba:compiler_lock", _compiling)
leave_out(lambda: float(_compiling.duration) if _compiling.done else 0.0)


def entry(function: Kernel) -> Kernel:
    """Compile a function that Python calls, that may create arrays, and lets threads run."""
    return _compile(function, {"nogil": True})


def kernel(function: Kernel) -> Kernel:
    """Compile a function that only compiled code calls and that creates no array."""
    return _compile(function, {"_nrt": False, "no_cpython_wrapper": True})


def _compile(function: Kernel, options: dict[str, bool]) -> Kernel:
    njit: Any = numba.njit
    settings: Any = numba.config
    before = settings.CACHE_DIR
    settings.CACHE_DIR = str(cache_folder())
    try:
        compiled: Kernel = njit(cache=True, error_model="numpy", **options)(function)
    finally:
        settings.CACHE_DIR = before
    return compiled


@cache
def cache_folder() -> Path:
    """Return a writable folder for machine code made from exactly these sources."""
    name = f"kernels-{_fingerprint()}"
    for base in _bases():
        folder = base / "ringyard" / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.mkdtemp(prefix="ringyard-"))


def _bases() -> list[Path]:
    """Return places for a cache: the one set, else the user's."""
    chosen = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    if chosen:
        return [Path(chosen)]
    try:
        return [Path.home() / ".cache"]
    except RuntimeError:
        return []


def _fingerprint() -> str:
    here = Path(__file__).parent
    content = hashlib.sha256(numba.__version__.encode())
    for file in sorted(here.glob("*.py")):
        content.update(file.read_bytes())
    for room in _ROOMS_WITH_KERNELS:
        for file in sorted((here.parent / room).rglob("*.py")):
            code = file.read_bytes()
            if b"@kernel" in code or b"@entry" in code:
                content.update(code)
    return content.hexdigest()[:16]
