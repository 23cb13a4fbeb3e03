"""The `rental` family: streams of jobs, and GPUs rented for them under a budget (BOA).

Jobs of each type arrive at some rate. Each has some work in successive epochs, and is faster on
more GPUs. The budget holds on average over time only, so no job needs to wait.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Literal

from ..building import Number, Rows, built, rows_of
from ..errors import Problem
from ..reading.vocabulary import (
    Amount,
    AnySchedule,
    Count,
    Fraction01,
    Instance,
    Label,
    Later,
    NonEmpty,
    Positive,
    Whole,
    repeats,
)
from ..speedup import MostGpus, SpeedTable, Speedup

Widths = Literal["any", "whole"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Epoch:
    """A segment of a job's work whose end is observable, with its own speed-up."""

    work_h: Annotated[Positive, "mean hours on one GPU"]
    speedup: Annotated[Speedup, "speed-up on more GPUs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobType:
    """Jobs of one type, which arrive repeatedly."""

    name: Annotated[Label, "unique name"]
    rate_per_h: Annotated[Positive, "mean number of arrivals in an hour (lambda_i)"]
    weight: Annotated[Positive, "weight of an hour of its jobs in the objective (w_i)"] = Decimal(1)
    asks: Annotated[Count, "GPUs that its users request"] = 1
    deadline_h: Annotated[
        Positive | None,
        Later(),
        "hours from arrival to the due time, or null for no due time. Late jobs are counted",
    ] = None
    epochs: Annotated[tuple[Epoch, ...], NonEmpty(), "its epochs, in order"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RentalInstance(Instance):
    """Types of jobs and a budget. The objective is the long-run mean completion time.

    On k >= 1 GPUs an epoch of mean work x takes x / s(k) hours and k x / s(k) GPU-hours. A job
    whose GPUs change pauses for ``rescale_s``, and pays for the new ones.

    * The points of a table have increasing numbers of GPUs, and the first is 1 GPU with speed-up 1.
      A table may fall, and it need not be concave.
    * Shares and parts add up to exactly 1.
    """

    kind: Annotated[Literal["rental"], "the problem family"] = "rental"
    types: Annotated[tuple[JobType, ...], NonEmpty(), "types of jobs that arrive"]
    budget_gpus: Annotated[Positive, "GPUs that may be paid for, on average over time (b)"]
    price_per_gpu_h: Annotated[Positive, "price of a GPU for one hour"] = Decimal(1)
    widths: Annotated[
        Widths,
        "any: a job may hold fractional numbers of GPUs from 1 on, whole: whole numbers only",
    ] = "any"
    rescale_s: Annotated[Amount, "pause of a job when its number of GPUs changes"] = Decimal(0)

    @property
    def rates(self) -> tuple[Fraction, ...]:
        """Arrivals per hour, by type."""
        return tuple(Fraction(one.rate_per_h) for one in self.types)

    @property
    def loads(self) -> tuple[tuple[Fraction, ...], ...]:
        """Busy GPUs if every job has one (rho), by type and epoch."""
        return tuple(
            tuple(Fraction(one.rate_per_h) * Fraction(epoch.work_h) for epoch in one.epochs)
            for one in self.types
        )

    def problems(self) -> Iterator[Problem]:
        """Yield every problem that involves several fields."""
        yield from type_problems(self.types)


def type_problems(types: Sequence[JobType]) -> Iterator[Problem]:
    """Yield the problems of types of jobs."""
    yield from repeats("types", [one.name for one in types])
    for i, one in enumerate(types):
        for e, epoch in enumerate(one.epochs):
            if isinstance(epoch.speedup, SpeedTable):
                yield from epoch.speedup.problems(f"types[{i}].epochs[{e}].speedup")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Work of a job on the same number of GPUs."""

    epoch: Annotated[Whole, "number of the epoch, from 0"] = 0
    gpus: Annotated[MostGpus, "number of GPUs"]
    part: Annotated[Fraction01, "share of the epoch's work"] = Decimal(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Widths of a random part of a type's jobs, from the first to the last of their work."""

    share: Annotated[Fraction01, "share of the type's jobs"] = Decimal(1)
    stretches: Annotated[
        tuple[Stretch, ...],
        NonEmpty(),
        "stretches in order of epochs, in which the parts of each epoch add up to 1",
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class TypePlan:
    """Widths of the jobs of a type."""

    type: Annotated[Label, "name of the type"]
    choices: Annotated[tuple[Choice, ...], NonEmpty(), "choices whose shares add up to 1"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RentalPlan(AnySchedule):
    """Widths for all types, with the claimed mean completion time and spend."""

    kind: Annotated[Literal["rental-schedule"], "the kind of file"] = "rental-schedule"
    mean_jct_h: Annotated[Decimal | None, "claimed mean completion time, weighted"] = None
    mean_gpus: Annotated[Decimal | None, "claimed GPUs paid for, on average over time"] = None
    types: Annotated[tuple[TypePlan, ...], "one entry per type"]


def rental(
    types: Rows, *, budget_gpus: Number, name: str = "rental", **more: Any
) -> RentalInstance:
    """Return an instance of streams of jobs, and GPUs rented for them.

    Args:
        types: At least `rate_per_h`, `work_h` and `speedup`. With several `epochs`, each has the
        last
            two. A speed-up is one of the format; or a number, the exponent of a power law; or a
            table such as ``{1: 1, 2: 1.8, 4: 3}`` of speeds by GPUs.
        budget_gpus: GPUs that may be paid for, on average over time.
        name: Name of the instance.
        **more: Other fields of the format: `widths`, `rescale_s`, `price_per_gpu_h`, ..

    Raises:
        InputError: With all problems, as for a file.
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
