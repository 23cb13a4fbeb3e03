"""`ringyard.trace`: jobs that arrive over time, written in Python."""

from typing import Any

from ..building import Rows, built, rows_of, short
from .instance import TraceInstance


def trace(jobs: Rows, servers: Rows, *, name: str = "trace", **more: Any) -> TraceInstance:
    """Return an instance of gang jobs that arrive over time and may be stopped.

    Args:
        jobs: At least `gpus` and `duration_s`; they arrive at `arrival_s`, or at 0.
        servers: A number is a server's GPUs: ``[8, 8]``, ``{"left": 8, "right": 8}``.
        name: What the instance is called.
        **more: Other fields of the format: `restart_s`, `tick_s`, `contention`, ..

    Raises:
        InputError: With all problems, as of a file.
    """
    made: TraceInstance = built(
        "trace",
        name=name,
        servers=rows_of(servers, "s", short(lambda gpus: {"gpus": gpus})),
        jobs=rows_of(jobs, "j"),
        **more,
    )
    return made
