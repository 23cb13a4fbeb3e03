"""Python code that knows no clock, such as the writing of a program, ended when its time is up."""

import ctypes
from collections.abc import Callable
from threading import Lock, Timer, get_ident
from typing import TypeVar

Result = TypeVar("Result")

_raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc


class _TimeUpError(BaseException):
    """Raised from outside, so nothing on the way may take it for an error of its own."""


def in_time(work: Callable[[], Result], left_s: float | None) -> Result | None:
    """Return what some work gives, or None if it has not ended after the given seconds.

    It is ended between two steps of the interpreter: one call of compiled code is not interrupted.
    """
    if left_s is None:
        return work()
    if left_s <= 0:
        return None
    thread, lock, ended = ctypes.c_ulong(get_ident()), Lock(), False

    def end() -> None:
        with lock:
            if not ended:
                _raise_in(thread, ctypes.py_object(_TimeUpError))

    timer = Timer(left_s, end)
    timer.daemon = True
    try:
        try:
            timer.start()
            return work()
        finally:
            timer.cancel()
            with lock:
                ended = True
            _raise_in(thread, None)
    except _TimeUpError:
        return None
