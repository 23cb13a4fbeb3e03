"""The least needs of jobs of traces: time, work, and GPUs times time, in ticks and half GPUs."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from math import ceil, gcd
from operator import mul
from typing import NamedTuple

from .....instances.trace import (
    WORK,
    TraceInstance,
    TraceJob,
    named_types,
    phases_of,
    speed_on,
    work_left,
)

Modes = tuple[tuple[int, int, int], ...]
"""Half GPUs, their work per tick, and the number of their kind, for each mode of running."""


class Need(NamedTuple):
    """The minimum needs of a job over all runs."""

    arrival: int
    work: int
    whole: int
    """Half GPUs times ticks that it holds, in whole ticks, or units of priced half GPUs."""
    area: int
    """The same if there were parts of ticks, rounded down."""
    home: tuple[int, ...]
    """GPUs of the allowed servers, 0 for the other servers."""
    modes: Modes
    """With phases, each mode has its best rate in any of them."""
    ticks: int
    """Ticks that it works, a whole number in each phase."""
    lag: Fraction
    """Ticks from the mean time of its work, weighed by the area that it takes, to its end."""

    @property
    def alone(self) -> int:
        """The tick before which it cannot have ended."""
        return self.arrival + self.ticks


Needs = Sequence[Need]


def modes_of(instance: TraceInstance, job: TraceJob, home: Sequence[int]) -> Modes:
    """Return the modes of running, each in its best place.

    The GPUs of a mode are of one kind, which has that many.
    """
    found, packed = [], job.packed_speed
    for kind, gpu in enumerate(instance.kinds):
        own = [
            room for server, room in zip(instance.servers, home, strict=True) if server.gpu == gpu
        ]
        for width in {job.gpus, *(entry.gpus for entry in job.speeds)}:
            given = speed_on(job, width, gpu)
            if given is None:
                continue
            modes = [(2 * width, Fraction(given))]
            modes += [] if packed is None else [(width, Fraction(given) * Fraction(packed))]
            for halves, rate in modes:
                across = 1 + Fraction(job.communication) if halves > 2 * max(own) else Fraction(1)
                if halves <= 2 * sum(own):
                    found.append((halves, max(1, round(WORK * rate / across)), kind))
    return tuple(found)


def needs_of(instance: TraceInstance, prices: Sequence[int] | None = None) -> list[Need]:
    """Return the needs of each job. Half a GPU of a kind counts for its price, 1 by default."""
    tick, units = Fraction(instance.tick_s), prices or [1] * len(instance.kinds)

    @cache
    def home_of(allowed: tuple[str, ...] | None) -> tuple[int, ...]:
        open_to = (allowed is None or server.region in allowed for server in instance.servers)
        return tuple(s.gpus if own else 0 for s, own in zip(instance.servers, open_to, strict=True))

    known: dict[object, Modes] = {}
    found, types = [], named_types(instance)
    for job in instance.jobs:
        home, left, parts = home_of(job.allowed_regions), work_left(job, instance.tick_s), []
        total = left
        for phase in phases_of(types, job, instance.tick_s):
            shape = job.gpus, job.gpu, phase.job.speeds
            key = *shape, job.communication, job.packed_speed, job.allowed_regions
            if key not in known:
                known[key] = modes_of(instance, phase.job, home)
            parts.append(_part(left - phase.left, known[key], units))
            left = phase.left
        # All phases have the same modes, in the same order.
        best = tuple(max(same) for same in zip(*(part.modes for part in parts), strict=True))
        found.append(
            Need(
                arrival=int(Fraction(job.arrival_s) / tick),
                work=_multiple(total, best),
                whole=sum(part.whole for part in parts),
                area=int(sum(part.area for part in parts)),
                home=home,
                modes=best,
                ticks=sum(part.ticks for part in parts),
                lag=_lag(parts),
            )
        )
    return found


class _Part(NamedTuple):
    """The least needs of a job in a phase, as those of a `Need`. Its `area` is not rounded."""

    modes: Modes
    ticks: int
    time: Fraction
    """The ticks that it works, if there were parts of ticks."""
    whole: int
    area: Fraction


def _multiple(work: int, modes: Modes) -> int:
    """Return the next multiple of what divides all rates: whole ticks do such amounts of work."""
    return work + -work % gcd(*(rate for _, rate, _ in modes))


def _part(work: int, modes: Modes, units: Sequence[int]) -> _Part:
    """Return the needs in a phase. Whole ticks hold multiples of what divides all areas."""
    work = _multiple(work, modes)
    area = work * min(Fraction(halves * units[kind], rate) for halves, rate, kind in modes)
    whole = ceil(area) + -ceil(area) % (gcd(*(h * units[kind] for h, _, kind in modes)) or 1)
    time = Fraction(work, max(rate for _, rate, _ in modes))
    return _Part(modes, ceil(time), time, whole, area)


def _lag(parts: Sequence[_Part]) -> Fraction:
    """Return the ticks from the mean time of the work of phases to the end.

    If no phase comes earlier than it must, half of a phase and all later phases follow the mean
    time of its work. Phases count by their areas, or by their times if these are 0.
    """
    weights = [part.area for part in parts]
    if not any(weights):
        weights = [part.time for part in parts]
    after = [sum(later.ticks for later in parts[k + 1 :]) for k in range(len(parts))]
    lags = (end + part.time / 2 for part, end in zip(parts, after, strict=True))
    return sum(map(mul, weights, lags), Fraction(0)) / sum(weights)
