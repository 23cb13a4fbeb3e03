"""`ringyard.online`: jobs to be admitted or not, written in Python."""

from typing import Any

from ..building import Rows, built, rows_of, short
from ..makespan.mix import INTER, INTRA
from .instance import OnlineInstance


def online(
    jobs: Rows, machines: Rows, *, horizon_slots: int, name: str = "online", **more: Any
) -> OnlineInstance:
    """Return an instance of jobs with workers and parameter servers that arrive over time.

    Args:
        jobs: At least `samples`, `batch_samples`, and `sample_s` or `gradient_gb`. A worker takes
            ``{"gpu": 1}`` and a parameter server ``{"cpu": 1}``, over 12.5 GB/s inside a machine
            and 1.25 GB/s across, if nothing else is said. `utility` is a number, to be had up to
            the horizon; a pair of a number and the slots from the arrival up to which it is to be
            had; or one of the laws of the format. Without it a job is worth 1.
        machines: A number is a machine's GPUs, with as many CPUs; else `capacity`.
        horizon_slots: The number of slots.
        name: What the instance is called.
        **more: Other fields of the format: `slot_s`, `title`, ..

    Raises:
        InputError: With all problems, as of a file.
    """

    def job(row: Any) -> Any:
        return {**row, "utility": _law(row.get("utility", 1), horizon_slots)}

    usual = {
        "worker": {"gpu": 1},
        "server": {"cpu": 1},
        "internal_gb_s": INTRA,
        "external_gb_s": INTER,
    }
    made: OnlineInstance = built(
        "online",
        name=name,
        machines=rows_of(machines, "m", short(lambda n: {"capacity": {"gpu": n, "cpu": n}})),
        jobs=rows_of(jobs, "j", lambda row: job(row) if isinstance(row, dict) else row, **usual),
        horizon_slots=horizon_slots,
        **more,
    )
    return made


def _law(utility: Any, slots: Any) -> Any:
    if isinstance(utility, tuple | list) and len(utility) == 2:
        utility, slots = utility
    elif isinstance(utility, dict | str) or not hasattr(utility, "__float__"):
        return utility
    return {"model": "deadline", "value": utility, "slots": slots}
