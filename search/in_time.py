"""Work that knows no clock, ended when its time is over."""

import ctypes
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, Thread, get_ident
from typing import Any, TypeVar

Result = TypeVar("Result")

_AGAIN_S = 0.1
_raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc


class _TimeUpError(BaseException):
    """Raised from outside, so nothing on the way may take it for an error of its own."""


class _Alarm:
    """Raises in the thread that made it, again and again until it is switched off.

    Once is not enough: what is raised while a finaliser or the callback of a weak reference
    runs is dropped by the interpreter.
    """

    def __init__(self, left_s: float) -> None:
        self._thread, self._left_s = ctypes.c_ulong(get_ident()), left_s
        self._lock, self._waits, self._off = Lock(), Lock(), False
        self._waits.acquire()

    def start(self) -> None:
        Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        pause_s = self._left_s
        while not self._waits.acquire(timeout=pause_s):
            with self._lock:
                if self._off:
                    return
                _raise_in(self._thread, ctypes.py_object(_TimeUpError))
            pause_s = _AGAIN_S

    def switch_off(self) -> None:
        """See to it that nothing is raised from here on."""
        while True:
            try:
                with self._lock:
                    self._off = True
                _raise_in(self._thread, None)
                if self._waits.locked():
                    self._waits.release()
            except _TimeUpError:
                continue
            return


@contextmanager
def _dropped_in_silence() -> Iterator[None]:
    """The interpreter reports what it drops; of ours nobody has to know, it comes again."""
    before = sys.unraisablehook

    def report(dropped: Any) -> None:
        if dropped.exc_type is not _TimeUpError:
            before(dropped)

    sys.unraisablehook = report
    try:
        yield
    finally:
        sys.unraisablehook = before


def in_time(work: Callable[[], Result], left_s: float | None) -> Result | None:
    """Return what some work gives, or None if it has not ended after the given seconds.

    It is ended between two steps of the interpreter: one call of compiled code is not interrupted.
    """
    if left_s is None:
        return work()
    if left_s <= 0:
        return None
    alarm = _Alarm(left_s)
    with _dropped_in_silence():
        try:
            try:
                alarm.start()
                return work()
            finally:
                alarm.switch_off()
        except _TimeUpError:
            alarm.switch_off()
            return None
