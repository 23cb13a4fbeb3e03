"""Compile kernels with numba, and keep the machine code in a cache that cannot go stale.

numba notices when the file of a cached function changes, but not when a function that it
calls does, nor when a constant of another file does. So the cache folder is named after the
content of all files of the rooms with kernels.

There are two sorts. An `entry` is called from Python and may create arrays. A `kernel` is
called by entries only and works on arrays it is given; without the counting of references
that array creation needs, the event loop runs about twice as fast.
"""

import atexit
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from logging import getLogger
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import event

from ..instances.clock import leave_out
from .own_folder import own_folder

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

SESSION = "RINGYARD_SESSION_CACHE"
"""Tells the processes that this one starts where kernels are kept that nobody keeps for longer."""

_ROOMS_WITH_KERNELS = ("simulation", "policies", "search")


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
    before, folder = settings.CACHE_DIR, cache_folder()
    settings.CACHE_DIR = str(folder)
    try:
        compiled: Kernel = njit(cache=folder is not None, error_model="numpy", **options)(function)
    finally:
        settings.CACHE_DIR = before
    return _without_literals(compiled)


def _without_literals(compiled: Kernel) -> Kernel:
    """Let compiled code call a kernel by types: numba would compile it for each literal anew."""
    plain: Any = compiled
    inner, free = plain.get_call_template, numba.types.unliteral

    def by_types(args: Any, kws: Any) -> Any:
        return inner(tuple(map(free, args)), {name: free(one) for name, one in kws.items()})

    plain.get_call_template = by_types
    return compiled


@cache
def cache_folder() -> Path | None:
    """Return a folder of this user's own for machine code made from exactly these sources.

    Where there is none, it is one for this session, that is, this process and those it starts,
    and a warning says so once; if even that cannot be, None.
    """
    name, why = f"kernels-{_fingerprint()}", list[str]()
    for base in _bases():
        try:
            return own_folder(base, "ringyard", name)
        except (OSError, ValueError) as error:
            why.append(f"{getattr(error, 'strerror', None) or error} ({base})")
    getLogger("ringyard").warning(
        "note: compiled kernels are kept for this session only: %s; "
        "set NUMBA_CACHE_DIR to a folder that only you can write",
        "; ".join(why) or "there is no home folder",
    )
    return _for_this_session()


def _for_this_session() -> Path | None:
    try:
        folder = own_folder(Path(tempfile.mkdtemp(prefix="ringyard-")))
    except OSError:
        return None
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ[SESSION] = str(folder)
    return folder


def _bases() -> list[Path]:
    """Return places for a cache: that of the session, the one set, or the user's."""
    names = (SESSION, "NUMBA_CACHE_DIR", "XDG_CACHE_HOME")
    chosen = next(filter(None, map(os.environ.get, names)), None)
    if chosen:
        return [Path(chosen)]
    try:
        return [Path.home() / ".cache"]
    except RuntimeError:
        return []


def _fingerprint() -> str:
    root = Path(__file__).parents[1]
    content = hashlib.sha256(numba.__version__.encode())
    for room in _ROOMS_WITH_KERNELS:
        for file in sorted((root / room).rglob("*.py")):
            content.update(file.read_bytes())
    return content.hexdigest()[:16]
