"""Certified lower bounds on the mean completion time, by counting in whole numbers.

All compare a schedule with a fluid one: one machine that is as fast as all GPUs together, which
jobs may share in any fractions. A job of area a uses a of its capacity, for any width.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ...formulations.trace.demand import Demand, Mode, demands, priced
from ...instances import NO_LIMITS, Bound, BoundKind, Limits, TraceInstance
from ...instances.certificate import searched_steps
from ...instances.regions import reach_of
from ...instances.trace import rooms_by_kind
from ..one_machine import ends_by_least_left, smallest_first

PARTS = 2**40
"""Parts of a tick that means are counted in, rounded down."""

DEAREST = 10**6
"""The units of the dearest half GPU, if kinds of GPUs have prices."""

Prices = tuple[int, ...]
"""Units of half a GPU of each kind. Empty: 1 of all kinds."""

Counted = Callable[[tuple[Demand, ...], int], int]
"""A bound in ticks from demands and the capacity of a tick, both in the same units."""


def combinatorial_bounds(instance: TraceInstance, limits: Limits = NO_LIMITS) -> list[Bound]:
    """Return the bounds by jobs alone and by one machine of all GPUs, best first.

    If there are several kinds of GPUs, each bound has the better of two prices of them.
    """
    jobs = demands(instance)
    releases = sum(job.release for job in jobs)
    alone = sum(job.release + job.ticks for job in jobs) - releases
    counting = BoundKind.COMBINATORIAL
    bounds = [bound_of(instance, counting, "each alone", alone, "every job alone at its fastest")]
    machine = f"machine as fast as {instance.gpus} GPUs"
    rules: list[tuple[str, Counted, str]] = [
        ("one machine", _one_machine, f"shortest remaining area first, on one {machine}"),
        ("end by end", _all_ends, f"k-th end: no earlier than alone, nor on one {machine}"),
        ("busy times", _busy_ticks, f"half a job follows its mean busy time, on a {machine}"),
    ]
    options = prices_of(instance, limits)
    for name, ends, argument in rules:
        ticks, prices = best_priced(instance, options, ends)
        argument += _priced_text(instance, prices)
        bounds.append(bound_of(instance, counting, name, ticks - releases, argument, prices))
    if not limits.over() and any(job.allowed_regions for job in instance.jobs):
        argument = "the better of end by end and busy times, separately for each set of regions"
        ticks = _apart(instance, jobs) - releases
        bounds.append(bound_of(instance, counting, "region by region", ticks, argument))
    return sorted(bounds, key=lambda bound: bound.value, reverse=True)


def makespan_bounds(instance: TraceInstance, limits: Limits = NO_LIMITS) -> list[Bound]:
    """Return the bound on the makespan: the last of `end by end`, from the first arrival on."""

    def last(jobs: tuple[Demand, ...], capacity: int) -> int:
        return end_by_end(jobs, capacity)[-1]

    ticks, prices = best_priced(instance, prices_of(instance, limits), last)
    ticks -= min(job.release for job in demands(instance))
    argument = (
        f"no job ends earlier than alone, nor all on one machine as fast as {instance.gpus} GPUs"
    )
    return [
        Bound(
            value=ticks * Fraction(instance.tick_s),
            kind=BoundKind.COMBINATORIAL,
            name="last end",
            argument=argument + _priced_text(instance, prices),
            proof=(step_of(instance, "last end", prices),),
        )
    ]


def prices_of(instance: TraceInstance, limits: Limits = NO_LIMITS) -> list[Prices]:
    """Return prices of the kinds of GPUs to try, 1 of all kinds first."""
    if len(instance.kinds) == 1 or limits.over():
        return [()]
    return [(), fluid_prices(instance)]


def best_priced(
    instance: TraceInstance, options: Sequence[Prices], ends: Counted
) -> tuple[int, Prices]:
    """Return the best bound at some prices, and the first prices that prove it."""
    jobs, found = demands(instance), []
    for prices in options:
        some = priced(jobs, prices) if prices else jobs
        found.append((ends(some, capacity(instance, prices)), prices))
    return max(found, key=lambda one: one[0])


def capacity(instance: TraceInstance, prices: Prices) -> int:
    """Return the units of all half GPUs."""
    if not prices:
        return 2 * instance.gpus
    return sum(half * price for half, price in zip(_halves(instance), prices, strict=True))


def _halves(instance: TraceInstance) -> list[int]:
    """Return the half GPUs of each kind."""
    return [2 * gpus for gpus in rooms_by_kind(instance.servers).values()]


@lru_cache(maxsize=4)
def fluid_prices(instance: TraceInstance) -> Prices:
    """Return whole prices of the kinds of GPUs, from duals of a linear program.

    It is the fluid program of the least makespan T, without arrivals: part y_jm of job j is done
    in mode m, sum_m y_jm >= 1, and of each kind sum_jm W_j h_m y_jm / v_m <= 2 G_k T. Jobs with
    equal modes are one job. Source: Lawler and Labetoulle 1978, here without a job's own time.
    """
    from ...formulations.covering import covering

    works: dict[tuple[Mode, ...], int] = {}
    for job in demands(instance):
        works[job.modes] = works.get(job.modes, 0) + job.work
    halves = _halves(instance)
    scale = max(1, sum(job.size for job in demands(instance)) / sum(halves))
    program = covering([1.0] * len(works), [0.0] * len(halves))
    kinds = range(len(works), len(works) + len(halves))
    program.add_column(1.0, kinds, [-1.0] * len(halves))
    for row, (modes, work) in enumerate(works.items()):
        for mode in modes:
            area = work * mode.halves / (mode.rate * halves[mode.kind] * scale)
            program.add_column(0.0, [row, kinds[mode.kind]], [1.0, area])
    duals = program.solve().duals[len(works) :]
    found = [max(0.0, -float(one)) / room for one, room in zip(duals, halves, strict=True)]
    return tuple(round(DEAREST * one / max(found)) for one in found)


def _priced_text(instance: TraceInstance, prices: Prices) -> str:
    if not prices:
        return ""
    pairs = zip(instance.kinds, prices, strict=True)
    shown = ", ".join(f"{kind} {price / DEAREST:.3g}" for kind, price in pairs)
    return f", a GPU counts by its kind: {shown}"


def _apart(instance: TraceInstance, jobs: tuple[Demand, ...]) -> int:
    """Return a bound on the sum of ends, separately for jobs with equal sets of servers."""
    sets, numbers = reach_of(instance.servers, instance.jobs)
    total = 0
    for number, own in enumerate(sets):
        some = tuple(job for job, reach in zip(jobs, numbers, strict=True) if reach == number)
        halves = 2 * sum(instance.servers[s].gpus for s in own)
        total += max(_all_ends(some, halves), _busy_ticks(some, halves))
    return total


def bound_of(
    instance: TraceInstance,
    kind: BoundKind,
    name: str,
    ticks: int,
    argument: str,
    prices: Prices = (),
) -> Bound:
    """Return a bound on the mean, from one on the sum of completion times in ticks."""
    value = mean_of(instance, ticks)
    proof: tuple[dict[str, Any], ...] | None = None
    if kind is BoundKind.COMBINATORIAL:  # The checker recomputes these by name.
        proof = (step_of(instance, name, prices),)
    elif kind is BoundKind.SEARCHED:
        proof = searched_steps("every tick", value)
    return Bound(value=value, kind=kind, name=name, argument=argument, proof=proof)


def step_of(instance: TraceInstance, rule: str, prices: Prices) -> dict[str, Any]:
    """Return a step of a certificate, with the prices of the kinds of GPUs if there are any."""
    priced_by = {"prices": dict(zip(instance.kinds, prices, strict=True))} if prices else {}
    return {"rule": rule, **priced_by}


def mean_of(instance: TraceInstance, ticks: int) -> Fraction:
    """Return the mean in seconds, from a sum in ticks."""
    return ticks * Fraction(instance.tick_s) / len(instance.jobs)


def end_by_end(jobs: tuple[Demand, ...], capacity: int) -> list[int]:
    """Return ticks before which not one, two, .. jobs can have ended."""
    alone = sorted(job.release + job.ticks for job in jobs)
    fluid = (-(-end // capacity) for end in _fluid_ends(jobs, capacity))
    return list(map(max, alone, fluid))


def _all_ends(jobs: tuple[Demand, ...], capacity: int) -> int:
    return sum(end_by_end(jobs, capacity))


def _one_machine(jobs: tuple[Demand, ...], capacity: int) -> int:
    return sum(-(-end // capacity) for end in _fluid_ends(jobs, capacity))


def _busy_ticks(jobs: tuple[Demand, ...], capacity: int) -> int:
    return -(-busy_times(jobs, capacity) // PARTS)


def _fluid_ends(jobs: tuple[Demand, ...], capacity: int) -> list[int]:
    """Return the ends on the fluid machine, in time units of rate 1."""
    return ends_by_least_left([(job.release * capacity, job.area) for job in jobs])


def busy_times(jobs: tuple[Demand, ...], capacity: int) -> int:
    """Return the least sum of mean busy times and half of the least times, in parts of a tick.

    Let M be the mean time at which a job's work is done. Its rate is at most `rate` per tick, so it
    ends at M + work / (2 rate) or later. In phases, work is weighed by the GPUs that it takes. On
    the fluid machine the sum of M is least if the smallest job always goes first, by its whole size
    and not by its remaining size.
    """
    total = sum(
        PARTS * job.work // (2 * job.rate) if job.lag is None else int(PARTS * job.lag)
        for job in jobs
    )
    total += sum(PARTS * job.release for job in jobs if not job.size)
    sized = [job for job in jobs if job.size]
    moments = [0] * len(sized)
    for i, start, end in smallest_first([(job.release * capacity, job.size) for job in sized]):
        moments[i] += end * end - start * start
    weighed = zip(moments, sized, strict=True)
    return total + sum(PARTS * moment // (2 * capacity * job.size) for moment, job in weighed)
