"""Kernels: functions that numba compiles once it pays off. Until then they run in plain Python.

There are two sorts. An `entry` is called from Python and may create arrays. Only entries call a
`kernel`, on given arrays. Without the reference counts of array creation, the event loop runs about
twice as fast.

Compiling takes seconds per entry, and loading compiled code less than 1 s for the first. A process
therefore starts entries in plain Python. A call that takes longer is interrupted, its changes to
arrays are undone, and it runs again compiled. This time is set-up. The clock of time limits stops
for it, because the compiled call would take almost no time. It stops for plain Python for a fixed
time only. `RINGYARD_KERNELS` may say `compiled` (at once) or `plain` (always).

Compiled kernels are kept in a folder, each under a digest of all that it is made from.
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
import threading
from collections.abc import Callable, Iterator
from functools import cache
from importlib.metadata import version
from logging import getLogger
from operator import itemgetter
from pathlib import Path
from time import perf_counter, thread_time
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, TypeVar

import numpy as np

from ..instances.outcome import start_clock, stop_clock


def record(ints: str = "", floats: str = "") -> np.dtype[np.void]:
    """Return a type of records: fields of whole numbers first, then of floating point.

    numba reads `state.runs[job].due` of any numpy array of records. numpy does so only for its own
    `np.record`, slowly, and not for names such as `item` that `np.record` defines.
    """
    whole = [(name, np.dtype(np.int64)) for name in ints.split()]
    return with_attributes(np.dtype(whole + [(n, np.dtype(np.float64)) for n in floats.split()]))


@cache
def with_attributes(plain: np.dtype[np.void]) -> np.dtype[np.void]:
    """Return the same type of records, whose elements have their fields as attributes."""
    names = plain.names or ()
    kind: Any = type("Record", (np.void,), {"__slots__": (), **{n: _field(n) for n in names}})
    return np.dtype((kind, plain.descr))


def _field(name: str) -> Any:
    def put(one: Any, value: Any) -> None:
        one[name] = value

    return property(itemgetter(name), put)


Function = TypeVar("Function", bound=Callable[..., Any])

MODE = "RINGYARD_KERNELS"
"""The variable that sets how kernels run: `compiled`, `plain`, or as is best."""

LOADING_S, COMPILING_S = 0.3, 3.0
"""Processor seconds of plain Python of a process before kept kernels are loaded, and of an entry
before it is compiled."""

LONG_S = 60.0
"""Processor seconds of plain Python that lie ahead of an entry that had better be compiled now."""

LARGE, LARGE_IF_INTERRUPTIBLE = 1 << 23, 1 << 28
"""Arguments of this number of bytes are too large for plain Python. A loop over them takes seconds,
and can be interrupted only if it calls a kernel: then only the copy of the arguments matters."""

NEVER = float("inf")


class _TooSlowError(Exception):
    """Plain Python has had its time."""


class _Thread(threading.local):
    """The entry that a thread runs as plain Python, since when, and until when it may."""

    since = 0.0
    deadline = NEVER
    entry: "_Entry | None" = None


_THREAD = _Thread()
_spent = 0.0


class _Kernel:
    """A function that other kernels call, compiled or not, unchanged."""

    def __init__(
        self, plain: Callable[..., Any], options: dict[str, bool], asks: bool = False
    ) -> None:
        self.plain, self.options, self.asks = plain, options, asks
        self.__name__, self.__doc__ = plain.__name__, plain.__doc__
        self.__module__, self.__qualname__ = plain.__module__, plain.__qualname__
        self.__wrapped__ = plain
        self._compiled: Any = None

    def __call__(self, *args: Any, **named: Any) -> Any:
        if perf_counter() > _THREAD.deadline:
            assert _THREAD.entry is not None
            _THREAD.entry.go_on()
        return self.plain(*args, **named)

    @property
    def compiled(self) -> Any:
        """The function in numba, with the functions that it calls."""
        if self._compiled is None:
            from .compiled import compiled  # it loads numba

            self._compiled = compiled(self, cache_folder(), digest)
        return self._compiled

    @property
    def _numba_type_(self) -> Any:
        from .compiled import type_of

        return type_of(self.compiled)


class _Entry(_Kernel):
    """A function that Python calls."""

    spent = 0.0
    fast: Any = None
    """The compiled function, once it is used."""

    def __call__(self, *args: Any, **named: Any) -> Any:
        if _THREAD.entry is not None:
            return super().__call__(*args, **named)
        if self.fast is not None:
            return self.fast(*args, **named)
        mode = os.environ.get(MODE)
        if mode == "plain":
            return self._plainly(args, named, NEVER)
        if mode != "compiled":
            arrays = list(_arrays((args, tuple(named.values()))))
            seconds = self._seconds()
            if seconds > 0 and not self._too_large(sum(one.nbytes for one in arrays)):
                saved = [(one, one.copy()) for one in arrays if not _flag(one)]
                try:
                    return self._plainly(args, named, seconds)
                except BaseException as error:  # An interrupt leaves no half-done change either.
                    for one, before in saved:
                        one[...] = before
                    if not isinstance(error, _TooSlowError):
                        raise
        stop_clock()
        try:
            doing = "loading" if self._kept() else "compiling"
            stop_clock(f"{doing} kernels ({self.__name__.strip('_')})")
            start_clock()  # The words stay; looking for what is kept is no time of the method.
            self.fast = self.compiled
        finally:
            start_clock()
        return self.fast(*args, **named)

    def go_on(self) -> None:
        """Let the running plain call continue, or interrupt it."""
        took = thread_time() - _THREAD.since
        left = LOADING_S - _spent - took
        if left <= 0.0 and not self._kept():
            left = COMPILING_S - self.spent - took
        if left <= 0.0:
            raise _TooSlowError
        _THREAD.deadline = perf_counter() + left

    def _seconds(self) -> float:
        """Return the seconds for which the next call may stay plain."""
        if _spent < LOADING_S and self.spent < COMPILING_S:
            return LOADING_S - _spent
        return 0.0 if self._kept() else COMPILING_S - self.spent

    def _too_large(self, size: int) -> bool:
        """Return True if arguments of this many bytes are too large for plain Python."""
        if size < LARGE:
            return False
        plain: Any = self.plain
        used, known = plain.__code__, _known(plain)
        names = (*used.co_names, *used.co_freevars)
        interruptible = any(isinstance(known.get(name), _Kernel) for name in names)
        return size >= LARGE_IF_INTERRUPTIBLE or not interruptible

    def _kept(self) -> bool:
        return kept(self)

    def _plainly(self, args: Any, named: Any, seconds: float) -> Any:
        global _spent
        stop_clock("", plain=True)
        _THREAD.since = thread_time()
        _THREAD.entry, _THREAD.deadline = self, perf_counter() + seconds
        try:
            with np.errstate(all="ignore"):
                args, more = _each(_readable, args), _each(_readable, tuple(named.values()))
                return _each(_bare, self.plain(*args, **dict(zip(named, more, strict=True))))
        finally:
            took = thread_time() - _THREAD.since
            _THREAD.entry, _THREAD.deadline = None, NEVER
            self.spent += took
            _spent += took
            start_clock(plain=True)


def expect(entry: Any, ahead: float = NEVER, done: int = 0) -> None:
    """Compile an entry soon if the remaining work is long at the present pace.

    Without numbers, it is known to be long.
    """
    if ahead == NEVER or entry.spent * ahead > LONG_S * done > 0:
        entry.spent = max(entry.spent, COMPILING_S)


def load_kept() -> None:
    """Load kept kernels at their first calls from now on: more calls follow than loading takes."""
    global _spent
    _spent = max(_spent, LOADING_S)


def entry(function: Function) -> Function:
    """Compile a function that Python calls, that may create arrays, and lets threads run.

    Given a kernel, return an entry that does the same.
    """
    made: Any = _Entry(getattr(function, "plain", function), {"nogil": True})
    return made  # type: ignore[no-any-return]


def kernel(function: Function, *, asks: bool = False) -> Function:
    """Compile a function that only compiled code calls and that creates no array.

    With `asks`, compiled code calls the function in Python, with seven whole numbers for a float.
    """
    options = {} if asks else {"_nrt": False, "no_cpython_wrapper": True}
    made: Any = _Kernel(function, options, asks)
    return made  # type: ignore[no-any-return]


def _arrays(value: Any) -> Iterator[np.ndarray[Any, Any]]:
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from _arrays(one)


def _flag(array: np.ndarray[Any, Any]) -> bool:
    """Return True if another thread may stop this one through this flag: never undo it."""
    return array.size == 1 and array.dtype == np.bool_


def _each(change: Callable[[Any], Any], value: Any) -> Any:
    """Change a value, or all that is in a tuple."""
    if isinstance(value, tuple):
        parts = [_each(change, one) for one in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return change(value)


def _readable(value: Any) -> Any:
    """Return an array of records with elements that have attributes."""
    records = isinstance(value, np.ndarray) and value.dtype.names
    return value.view(with_attributes(value.dtype)) if records else value


def _bare(value: Any) -> Any:
    """Return a number of numpy as Python's, as compiled code does."""
    return value.item() if isinstance(value, np.generic) else value


