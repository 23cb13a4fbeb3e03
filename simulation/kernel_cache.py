"""Where compiled kernels are kept, each under a digest of all that it is made from.

numba notices when the file of a kept function changes, but not when a function that it calls
does, nor when a constant of another file does. The digest is of the function's own code and, by
the names in it, of all kernels, functions, constants and types of records that it uses.

A folder that nobody else can write into: machine code that lies there is executed.

The whole path from the root counts: whoever can write to a folder on it can replace the next one.
A folder with the sticky bit, as /tmp, does not let others replace ours.
"""

import atexit
import grp
import hashlib
import os
import platform
import pwd
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from logging import getLogger
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

OTHERS = stat.S_IWGRP | stat.S_IWOTH


def own_folder(base: Path, *names: str) -> Path:
    """Return a folder below `base`, made if need be; raise `OSError` where others can write."""
    base.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = Path(os.path.realpath(base))
    for place in (folder, *folder.parents):
        _look(place)
    for name in names:
        folder /= name
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        if found.st_uid != os.geteuid() or not stat.S_ISDIR(found.st_mode):
            raise _refusal(folder, "is not yours")
        if found.st_mode & OTHERS:
            raise _refusal(folder, "can be written by others")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise _refusal(folder, "cannot be written")
    return folder


def _look(folder: Path) -> None:
    found = folder.stat()
    if found.st_uid not in (0, os.geteuid()):
        raise _refusal(folder, "belongs to another user")
    open_to = found.st_mode & OTHERS
    if open_to == stat.S_IWGRP and _alone_in(found.st_gid):
        return
    if open_to and not found.st_mode & stat.S_ISVTX:
        raise _refusal(folder, "can be written by others")


def _alone_in(group: int) -> bool:
    """Return True if a group has nobody in it but this user, or is that of the administrator."""
    try:
        user, members = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return group == 0
    private = members.gr_name == user.pw_name and set(members.gr_mem) <= {user.pw_name}
    return group == 0 or private


def _refusal(folder: Path, why: str) -> PermissionError:
    return PermissionError(0, f"{folder} {why}")


SESSION = "RINGYARD_SESSION_CACHE"
"""The variable that names the kernel folder of this session to the processes that it starts."""


@cache
def digest(kernel: Any) -> str:
    """Return a digest of all that a kernel is made from."""
    content = hashlib.sha256(_makers().encode())
    for part in _made_from(kernel, set()):
        content.update(part.encode() + b"\0")
    return content.hexdigest()[:24]


def kept(kernel: Any) -> bool:
    """Return True if something was compiled of a kernel as it is, by this process or another."""
    folder, code = cache_folder(), kernel.plain.__code__
    called = kernel.__qualname__.replace("<", "").replace(">", "")
    name = f"{Path(code.co_filename).stem}.{called}-{digest(kernel)}"
    version = f"py{sys.version_info.major}{sys.version_info.minor}{sys.abiflags}"
    return folder is not None and (folder / f"{name}.{version}.nbi").exists()


def all_kept() -> set[str]:
    """Return the names of all files of compiled code."""
    folder = cache_folder()
    return {path.name for path in folder.glob("*.nbc")} if folder is not None else set()


@cache
def _makers() -> str:
    made = [version(name) for name in ("numba", "llvmlite", "numpy")]
    return " ".join(["3", *made, str(sys.implementation.cache_tag), platform.machine()])


def _made_from(kernel: Any, seen: set[int]) -> Iterator[str]:
    if kernel.asks:
        yield Path(__file__).with_name("compiled.py").read_text("utf-8")
    else:
        yield from _parts(kernel.plain, seen)


def _parts(function: Any, seen: set[int]) -> Iterator[str]:
    """Yield the function's own code and what its names stand for, once each."""
    if id(function) in seen:
        return
    seen.add(id(function))
    yield f"{function.__module__} {function.__qualname__} {function.__defaults__}"
    names = set[str]()
    yield from _code(function.__code__, names, function.__doc__)
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    known = function.__globals__ | {name: cell.cell_contents for name, cell in cells}
    for name in sorted(names & known.keys()):
        yield name
        yield from _value(known[name], names, seen)


def _code(code: CodeType, names: set[str], words: str | None = None) -> Iterator[str]:
    names.update(code.co_names, code.co_freevars)
    yield f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {code.co_freevars}"
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _code(one, names)
        elif one != words:
            yield repr(sorted(one) if isinstance(one, frozenset) else one)


def _value(value: Any, names: set[str], seen: set[int]) -> Iterator[str]:
    """Yield what a name stands for, as far as compiled code can depend on it."""
    if hasattr(value, "plain"):
        yield f"{value.options}"
        yield from _made_from(value, seen)
    elif isinstance(value, FunctionType):
        yield from _parts(value, seen)
    elif isinstance(value, ModuleType) and value.__name__.startswith(__name__.split(".")[0]):
        for name in sorted(names & vars(value).keys()):
            yield name
            yield from _value(vars(value)[name], names, seen)
    elif isinstance(value, type) and hasattr(value, "_fields"):
        yield f"{value.__qualname__} {value._fields}"
    elif isinstance(value, np.dtype):
        yield f"{value.descr}"
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype.descr} {value.tolist()}"
    elif isinstance(value, ModuleType | type | BuiltinFunctionType):
        yield value.__name__
    else:
        yield repr(value) if isinstance(value, int | float | str | tuple) else str(type(value))


@cache
def cache_folder() -> Path | None:
    """Return a folder of this user's own for machine code.

    Where there is none, it is one for this session, that is, this process and those it starts,
    and a warning says so once; if even that cannot be, None.
    """
    why = list[str]()
    for base in _bases():
        try:
            return own_folder(base, "ringyard", "kernels")
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
