"""`ringyard.rental`: streams of jobs and a budget, written in Python."""

from typing import Any

from ..building import Number, Rows, built, rows_of
from .instance import RentalInstance


def rental(
    types: Rows, *, budget_gpus: Number, name: str = "rental", **more: Any
) -> RentalInstance:
    """Return an instance of streams of jobs, and GPUs rented for them.

    Args:
        types: At least `rate_per_h`, `work_h` and `speedup`; or, with several `epochs`, the last
            two in each of them. A speed-up is one of the format; or a number, the exponent of a
            power law; or a table such as ``{1: 1, 2: 1.8, 4: 3}`` of speeds by GPUs.
        budget_gpus: GPUs that may be paid for, on average over time.
        name: What the instance is called.
        **more: Other fields of the format: `widths`, `rescale_s`, `price_per_gpu_h`, ..

    Raises:
        InputError: With all problems, as of a file.
    """
    made: RentalInstance = built(
        "rental", name=name, types=rows_of(types, "t", stream), budget_gpus=budget_gpus, **more
    )
    return made


def stream(row: Any) -> Any:
    """Return a type of jobs with its epochs."""
    if not isinstance(row, dict):
        return row
    own = {key: one for key, one in row.items() if key not in ("work_h", "speedup")}
    epochs = row.get("epochs") or [{key: row[key] for key in ("work_h", "speedup") if key in row}]
    return {**own, "epochs": [_epoch(one) for one in epochs]}


def _epoch(epoch: Any) -> Any:
    if not isinstance(epoch, dict) or "speedup" not in epoch:
        return epoch
    speedup = epoch["speedup"]
    if hasattr(speedup, "__float__"):
        speedup = {"model": "power", "exponent": speedup}
    elif isinstance(speedup, dict) and speedup and all(hasattr(k, "__float__") for k in speedup):
        points = [{"gpus": gpus, "speed": speed} for gpus, speed in sorted(speedup.items())]
        speedup = {"model": "table", "points": points}
    return {**epoch, "speedup": speedup}
