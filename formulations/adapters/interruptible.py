"""Lets Ctrl-C end a solver at once with what it has, instead of after it has finished."""

from _thread import start_new_thread
from collections.abc import Callable
from contextlib import suppress
from threading import Lock

from ...interrupts import heard

AGAIN_S = 0.2
"""Seconds between two looks: a Ctrl-C that comes just as the wait begins is seen at the next one.
A solver that goes on is asked to stop once more: SCIP forgets a stop between two of its stages, or
refuses it."""


def interruptible(work: Callable[[], object], stop: Callable[[], object]) -> bool:
    """Do `work`, which must let other threads run; return whether Ctrl-C made us call `stop`.

    Ctrl-C may come at any moment: before the work begins it is raised, in `stop` or when the work
    has just ended it changes nothing. Only bare locks are waited for: conditions, and all that is
    made of them, may be left without their lock by what is raised in them.
    """
    begin, done, stopped = Lock(), Lock(), False
    ended: list[BaseException | None] = []

    def run() -> None:
        begin.acquire()
        try:
            work()
        except BaseException as error:
            ended.append(error)
        else:
            ended.append(None)
        done.release()

    begin.acquire()
    done.acquire()
    start_new_thread(run, ())
    while True:
        try:
            if begin.locked():
                begin.release()
            while not ended:
                if stopped:
                    heard()
                    with suppress(Exception):  # It is said again at the next look.
                        stop()
                done.acquire(timeout=AGAIN_S)
            break
        except KeyboardInterrupt:
            stopped = True
    if ended[0] is not None:
        raise ended[0]
    return stopped
