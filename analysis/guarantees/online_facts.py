"""The numbers in theorems about online methods, with the imports that compute them.

Proofs: `docs/theory/pd-ors.md` and `docs/theory/oasis.md`. Everything is computed in floating
point, and factors are rounded up.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, inf, log
from typing import Any

import numpy as np

from ...instances import OnlineInstance
from ...policies.online.oasis import Options, grid_of, price_limits, split
from ...rounding.gain import GainFactor, Side, chernoff_gain, printed_gain
from ...rounding.program import Widths
from ...simulation.online import (
    ROUNDED,
    Floats,
    OnlineModel,
    corrected,
    flat_first,
    flat_growth,
    online_model,
    outlook,
    published,
    with_hosts,
)

DELTA = 0.1
"""The probability of failure with which the printed factor is stated here."""

SHARE, CHI = 0.2, 2.0
"""The usual options of `pd-ors-corrected`, for which its theorem is stated."""

FLAT_SHARE = 0.01
"""The usual share of `pd-ors-flat`."""

LOST = Fraction(1, 10**12)
"""Thousands of the last digits: more than a few operations in floating point can lose."""
LEAST_SURE = 1e-6
"""Minimum value of a job for theorems whose numbers are rounded to 1e-12."""

LEAST_VALUE = 1e-5
"""Minimum utility for the theorem on flat first prices, whose range has a margin of 1e-6."""

GAINS: dict[str, Callable[[Widths, float, Side], GainFactor]] = {
    "printed": printed_gain,
    "chernoff": chernoff_gain,
}


def largest_share(instance: OnlineInstance) -> tuple[float, str]:
    """Return the largest part of a machine that a job can take in a slot, and which job."""
    model = online_model(instance)
    servers = np.ceil(model.batch / model.ratio)
    demand = model.batch[:, None] * model.worker + servers[:, None] * model.server
    room = np.where(model.capacity > 0, model.capacity, np.inf).min(axis=0)
    parts = np.minimum(demand / room, 1.0).max(axis=1)
    return float(parts.max()), instance.jobs[int(parts.argmax())].name


def large_job(instance: OnlineInstance, _: Any, share: float = SHARE) -> str | None:
    """Name a job that can need a large share of a machine."""
    most, job = largest_share(instance)
    if most <= share:
        return None
    return f"job {job!r} can need {100 * most:.3g} % of a machine, more than {100 * share:g} %"


def several_resources(instance: OnlineInstance, _: Any) -> str | None:
    """Return a reason unless jobs take one resource, of machines that may hold all their parts."""
    model = online_model(instance)
    wanted = (model.worker + model.server > 0).any(axis=0)
    names = [repr(instance.resources[r]) for r in np.flatnonzero(wanted)]
    if not (model.works & model.serves).all():
        return "workers and servers have separate machines"
    return None if len(names) == 1 else f"jobs take {', '.join(names)}"


def several_slots(instance: OnlineInstance, _: Any) -> str | None:
    """Name a job that the limits on workers do not let complete in a slot."""
    known = outlook(instance, online_model(instance))
    for job, workers in zip(instance.jobs, known.worker_slots, strict=True):
        if workers > min(job.batch_samples, Options().quanta):
            return f"job {job.name!r} needs {workers:,.0f} workers for a slot"
    return None


def small_utility(instance: OnlineInstance, _: Any) -> str | None:
    """Return a reason if rounded utilities may be outside the range that prices are for."""
    least = outlook(instance, online_model(instance)).least.min()
    return None if LEAST_VALUE <= least < inf else f"a utility is {least:.3g}"


def flat_factor(instance: OnlineInstance) -> Fraction:
    """Return A on one machine in one slot, and A + 1 on several, with the flat first prices."""
    model = online_model(instance)
    tariff = flat_first(model, outlook(instance, model), 1.0, FLAT_SHARE)
    used = (model.worker > 0).any(axis=0)
    growth = flat_growth(float(np.log(tariff.high / tariff.low)[used][0]), FLAT_SHARE)
    places = int((model.capacity[:, used] > 0).sum()) * model.slots
    return rounded_up(growth if places == 1 else growth + 1)


def sure(instance: OnlineInstance) -> float:
    """Return the best utility of a single job on 1 or 2 machines."""
    return outlook(instance, online_model(instance)).sure


def hopeless(instance: OnlineInstance, _: Any) -> str | None:
    """Return a reason if no job can be completed on 1 or 2 machines."""
    worth = sure(instance)
    return None if worth >= LEAST_SURE else "no job can be completed on 1 or 2 machines"


def packing_gain(instance: OnlineInstance) -> GainFactor:
    """Return the printed gain that favours packing, for the narrowest job in an empty cluster."""
    return printed_gain(_widths(instance), DELTA, "packing")


def narrow(instance: OnlineInstance, _: Any) -> str | None:
    """Explain why the printed gain factor is not justified."""
    return packing_gain(instance).packing_unmet


def _widths(instance: OnlineInstance) -> Widths:
    """Return the widths of the slot program of the narrowest job, for one worker."""
    model = online_model(instance)
    machines, resources = model.capacity.shape
    width = min(_width(model, i) for i in range(model.batch.size))
    cover = float(min(1.0, 1.0 / model.ratio.max()))
    return Widths(cover=cover, packing=width, cover_rows=2, packing_rows=machines * resources + 1)


def _width(model: OnlineModel, i: int) -> float:
    """Return W_b, the smallest of the batch and a machine's capacity for workers or servers."""
    needs = np.maximum(model.worker[i], model.server[i])
    held = np.nextafter(model.capacity[:, needs > 0] / needs[needs > 0], 0)
    return float(min(model.batch[i], held[held > 0].min()))


