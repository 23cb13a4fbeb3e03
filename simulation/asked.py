"""A question to Python out of compiled code; plain Python asks without it."""

from numba import objmode

from . import exact


def asked(
    key: int, number: int, job: int, runs: int, jobs: int, crossings: int, used: int
) -> float:
    """Ask in exact fractions."""
    with objmode(answer="float64"):
        answer = exact.ask(key, number, job, runs, jobs, crossings, used)
    return float(answer)
