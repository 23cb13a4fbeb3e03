"""Jobs of a `fleet`: random jobs with the rates and mean work of a `rental` instance's types.

Only `random.Random.random` is used, so a seed names the same jobs everywhere. Types, sizes and
arrivals have separate streams: another law of arrivals gives the same jobs at other times.
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
"""Exponent of the Pareto law, with finite mean and infinite variance."""
SPREAD = 1.5
"""Standard deviation of the logarithm under the lognormal law. The variance is 8.5."""

BURST_PACE, BURST_SHARE, BURST_JOBS = 5.0, 0.1, 50.0
"""Bursts: arrival rate over the mean rate, fraction of time, mean number of jobs in a burst.

A Markov-modulated Poisson process of two states with the mean rate of the Poisson process. The
variance of the number of arrivals in a long time is 33 times as large.
"""


@dataclass(frozen=True, slots=True)
class DrawnJobs:
    """Jobs in order of arrival. A job's index in the lists is its number."""

    kind: list[int]
    """Index of its type."""
    at: list[int]
    """Tick of its arrival."""
    work: list[tuple[int, ...]]
    """Ticks of each of its epochs on one GPU, at least 1."""


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
    """Draw the first jobs to arrive, with types in proportion to the rates.

    A job's size is one random factor of mean 1 times the mean work of each of its epochs. `times`
    are arrival ticks to use instead of random ones.
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
    """Draw arrivals with a mean distance of `gap` ticks."""
    if law == "even":
        return [int(i * gap) for i in range(jobs)]
    random = rng.random
    if law == "poisson":
        return [int(now) for now in accumulate(-log(1 - random()) * gap for _ in range(jobs))]
    return [int(now) for now in _bursts(jobs, random, gap)]


def _bursts(jobs: int, random: Callable[[], float], gap: float) -> list[float]:
    """Draw arrivals whose rate rises for a burst and falls after exponential times."""
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
        now, bursting = until, not bursting  # Memoryless: the next arrival is redrawn.
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
    middle, turn = (
        -SPREAD * SPREAD / 2,
        2 * pi,
    )  # For sizes with mean 1.
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
    """Return a fleet of random jobs. Other data are taken from the rental instance.

    By default, the span is the mean time of these many arrivals, or the time of these arrivals if
    that
    is longer.
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
