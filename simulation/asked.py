"""A question to Python out of compiled code; plain Python asks without it."""

from collections.abc import Callable

from numba import objmode


def asked(function: Callable[..., float]) -> Callable[..., float]:
    """Return what is compiled where a question of seven whole numbers is asked."""

    def ask(a: int, b: int, c: int, d: int, e: int, f: int, g: int) -> float:
        with objmode(answer="float64"):
            answer = function(a, b, c, d, e, f, g)
        return float(answer)

    return ask
