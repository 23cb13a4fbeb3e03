"""Lets Ctrl-C end a solver at once with what it has, instead of after it has finished."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

AGAIN_S = 0.2
"""Seconds after which a solver that goes on is told once more to stop: SCIP forgets a stop that
comes between two of its stages."""


def patiently(work: Callable[[], object], stop: Callable[[], object]) -> bool:
    """Do `work`, which must let other threads run; return whether Ctrl-C made us call `stop`."""
    stopped = False
    with ThreadPoolExecutor(max_workers=1) as pool:
        done = pool.submit(work)
        while True:
            try:
                done.result(AGAIN_S if stopped else None)
            except (KeyboardInterrupt, TimeoutError):
                if done.done():
                    raise
                stopped = True
                stop()
            else:
                return stopped
