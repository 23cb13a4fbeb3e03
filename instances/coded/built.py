"""`ringyard.coded`: workers of which some are slow, written in Python."""

from collections.abc import Iterable
from typing import Any

from ..building import built
from .instance import CodedInstance, ShiftedExponential, TaskTime

USUAL = ShiftedExponential()
"""A second, and an exponential time of mean 1."""


def coded(
    workers: int,
    time: TaskTime | Iterable[Any] = USUAL,
    *,
    name: str = "coded",
    **more: Any,
) -> CodedInstance:
    """Return an instance of a matrix product on workers of which some are slow.

    Args:
        workers: How many there are.
        time: What a worker takes for all rows: a law of the format, or a list of measured
            seconds; by default a second and an exponential time of mean 1.
        name: What the instance is called.
        **more: Other fields of the format: `rows`, `title`, ..

    Raises:
        InputError: With all problems, as of a file.
    """
    law: Any = time
    if isinstance(time, Iterable) and not isinstance(time, dict | str):
        law = {"model": "measured", "times_s": list(time)}
    made: CodedInstance = built("coded", name=name, workers=workers, time=law, **more)
    return made
