"""What the jobs of a `trace` need at least, however they run, in ticks and half GPUs."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

from .....instances.regions import may_run
from .....instances.trace.instance import TraceInstance, TraceJob

FULL = 10**6
"""Work of a tick at full speed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What a job needs at least, however it runs."""

    arrival: int
    work: int
    rate: int
    """Of the work, the most that it does in a tick."""
    whole: int
    """Half GPUs times ticks that it holds, in whole ticks."""
    area: Fraction
    """The same if there were parts of ticks."""
    home: tuple[int, ...]
    """GPUs of the servers that it may use, 0 for the others."""

    @property
    def alone(self) -> int:
        """The tick before which it cannot have ended."""
        return self.arrival + -(-self.work // self.rate)


def needs_of(instance: TraceInstance) -> list[Need]:
    """Return what each job needs."""
    homes: dict[object, tuple[int, ...]] = {}
    modes: dict[object, list[tuple[int, int]]] = {}
    found = []
    for job in instance.jobs:
        allowed = job.allowed_regions
        if allowed not in homes:
            homes[allowed] = tuple(s.gpus if may_run(job, s) else 0 for s in instance.servers)
        key = allowed, job.gpus, job.communication, job.packed_speed, job.speeds
        if key not in modes:
            modes[key] = list(_modes(job, max(homes[allowed])))
        found.append(_need(instance, job, modes[key], homes[allowed]))
    return found


def _modes(job: TraceJob, largest: int) -> Iterator[tuple[int, int]]:
    """Yield half GPUs and work of a tick for each way to run, in its best place."""
    widths = [(job.gpus, Fraction(1)), *((w.gpus, Fraction(w.speed)) for w in job.speeds)]
    shares = [(2, Fraction(1))]
    if job.packed_speed is not None:
        shares.append((1, Fraction(job.packed_speed)))
    for gpus, speed in widths:
        for halves, slower in shares:
            rate = speed * slower
            if gpus * halves > 2 * largest:
                rate /= 1 + Fraction(job.communication)
            yield gpus * halves, max(1, round(FULL * rate))


def _need(
    instance: TraceInstance, job: TraceJob, modes: list[tuple[int, int]], home: tuple[int, ...]
) -> Need:
    tick = Fraction(instance.tick_s)
    arrival, work = int(Fraction(job.arrival_s) / tick), int(FULL * Fraction(job.duration_s) / tick)
    # Whole ticks do multiples of what divides all rates, and hold multiples of the same kind.
    grain = gcd(*(rate for _, rate in modes))
    work += -work % grain
    fastest = max(rate for _, rate in modes)
    area = work * min(Fraction(halves, rate) for halves, rate in modes)
    whole = -(-area.numerator // area.denominator)
    return Need(
        arrival=arrival,
        work=work,
        rate=fastest,
        whole=whole + -whole % gcd(*(halves for halves, _ in modes)),
        area=area,
        home=home,
    )