OTHERS = stat.S_IWGRP | stat.S_IWOTH


def own_folder(base: Path, *names: str) -> Path:
    """Return a folder below `base`, created if needed.

    Raise `OSError` if other users can write to it.

    Machine code in this folder is executed, so the whole path from the root matters: a user who can
    write to a folder on it can replace the next one. A folder with the sticky bit, such as /tmp,
    does not let other users replace its entries.
    """
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
            raise _refusal(folder, "can be written by other users")
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
        raise _refusal(folder, "can be written by other users")


def _alone_in(group: int) -> bool:
    """Return True if a group has no other member than this user, or is the administrator's."""
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
    """Return a digest of all that a kernel is made from.

    numba notices when the file of a kept function changes, but not when a function that it calls
    does, nor when a constant of another file does. The digest is of the function's own code and,
    by the names in it, of all kernels, functions, constants and types of records that it uses.
    """
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
    """Yield the function's own code and the values of its names, once each."""
    if id(function) in seen:
        return
    seen.add(id(function))
    yield f"{function.__module__} {function.__qualname__} {function.__defaults__}"
    names = set[str]()
    yield from _code(function.__code__, names, function.__doc__)
    known = _known(function)
    for name in sorted(names & known.keys()):
        yield name
        yield from _value(known[name], names, seen)


