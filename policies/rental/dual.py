"""The best widths for a budget, by the price that a GPU must have for it to be spent.

At price nu every class takes the width k that costs least, (w + nu k) / s(k), whatever the others
take. A lower price means more GPUs; so the price is bisected until the budget lies between what
is spent at two prices that floating point can hardly tell apart, and the two plans are mixed.
That is optimal, as each plan is best among those that spend as much, and hulls are convex.

The price is that of a GPU in weighted job-hours per hour: how many fewer (weighted) jobs there are
in the system, on average, for one more GPU in the budget. By Little's law one more GPU lowers the
mean completion time by nu over the weighted rate of arrivals.
"""

from dataclasses import dataclass
from math import ceil, log2

import numpy as np

from ...instances.speedup import MOST_GPUS
from .streams import Floats, Streams, level, speed

HALVINGS = 60
"""They leave nothing of an interval of logarithms but its rounding."""

FEW = 100
"""Classes, times budgets, for which it is quicker to cut an interval into 64 parts at once."""

SLACK = 1e-12
"""By which part of the budget the least use of GPUs may exceed it and be taken for equal."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PricedPlan:
    """The best plan for a budget; a class has one width, or shares its work between two."""

    nu: float
    """Weighted job-hours that a GPU-hour more would save; 0 if nothing would."""
    gain_h: float
    """Hours that the mean completion time falls by for one more GPU in the budget."""
    low: Floats
    high: Floats
    part: Floats
    """Part of a class's work at `high`; 0 where one width is enough."""
    widths: Floats
    """GPUs of a job of the class, on average over its time."""
    mean_jct: float
    mean_gpus: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BudgetWorth:
    """What budgets are worth; not a number where one is too small for any plan."""

    budgets: Floats
    mean_jct: Floats
    mean_gpus: Floats
    nu: Floats


def widths_at(streams: Streams, nu: Floats | float) -> Floats:
    """Return the best widths at prices above 0, with the classes as last axis."""
    prices = np.asarray(nu, dtype=float)[..., None]
    widths = np.ones((*prices.shape[:-1], len(streams.load)))
    for places, power in ((streams.power, 1.0), (streams.amdahl, 0.5)):
        wanted = (_contents(streams)[places] / prices) ** power
        widths[..., places] = np.clip(wanted, 1, MOST_GPUS)
    if streams.whole:
        widths = _rounded(streams, widths, prices)
    if streams.tabled.size:
        passed = (streams.prices > prices[..., None]).sum(axis=-1)
        widths[..., streams.tabled] = streams.corners[np.arange(len(passed.T)), passed]
    return widths


def _contents(streams: Streams) -> Floats:
    """Return the prices from which on classes with formulas are content with one GPU."""
    with np.errstate(divide="ignore"):
        return np.asarray(streams.weight * streams.shape / (1 - streams.shape))


def _rounded(streams: Streams, widths: Floats, prices: Floats) -> Floats:
    """Return the better of the whole numbers next to widths; costs fall, then rise."""
    below = np.floor(widths)
    above = np.minimum(below + 1, MOST_GPUS)
    cost = [(streams.weight + prices * k) / speed(streams, k) for k in (below, above)]
    return np.where(cost[1] < cost[0], above, below)


def use_of(streams: Streams, widths: Floats) -> tuple[Floats, Floats]:
    """Return hours and GPU-hours for an hour of work, by class."""
    h = 1 / speed(streams, widths)
    return h, widths * h


def solve_budget(streams: Streams, budget: float) -> PricedPlan | None:
    """Return the best plan that spends at most `budget` GPUs; None if no plan does.

    At most one class has two widths, and where widths are real, only if its table is not concave
    between them.
    """
    nu, low, high, part = (one[0] for one in _plans(streams, np.array([budget])))
    if np.isnan(nu):
        return None
    (h, z), (more_h, more_z) = use_of(streams, low), use_of(streams, high)
    h, z = h + part * (more_h - h), z + part * (more_z - z)
    widths = np.where(part > 0, z / h, low)
    if not streams.whole:
        # Between points of a concave table one width does what the two would do.
        alone = speed(streams, widths) * h >= 1 - SLACK
        low, high = np.where(alone, widths, low), np.where(alone, widths, high)
        part = np.where(alone, 0.0, part)
    return PricedPlan(
        nu=float(nu),
        gain_h=float(nu) / streams.worth,
        low=low,
        high=high,
        part=part,
        widths=widths,
        mean_jct=float(streams.load * streams.weight @ h) / streams.worth,
        mean_gpus=float(streams.load @ z),
    )


