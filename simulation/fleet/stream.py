"""A path of jobs as arrays, and the terms on which GPUs are rented for them."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...instances import FleetInstance, JobType
from ...instances.fleet.mix import DrawnJobs
from ..model import Ints

MILLI = 1000
"""Widths are counted in thousandths of a GPU."""


class Terms(NamedTuple):
    """What holds for all jobs and leases; times are in ticks, GPUs in thousandths."""

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