def _known(function: Any) -> dict[str, Any]:
    """Return the values that a function can use by name: of its module, and of its closure."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return {**function.__globals__, **{name: cell.cell_contents for name, cell in cells}}


def _code(code: CodeType, names: set[str], words: str | None = None) -> Iterator[str]:
    names.update(code.co_names, code.co_freevars)
    yield f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {code.co_freevars}"
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _code(one, names)
        elif one != words:
            yield repr(sorted(one) if isinstance(one, frozenset) else one)


def _value(value: Any, names: set[str], seen: set[int]) -> Iterator[str]:
    """Yield the value of a name, as far as compiled code can depend on it."""
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

    Without one, use a folder for this session, which is this process and its children, and warn
    once. If that fails too, return None.
    """
    why = list[str]()
    for base in _bases():
        try:
            return own_folder(base, "ringyard", "kernels")
        except (OSError, ValueError) as error:
            why.append(f"{getattr(error, 'strerror', None) or error} ({base})")
    getLogger("ringyard").warning(
        "note: compiled kernels are kept for this session only: %s, "
        "so set NUMBA_CACHE_DIR to a folder that only you can write",
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
    """Return places for a cache: the session's, the configured one, or the user's."""
    names = (SESSION, "NUMBA_CACHE_DIR", "XDG_CACHE_HOME")
    chosen = next(filter(None, map(os.environ.get, names)), None)
    if chosen:
        return [Path(chosen)]
    try:
        return [Path.home() / ".cache"]
    except RuntimeError:
        return []
