"""Jobs of a `fleet`: drawn from the rates and the mean work of the types of a `rental` instance.

Only `random.Random.random` is used, so a seed names the same jobs everywhere. Types, sizes and
arrivals have streams of their own: another law of arrivals brings the same jobs at other times.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate
from math import ceil, cos, exp, log, pi, sqrt
from random import Random
from typing import Literal

from ..errors import InputError
from ..rental import JobType, RentalInstance
from . import FleetInstance, FleetJob

Arrivals = Literal["poisson", "bursty", "even"]
Sizes = Literal["exponential", "fixed", "pareto", "lognormal"]

TAIL = 1.5
"""Exponent of the Pareto law: of finite mean and infinite variance."""
SPREAD = 1.5
"""Standard deviation of the logarithm under the lognormal law; the variance is 8.5."""

BURST_PACE, BURST_SHARE, BURST_JOBS = 5.0, 0.1, 50.0
"""Bursts: arrivals over the mean rate, part of all time, jobs of one on average.

A Markov-modulated Poisson process of two states with the mean rate of the Poisson process: the
variance of the number of arrivals in a long time is 33 times as large.
"""


@dataclass(frozen=True, slots=True)
class DrawnJobs:
    """Jobs in order of arrival; a job's place in the lists is its number."""

    kind: list[int]
    """Its type, by number."""
    at: list[int]
    """The tick at which it arrives."""
    work: list[tuple[int, ...]]
    """Ticks that each of its epochs takes on one GPU; at least 1."""


def draw(
    types: Sequence[JobType],
    jobs: int,
    seed: int,
    *,
    arrivals: Arrivals = "poisson",
    sizes: Sizes = "exponential",
    tick_s: Decimal,
    times: Sequence[int] | None = None,
) -> DrawnJobs:
    """Draw the first jobs to arrive, their types in proportion to the rates.

    A job's size is one random factor of mean 1 times the mean work of each of its epochs. `times`
    are ticks of arrival to be used in place of drawn ones.
    """
    rng = [Random(f"{what} {seed}") for what in ("types", "sizes", "arrivals")]
    rates = list(accumulate(float(one.rate_per_h) for one in types))
    ticks_of_h = 3600 / float(tick_s)
    last = len(types) - 1
    kind = [min(last, bisect_right(rates, rng[0].random() * rates[-1])) for _ in range(jobs)]
    means = [tuple(float(epoch.work_h) * ticks_of_h for epoch in one.epochs) for one in types]
    factors = _factors(sizes, jobs, rng[1])
    return DrawnJobs(
        kind=kind,
        at=_given(times, jobs)
        if times is not None
        else _drawn(arrivals, jobs, rng[2], ticks_of_h / rates[-1]),
        work=[
            tuple([max(1, round(factor * mean)) for mean in means[i]])
            for i, factor in zip(kind, factors, strict=True)
        ],
    )


def _given(times: Sequence[int], jobs: int) -> list[int]:
    if len(times) < jobs:
        raise InputError.of(
            "draw", "times", len(times), f"at least {jobs}, one for each job", "draw fewer jobs"
        )
    return sorted(times)[:jobs]


def _drawn(law: Arrivals, jobs: int, rng: Random, gap: float) -> list[int]:
    """Draw arrivals, which are `gap` ticks apart on average."""
    if law == "even":
        return [int(i * gap) for i in range(jobs)]
    random = rng.random
    if law == "poisson":
        return [int(now) for now in accumulate(-log(1 - random()) * gap for _ in range(jobs))]
    return [int(now) for now in _bursts(jobs, random, gap)]


def _bursts(jobs: int, random: Callable[[], float], gap: float) -> list[float]:
    """Draw arrivals whose rate jumps up for a burst, and down again, after exponential times."""
    calm_pace = (1 - BURST_SHARE * BURST_PACE) / (1 - BURST_SHARE)
    burst = BURST_JOBS / BURST_PACE * gap
    calm = burst * (1 - BURST_SHARE) / BURST_SHARE
    states = ((gap / calm_pace, calm), (gap / BURST_PACE, burst))
    bursting = random() < BURST_SHARE
    found: list[float] = []
    now = until = 0.0
    while len(found) < jobs:
        step, stay = states[bursting]
        until -= log(1 - random()) * stay
        now -= log(1 - random()) * step
        while now < until and len(found) < jobs:
            found.append(now)
            now -= log(1 - random()) * step
        now, bursting = until, not bursting  # Forgetful: the next arrival is drawn anew.
    return found


def _factors(law: Sizes, jobs: int, rng: Random) -> list[float]:
    """Draw sizes of mean 1."""
    random = rng.random
    if law == "fixed":
        return [1.0] * jobs
    if law == "exponential":
        return [-log(1 - random()) for _ in range(jobs)]
    if law == "pareto":
        least, power = (TAIL - 1) / TAIL, -1 / TAIL
        return [least * (1 - random()) ** power for _ in range(jobs)]
    middle, turn = -SPREAD * SPREAD / 2, 2 * pi  # The logarithm's mean, that the size's be 1.
    return [
        exp(middle + SPREAD * sqrt(-2 * log(1 - random())) * cos(turn * random()))
        for _ in range(jobs)
    ]


def fleet_of(
    rental: RentalInstance,
    drawn: DrawnJobs,
    *,
    name: str | None = None,
    span_s: Decimal | None = None,
    budget_gpus: Decimal | None = None,
    rescale_s: Decimal | None = None,
    provision_s: Decimal = Decimal(0),
    node_gpus: int | None = None,
    billing_s: Decimal | None = None,
    tick_s: Decimal = Decimal(1),
) -> FleetInstance:
    """Return a fleet of drawn jobs; what is not given is as in the rental instance.

    The span, if not given, is the time in which as many jobs arrive on average, or that in which
    these arrive, if it is longer.
    """
    ticks = ceil(len(drawn.at) / sum(rental.rates) * 3600 / Fraction(tick_s))
    digits = len(str(len(drawn.at) - 1))
    return FleetInstance(
        name=name or rental.name,
        types=rental.types,
        jobs=tuple(
            FleetJob(
                name=f"j{i:0{digits}}",
                type=rental.types[kind].name,
                arrival_s=at * tick_s,
                work_s=tuple([ticks * tick_s for ticks in work]),
            )
            for i, (kind, at, work) in enumerate(zip(drawn.kind, drawn.at, drawn.work, strict=True))
        ),
        span_s=max(ticks, drawn.at[-1] + 1) * tick_s if span_s is None else span_s,
        budget_gpus=rental.budget_gpus if budget_gpus is None else budget_gpus,
        price_per_gpu_h=rental.price_per_gpu_h,
        widths=rental.widths,
        rescale_s=rental.rescale_s if rescale_s is None else rescale_s,
        provision_s=provision_s,
        node_gpus=node_gpus,
        billing_s=billing_s,
        tick_s=tick_s,
    )