def rounded_cost(instance: OnlineInstance, form: str, side: Side) -> Fraction:
    """Return the factor 3 G / delta of a rounded plan's cost over the relaxation's cost."""
    return rounded_up(GAINS[form](_widths(instance), DELTA, side).cost)


def printed_factor(instance: OnlineInstance) -> Fraction:
    """Return (6 G / delta) max(1, ln U/L) with the printed prices."""
    model = with_hosts(online_model(instance))
    tariff = published(model, outlook(instance, model), 1.0)
    ranges = (log(high) - log(low) for high, low in zip(tariff.high, tariff.low, strict=True))
    return rounded_up(6 * packing_gain(instance).factor / DELTA * max(1.0, float(max(ranges))))


def corrected_factor(instance: OnlineInstance) -> Fraction:
    """Return 2 chi alpha with the corrected prices, plus the rounding error of `sure`."""
    model = with_hosts(online_model(instance))
    known = outlook(instance, model)
    tariff = corrected(model, known, 1.0, SHARE, CHI)
    ratio = (tariff.high / tariff.low).max()
    alpha = (ratio ** (SHARE / (1 - SHARE)) - 1) / SHARE
    return rounded_up(
        2 * CHI * max(1.0, float(alpha)) / (1 - 2 * ROUNDED / max(known.sure, LEAST_SURE))
    )


def rounded_up(factor: float) -> Fraction:
    """Round up to thousandths, with a margin for earlier rounding."""
    return Fraction(ceil(Fraction(factor) * (1 + LOST) * 1000), 1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceFacts:
    """Facts about prices and the jobs that pay them."""

    log_range: float
    """The largest ln U/L."""
    stretch: float
    """Chi, the factor on all prices that makes every job without room too expensive."""
    growth: float
    """Alpha, the largest growth of prices relative to payments."""
    start: float
    """The cost of everything at the first prices as a share of the guaranteed utility."""

    @property
    def left(self) -> float:
        """The part of the optimum beyond everything at the first prices, stretched."""
        return 1.0 - self.stretch * self.start


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """Machines for workers or for servers, and their charges."""

    capacity: Floats
    demand: Floats
    most: Floats
    low: Floats
    high: Floats


def coarse_job(instance: OnlineInstance, _: Any) -> str | None:
    """Name the job whose work exceeds the limit of slots of single workers, with their number."""
    for job in instance.jobs:
        work = ceil(job.work / job.rate(False, instance.slot_s))
        if work > job.batch_samples * (instance.horizon_slots - job.arrival_slot):
            continue  # Nobody completes it.
        grid = grid_of(work, job.batch_samples, Options().quanta)
        if grid.quanta != work or grid.workers != [*range(len(grid.workers))]:
            return f"job {job.name!r} needs {work:,} slots"
    return None


@lru_cache(maxsize=4)
def price_facts(instance: OnlineInstance) -> PriceFacts:
    """Return the facts of an instance whose machines are apart."""
    model, worth = online_model(instance), sure(instance)
    sides = list(_sides(instance, model))
    logs = [np.log(side.high / side.low) for side in sides]
    bent = [_bent(side, log) for side, log in zip(sides, logs, strict=True)]
    first = model.slots * sum(float((side.capacity * side.low).sum()) for side in sides)
    return PriceFacts(
        log_range=max(float(log.max()) for log in logs),
        stretch=max(1.0, *(stretch for stretch, _ in bent)),
        growth=max(1.0, *(growth for _, growth in bent)),
        start=first / (worth - 2 * ROUNDED) if worth >= LEAST_SURE else inf,
    )


def _sides(instance: OnlineInstance, model: OnlineModel) -> Iterator[_Side]:
    works, serves = split(model, Options().split)
    servers = np.ceil(model.batch / model.ratio)
    for machines, demand, most in (
        (works, model.worker, model.batch.astype(float)),
        (serves, model.server, servers),
    ):
        low, high = price_limits(instance, model, machines, demand)
        yield _Side(model.capacity[machines], demand, most, low, high)


def _bent(side: _Side, log: Floats) -> tuple[float, float]:
    """Return chi and alpha of one side: the largest over jobs, machines and resources."""
    capacity, demand, most, logs = np.broadcast_arrays(
        side.capacity[None], side.demand[:, None], side.most[:, None, None], log
    )
    fits = (demand > 0) & (demand <= capacity)
    if not fits.any():
        return 1.0, 1.0
    part = demand[fits] / capacity[fits]
    most = np.minimum(most[fits], np.floor(capacity[fits] / demand[fits]))
    one, all_ = part * logs[fits], most * part * logs[fits]
    dear = np.maximum(np.exp(one), np.exp(all_) / most)
    return float(dear.max()), float((np.expm1(all_) / (most * part)).max())


def dear_prices(instance: OnlineInstance, _: Any) -> str | None:
    """Return a reason if the first prices are not below the optimum over chi."""
    facts = price_facts(instance)
    if facts.left > 0:
        return None
    return f"chi is {facts.stretch:.3g}, first prices cost {facts.start:.3g} times the sure utility"


def printed_two_alpha(instance: OnlineInstance) -> Fraction:
    """Return 2 max(1, ln U/L), over both sides and all resources."""
    return rounded_up(2 * max(1.0, price_facts(instance).log_range))


def sized_two_alpha(instance: OnlineInstance) -> Fraction:
    """Return chi alpha over the remaining share of the optimum."""
    facts = price_facts(instance)
    return rounded_up(facts.stretch * facts.growth / facts.left)
