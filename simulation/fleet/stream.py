"""A path of jobs, the terms on which GPUs are rented for them, and a plan of widths, as arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...instances import FleetInstance, JobType, PowerLaw, RentalPlan, Speedup, TypePlan
from ...instances.fleet import MOST_TICKS
from ...instances.fleet.mix import DrawnJobs
from ...instances.speedup import speed_at
from ..model import Floats, Ints

MILLI = 1000
"""Widths are counted in thousandths of a GPU."""


class Terms(NamedTuple):
    """The terms of all jobs and leases, with times in ticks and GPUs in thousandths."""

    rescale: int = 0
    provision: int = 0
    unit: int = 1
    """Leases are multiples of it."""
    billing: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class JobStream:
    """Jobs in order of arrival: type, tick of arrival, ticks of work on one GPU by epoch."""

    types: tuple[JobType, ...]
    kind: NDArray[np.int64]
    at: Ints
    work: Ints
    tick_s: Decimal
    terms: Terms
    whole: bool

    @property
    def epochs(self) -> Ints:
        """The number of epochs, by type."""
        return np.array([len(one.epochs) for one in self.types], np.int64)

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weight of each job."""
        return np.array([float(one.weight) for one in self.types])[self.kind]


def stream_of(instance: FleetInstance) -> tuple[JobStream, Ints]:
    """Return the jobs of an instance by arrival, and the places they have in it."""
    tick = Fraction(instance.tick_s)

    def ticks(seconds: Decimal | None) -> int:
        return 0 if seconds is None else int(Fraction(seconds) / tick)

    terms = Terms(
        rescale=ticks(instance.rescale_s),
        provision=ticks(instance.provision_s),
        unit=MILLI * instance.node_gpus if instance.node_gpus else 1,
        billing=ticks(instance.billing_s) or 1,
    )
    number = {one.name: i for i, one in enumerate(instance.types)}
    at = np.array([ticks(job.arrival_s) for job in instance.jobs], np.int64)
    order = np.argsort(at, kind="stable")
    kinds = np.array([number[job.type] for job in instance.jobs], np.int64)
    work = _table(instance.types, [[ticks(part) for part in job.work_s] for job in instance.jobs])
    stream = JobStream(
        types=instance.types,
        kind=kinds[order],
        at=at[order],
        work=work[order],
        tick_s=instance.tick_s,
        terms=terms,
        whole=instance.widths == "whole",
    )
    return stream, order


def stream_from(
    types: Sequence[JobType], drawn: DrawnJobs, tick_s: Decimal, terms: Terms, *, whole: bool
) -> JobStream:
    """Return drawn jobs as a stream."""
    return JobStream(
        types=tuple(types),
        kind=np.array(drawn.kind, np.int64),
        at=np.array(drawn.at, np.int64),
        work=_table(types, drawn.work),
        tick_s=tick_s,
        terms=terms,
        whole=whole,
    )


def _table(types: Sequence[JobType], rows: Sequence[Sequence[int]]) -> Ints:
    """Return the work of jobs by epoch, 0 behind the last."""
    most = max(len(one.epochs) for one in types)
    if all(len(row) == most for row in rows):
        return np.array(rows, np.int64).reshape(len(rows), most)
    return np.array([[*row, *[0] * (most - len(row))] for row in rows], np.int64)


UNITS = 10**6
"""Units of work that one GPU does in a tick."""


@lru_cache(maxsize=1_000_000)
def rate(speedup: Speedup, milli: int) -> int:
    """Return the work done in a tick on so many thousandths of a GPU, at least 1.

    No epoch has more work than the most that is returned, which fits 64 bits.
    """
    found = _power(speedup, milli) if isinstance(speedup, PowerLaw) else None
    if found is None:
        found = round(UNITS * speed_at(speedup, Decimal(milli) / 1000))
    return min(max(1, found), MOST_TICKS * UNITS)


SLACK = 1e-12
"""Far more than the part by which powers in floating point are wrong."""


def _power(speedup: PowerLaw, milli: int) -> int | None:
    """Return the rounded power from floating point, or None if it does not decide."""
    near = UNITS * (milli / 1000) ** float(speedup.exponent)
    least, most = floor(near * (1 - SLACK) + 0.5), floor(near * (1 + SLACK) + 0.5)
    return least if least == most else None


class Standing(NamedTuple):
    """By type and choice: how many jobs get it, and the stages of their work."""

    shares: Floats
    """Parts of jobs that get this choice or one before it."""
    stages: Ints
    """Number of stages, the third axis of the arrays below."""
    epoch: Ints
    milli: Ints
    rate: Ints
    left: Floats
    """The part of the epoch's work that is left after the stage."""


def standing_of(stream: JobStream, plan: RentalPlan) -> Standing:
    """Return a plan as arrays, its widths rounded down to thousandths of a GPU.

    There is room for at least two choices, because a revised plan may need as many as the first.
    Unused choices equal the last.
    """
    named = {one.type: one for one in plan.types}
    plans = [named[one.name] for one in stream.types]
    choices = max(2, *(len(one.choices) for one in plans))
    most = max(len(choice.stretches) for one in plans for choice in one.choices)
    shape = (len(plans), choices, most)
    standing = Standing(
        shares=np.ones(shape[:2]),
        stages=np.ones(shape[:2], np.int64),
        epoch=np.zeros(shape, np.int64),
        milli=np.ones(shape, np.int64),
        rate=np.ones(shape, np.int64),
        left=np.zeros(shape),
    )
    for number, one in enumerate(plans):
        _fill(standing, stream, number, one)
    return standing


def _fill(standing: Standing, stream: JobStream, number: int, plan: TypePlan) -> None:
    """Write the plan of a type."""
    epochs = stream.types[number].epochs
    shares = np.cumsum([float(choice.share) for choice in plan.choices])
    standing.shares[number, : len(shares) - 1] = shares[:-1]
    spare = standing.shares.shape[1] - len(plan.choices)
    for c, choice in enumerate([*plan.choices, *[plan.choices[-1]] * spare]):
        standing.stages[number, c] = len(choice.stretches)
        done = [0.0] * len(epochs)
        for s, stretch in enumerate(choice.stretches):
            place, milli = (number, c, s), int(stretch.gpus * MILLI)
            done[stretch.epoch] += float(stretch.part)
            standing.epoch[place] = stretch.epoch
            standing.milli[place] = milli
            standing.rate[place] = rate(epochs[stretch.epoch].speedup, milli)
            last = s + 1 == len(choice.stretches) or choice.stretches[s + 1].epoch > stretch.epoch
            standing.left[place] = 0.0 if last else max(0.0, 1 - done[stretch.epoch])
