"""`ringyard.reserved`: rings with bandwidth of their own, written in Python."""

from typing import Any

from ..building import Rows, built, rows_of, short
from .instance import ReservedInstance


def reserved(
    jobs: Rows, machines: Rows, *, horizon_slots: int, name: str = "reserved", **more: Any
) -> ReservedInstance:
    """Return an instance of preemptible rings whose links are reserved.

    Args:
        jobs: At least `most_workers`. A worker takes ``{"gpu": 1}`` if nothing else is said.
            `gain` is one of the format, or a number: so many times the root of the progress, by
            default 1.
        machines: A number is a machine's GPUs; else `capacity`, with `uplink_gb_s` and `rack`.
        horizon_slots: The number of slots.
        name: What the instance is called.
        **more: Other fields of the format: `racks`, `title`, ..

    Raises:
        InputError: With all problems, as of a file.
    """
    if "racks" in more:
        more["racks"] = rows_of(more["racks"], "r", short(lambda gb_s: {"uplink_gb_s": gb_s}))
    made: ReservedInstance = built(
        "reserved",
        name=name,
        machines=rows_of(machines, "m", short(lambda gpus: {"capacity": {"gpu": gpus}})),
        jobs=rows_of(jobs, "j", _job, worker={"gpu": 1}),
        horizon_slots=horizon_slots,
        **more,
    )
    return made


def _job(row: Any) -> Any:
    gain = row.get("gain", 1) if isinstance(row, dict) else None
    if not hasattr(gain, "__float__"):
        return row
    return {**row, "gain": {"shape": "root", "value": gain}}
