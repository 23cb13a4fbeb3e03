"""Lets Ctrl-C end a solver at once with what it has, instead of after it has finished."""

from collections.abc import Callable
from concurrent.futures import Future
from threading import Event, Thread

from ...interrupts import heard

AGAIN_S = 0.2
"""Seconds between two looks: a Ctrl-C that comes just as the wait begins is seen at the next one.
A solver that goes on is told to stop once more: SCIP forgets a stop between two of its stages."""


def patiently(work: Callable[[], object], stop: Callable[[], object]) -> bool:
    """Do `work`, which must let other threads run; return whether Ctrl-C made us call `stop`.

    Ctrl-C may come at any moment: before the work begins it is raised, in `stop` or when the work
    has just ended it changes nothing.
    """
    done, begin, stopped = Future[None](), Event(), False

    def run() -> None:
        begin.wait()
        try:
            work()
        except BaseException as error:
            done.set_exception(error)
        else:
            done.set_result(None)

    Thread(target=run, daemon=True).start()
    while True:
        try:
            begin.set()
            if stopped and not done.done():
                stop()
            done.result(AGAIN_S)
        except (KeyboardInterrupt, TimeoutError) as error:
            if done.done() and done.exception() is error:
                raise
            stopped = stopped or isinstance(error, KeyboardInterrupt)
            if stopped:
                heard()
        else:
            return stopped
