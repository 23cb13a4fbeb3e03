"""`ringyard.transfers`: updates on their way to a server, written in Python."""

from collections.abc import Iterable
from typing import Any

from ..building import Number, Rows, built, pairs, rows_of
from .instance import TransfersInstance


def transfers(
    updates: Rows,
    links: Iterable[Any],
    *,
    server: str,
    drop_s: Number,
    name: str = "transfers",
    **more: Any,
) -> TransfersInstance:
    """Return an instance of pending updates and a network.

    Args:
        updates: At least `worker` and `size_gb`, or a pair of both.
        links: Two nodes and the bandwidth between them: ``("w0", "server", 1.25)``.
        server: The node that has the parameters.
        drop_s: The moment at which a dropped update counts as applied.
        name: What the instance is called.
        **more: Other fields of the format: `aggregators`, `replica`, `staleness`, `goal`, ..

    Raises:
        InputError: With all problems, as of a file.
    """
    made: TransfersInstance = built(
        "transfers",
        name=name,
        updates=rows_of(updates, "u", pairs("worker", "size_gb")),
        links=list(map(pairs("a", "b", "gb_s"), links)),
        server=server,
        drop_s=drop_s,
        **more,
    )
    return made