def curve(streams: Streams, budgets: Floats) -> BudgetWorth:
    """Return the least mean completion times for budgets, all solved at once."""
    nu, low, high, part = _plans(streams, budgets)
    (h, z), (more_h, more_z) = use_of(streams, low), use_of(streams, high)
    jct = (h + part * (more_h - h)) @ (streams.load * streams.weight) / streams.worth
    gpus = (z + part * (more_z - z)) @ streams.load
    none = np.isnan(nu)
    return BudgetWorth(
        budgets=budgets,
        mean_jct=np.where(none, np.nan, jct),
        mean_gpus=np.where(none, np.nan, gpus),
        nu=nu,
    )


def _plans(streams: Streams, budgets: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return prices and, by budget and class, the two widths and the part of the second."""
    spend = _Spend(streams)
    least, most = price_range(streams)
    low, high = np.full(len(budgets), least), np.full(len(budgets), most)
    spent = spend(np.array([least, most]))
    sections = 64 if len(budgets) * len(streams.load) <= FEW else 2
    parts = np.arange(1, sections) / sections
    for _ in range(ceil(HALVINGS / log2(sections))):
        prices = low[:, None] * (high / low)[:, None] ** parts
        over = spend(prices.ravel()).reshape(prices.shape) > budgets[:, None]
        low = np.maximum(low, np.where(over, prices, 0).max(axis=1))
        high = np.minimum(high, np.where(over, np.inf, prices).min(axis=1))
    # What is dear has the smaller widths; classes go over to the larger ones in turn.
    few, many = widths_at(streams, high), widths_at(streams, low)
    z = [use_of(streams, widths)[1] * streams.load for widths in (few, many)]
    more = z[1] - z[0]
    part = in_turn(more, budgets - z[0].sum(axis=1))
    nu = np.where(budgets < spent[0], high, 0.0)
    nu[budgets < spent[1] * (1 - SLACK)] = np.nan
    few = np.where(part == 1, many, few)
    return nu, few, np.where(part == 0, few, many), np.where(part == 1, 0.0, part)


def in_turn(wants: Floats, spare: Floats | float) -> Floats:
    """Return the part of each want, along the last axis, that is met if they are met in turn."""
    wants = np.maximum(wants, 0)
    left = np.asarray(spare)[..., None] - (np.cumsum(wants, axis=-1) - wants)
    return np.where(wants > 0, np.clip(left / np.where(wants > 0, wants, 1), 0, 1), 0.0)


def price_range(streams: Streams) -> tuple[float, float]:
    """Return a price at which every class takes all it can use, and one at which it takes least."""
    content = _contents(streams)
    power, amdahl = content[streams.power], content[streams.amdahl]
    ends = [power, power / MOST_GPUS, amdahl, amdahl / MOST_GPUS**2, streams.prices.ravel()]
    known = np.concatenate(ends)
    known = known[np.isfinite(known) & (known > 0)]
    if not known.size:
        return 1.0, 1.0
    return float(known.min()) / 2, float(known.max()) * 2


class _Spend:
    """GPUs paid for at prices; tables by sums made once, as their widths change at corners only."""

    def __init__(self, streams: Streams) -> None:
        rows = streams.tabled
        self._smooth = streams.only(np.setdiff1d(np.arange(len(streams.load)), rows))
        z = streams.corners / level(streams.gpus, streams.speeds, streams.corners)
        prices, more = streams.prices[:, :-1], streams.load[rows, None] * np.diff(z, axis=1)
        order = np.argsort(-prices, axis=None, kind="stable")
        least = streams.load[rows] @ z[:, 0]
        self._falling = -prices.ravel()[order]
        self._sums = least + np.concatenate([[0.0], np.cumsum(more.ravel()[order])])

    def __call__(self, prices: Floats) -> Floats:
        """Return what is spent at prices."""
        z = use_of(self._smooth, widths_at(self._smooth, prices))[1]
        passed = np.searchsorted(self._falling, -prices, side="left")
        return np.asarray(z @ self._smooth.load + self._sums[passed])
