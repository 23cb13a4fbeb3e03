"""What the jobs of a trace ask for at least, in whole numbers: the data of bounds and programs."""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import gcd
from typing import NamedTuple

from ...instances import TraceInstance, TraceJob
from ...instances.errors import InputError
from ...instances.regions import may_run

UNITS = 10**6
"""Work of a tick at full speed."""


class Mode(NamedTuple):
    """A way to run: a number of GPUs, whole or half of each."""

    gpus: int
    halves: int
    """Half GPUs that it takes: twice its GPUs, or as many where it shares them."""
    rate: int
    """Work of a tick in its best place, no other job around."""


class Demand(NamedTuple):
    """A job, with all times in ticks."""

    release: int
    work: int
    """Raised to the next number that whole ticks at best rates can add up to."""
    modes: tuple[Mode, ...]
    rate: int
    """The best of its rates."""
    area: int
    """Half GPUs times ticks that its work takes at least, as whole ticks allow."""
    size: int
    """The same as if there were parts of ticks, rounded down."""

    @property
    def ticks(self) -> int:
        """The least ticks that it runs."""
        return -(-self.work // self.rate)


@lru_cache(maxsize=4)
def demands(instance: TraceInstance) -> tuple[Demand, ...]:
    """Return the demands of all jobs, in their order.

    Any mixture of modes is allowed for, one for each tick; only whole ticks are held.
    """
    return tuple(_demands(instance))


def _demands(instance: TraceInstance) -> Iterator[Demand]:
    known: dict[tuple[object, ...], tuple[Mode, ...]] = {}
    for job in instance.jobs:
        key = job.gpus, job.communication, job.packed_speed, job.speeds, job.allowed_regions
        if key not in known:
            known[key] = tuple(_modes(instance, job))
        modes = known[key]
        step = gcd(*(mode.rate for mode in modes))
        work = -(-UNITS * ticks(instance, job.duration_s) // step) * step
        price = min(Fraction(mode.halves, mode.rate) for mode in modes)
        cost, each = work * price.numerator, price.denominator
        part = gcd(*(mode.halves for mode in modes))
        yield Demand(
            release=ticks(instance, job.arrival_s),
            work=work,
            modes=modes,
            rate=max(mode.rate for mode in modes),
            area=-(-cost // (each * part)) * part,
            size=cost // each,
        )


def _modes(instance: TraceInstance, job: TraceJob) -> Iterator[Mode]:
    """Yield all ways to run a job, each at its best.

    Contention never speeds a job up, and a job that fits into one server is fastest there. A
    server takes at most its GPUs twice over as halves.

    Raises:
        InputError: If the job may run on no server.
    """
    largest = max((s.gpus for s in instance.servers if may_run(job, s)), default=0)
    if not largest:
        expected, advice = "a region that has servers", "correct the job or the servers"
        place = f"jobs.{job.name}.allowed_regions"
        raise InputError.of(instance.name, place, job.allowed_regions, expected, advice)
    across = 1 + Fraction(job.communication)
    speeds = {width.gpus: Fraction(width.speed) for width in job.speeds} | {job.gpus: Fraction(1)}
    packed = None if job.packed_speed is None else Fraction(job.packed_speed)
    for gpus, speed in speeds.items():
        yield Mode(gpus, 2 * gpus, _rate(speed if gpus <= largest else speed / across))
        if packed is not None:
            half = speed * packed
            yield Mode(gpus, gpus, _rate(half if gpus <= 2 * largest else half / across))


def _rate(speed: Fraction) -> int:
    return max(1, round(UNITS * speed))


def ticks(instance: TraceInstance, seconds: Decimal) -> int:
    """Return a time as a number of ticks; the quotient is whole, and has few digits."""
    return int(seconds / instance.tick_s)


def serial_horizon(instance: TraceInstance) -> int:
    """Return the tick by which all jobs have ended one after another at their slowest."""
    jobs = demands(instance)
    slowest = sum(-(-job.work // min(mode.rate for mode in job.modes)) for job in jobs)
    return max(job.release for job in jobs) + slowest
