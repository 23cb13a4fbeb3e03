"""`ringyard.fleet`: jobs as they arrive, and GPUs leased for them, written in Python."""

from typing import Any

from ..building import Number, Rows, built, rows_of
from ..rental.built import stream
from .instance import FleetInstance


def fleet(
    types: Rows,
    jobs: Rows,
    *,
    budget_gpus: Number,
    span_s: Number,
    name: str = "fleet",
    **more: Any,
) -> FleetInstance:
    """Return an instance of jobs of some types, and GPUs leased for them under a budget.

    Args:
        types: As in `ringyard.rental`.
        jobs: At least `type` and `work_s`: seconds on one GPU, or a list of them, one for each
            epoch. They arrive at `arrival_s`, or at 0.
        budget_gpus: GPUs that may be paid for, on average over the span.
        span_s: The time that the budget is for.
        name: What the instance is called.
        **more: Other fields of the format: `widths`, `rescale_s`, `provision_s`, `tick_s`, ..

    Raises:
        InputError: With all problems, as of a file.
    """
    made: FleetInstance = built(
        "fleet",
        name=name,
        types=rows_of(types, "t", stream),
        jobs=rows_of(jobs, "j", _job),
        budget_gpus=budget_gpus,
        span_s=span_s,
        **more,
    )
    return made


def _job(row: Any) -> Any:
    if isinstance(row, dict) and hasattr(row.get("work_s"), "__float__"):
        return {**row, "work_s": [row["work_s"]]}
    return row
