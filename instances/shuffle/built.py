"""`ringyard.shuffle`: workers that have rows and want others, written in Python."""

from typing import Any

from ..building import Rows, built, pairs, rows_of
from .instance import ShuffleInstance


def shuffle(rows: int, workers: Rows, *, name: str = "shuffle", **more: Any) -> ShuffleInstance:
    """Return an instance of rows to be exchanged between workers.

    Args:
        rows: How many rows of data there are; they are numbered from 0.
        workers: `has` and `wants`, or a pair of both: ``[([0, 1], [2]), ([2], [0, 1])]``.
        name: What the instance is called.
        **more: Other fields of the format: `multicast`, `title`, ..

    Raises:
        InputError: With all problems, as of a file.
    """
    made: ShuffleInstance = built(
        "shuffle",
        name=name,
        rows=rows,
        workers=rows_of(workers, "w", pairs("has", "wants")),
        **more,
    )
    return made
