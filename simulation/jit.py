"""Kernels: functions that numba compiles, once it is worth it; until then they run as they stand.

There are two sorts. An `entry` is called from Python and may create arrays. A `kernel` is
called by entries only and works on arrays it is given; without the counting of references
that array creation needs, the event loop runs about twice as fast.

Compiling takes seconds for each entry, loading what was compiled before a second for the first.
So a process runs entries in plain Python until some time is spent. A call that takes longer is
broken off, what it has changed in its arrays is undone, and it is asked again, compiled. What
that takes is set-up: the clock of time limits stands still for it, since compiled it would be next
to nothing; for plain Python it does so for a fixed time only. `RINGYARD_KERNELS` may say
`compiled` (at once) or `plain` (always).
"""

import os
import threading
from collections.abc import Callable, Iterator
from functools import cache
from operator import itemgetter
from time import perf_counter, thread_time
from typing import Any, TypeVar

import numpy as np

from ..instances.clock import start_clock, stop_clock


def record(ints: str = "", floats: str = "") -> np.dtype[np.void]:
    """Return a type of records: fields of whole numbers first, then of floating point.

    numba reads `state.runs[job].due` of any numpy array of records; numpy itself does for its own
    `np.record`, slowly, and not for names that `np.record` has, as `item`.
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

LARGE = 1 << 23
"""Arguments of so many bytes are not for plain Python: a loop over as many flags takes it seconds,
and is not broken off where it calls no kernel."""

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
    """A function that other kernels call, compiled or not, as they are."""

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
        """The function as numba has it; what it calls is compiled with it."""
        if self._compiled is None:
            from .compiled import compiled  # it loads numba

            self._compiled = compiled(self)
        return self._compiled

    @property
    def _numba_type_(self) -> Any:
        from .compiled import type_of

        return type_of(self.compiled)


class _Entry(_Kernel):
    """A function that Python calls."""

    spent = 0.0
    fast: Any = None
    """The compiled function, once it is what is called."""

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
            if seconds > 0 and sum(one.nbytes for one in arrays) < LARGE:
                saved = [(one, one.copy()) for one in arrays if not _flag(one)]
                try:
                    return self._plainly(args, named, seconds)
                except BaseException as error:  # An interrupt as well leaves nothing half done.
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
        """Let the plain call that is under way go on for longer, or break it off."""
        took = thread_time() - _THREAD.since
        left = LOADING_S - _spent - took
        if left <= 0.0 and not self._kept():
            left = COMPILING_S - self.spent - took
        if left <= 0.0:
            raise _TooSlowError
        _THREAD.deadline = perf_counter() + left

    def _seconds(self) -> float:
        """Return for how long the next call may be plain before it is looked at again."""
        if _spent < LOADING_S:
            return LOADING_S - _spent
        return 0.0 if self._kept() else COMPILING_S - self.spent

    def _kept(self) -> bool:
        from .kernel_cache import kept

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


def expect(entry: Any, ahead: float, done: int) -> None:
    """Compile an entry at its next call if what lies ahead is long, at the pace of what is done."""
    if entry.spent * ahead > LONG_S * done > 0:
        entry.spent = max(entry.spent, COMPILING_S)


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
    """Return True if it is one through which another thread may stop this one: not ours to undo."""
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
