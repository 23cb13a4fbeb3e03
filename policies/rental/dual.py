"""The best widths for a budget, by the GPU price at which the budget is spent.

Types of jobs become flat arrays of classes. At price nu every class chooses the width k of least
cost, (w + nu k) / s(k), independently of the other classes. A lower price means more GPUs. The
price is bisected until the budget lies between the spends at two adjacent floating-point prices,
and the two plans are mixed. This is optimal: each plan is best among plans of equal spend, and
hulls are convex.

The price of a GPU is in weighted job-hours per hour: the decrease of the average (weighted) number
of jobs in the system per additional GPU in the budget. By Little's law one more GPU lowers the mean
completion time by nu over the weighted rate of arrivals.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import ceil, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...instances import FleetInstance, PowerLaw, RentalInstance, SpeedTable
from ...instances.speedup import MOST_GPUS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Streams:
    """Classes of work in order of types and epochs. Jobs of a class are equally fast.

    A job on k GPUs needs z = k / s(k) GPU-hours and h = 1 / s(k) hours for an hour of work.
    """

    type: Ints
    """Place of the class's type in the instance."""
    epoch: Ints
    load: Floats
    """GPUs that the class keeps busy if all its jobs have one (rho)."""
    weight: Floats
    rates: Floats
    """Arrivals in an hour, by type."""
    worth: float
    """Arrivals per hour, each counted by its weight. The mean completion time is per arrival."""
    whole: bool
    """True if widths are integers."""
    power: Ints
    """Classes whose speed-ups are power laws."""
    amdahl: Ints
    """Classes whose speed-ups follow Amdahl's law."""
    tabled: Ints
    """Classes whose speed-ups are tables."""
    shape: Floats
    """Exponents of power laws, or parallel parts of Amdahl's law, or 0 for tables."""
    gpus: Floats
    """Points of tables, a row for each, filled up with infinity."""
    speeds: Floats
    """Speeds there, filled up with the last."""
    corners: Floats
    """Widths at the corners of the lower convex hull of a table's (z, h), filled up."""
    prices: Floats
    """The price of a GPU above which the class stops at this corner, or 0 behind the last."""

    def only(self, places: Ints) -> "Streams":
        """Return the classes at places, which may be there more than once."""
        rows = np.searchsorted(self.tabled, places[np.isin(places, self.tabled)])
        chosen: dict[str, Any] = {name: getattr(self, name)[places] for name in BY_CLASS}
        chosen |= {name: _places(np.isin(places, getattr(self, name))) for name in MODELS}
        chosen |= {name: getattr(self, name)[rows] for name in BY_TABLE}
        return replace(self, **chosen)

    def by_type(self) -> list[Ints]:
        """Return the places of the classes of each type, in order of epochs."""
        return np.split(np.arange(len(self.type)), np.flatnonzero(np.diff(self.type)) + 1)


BY_CLASS = ("type", "epoch", "load", "weight", "shape")
MODELS = ("power", "amdahl", "tabled")
BY_TABLE = ("gpus", "speeds", "corners", "prices")


def streams_of(instance: RentalInstance | FleetInstance, *, whole: bool | None = None) -> Streams:
    """Return the classes of an instance, with whole widths if it, or the caller, wants these."""
    whole = instance.widths == "whole" if whole is None else whole
    classes = [(i, e) for i, one in enumerate(instance.types) for e in range(len(one.epochs))]
    curves = [instance.types[i].epochs[e].speedup for i, e in classes]
    weights = np.array([float(one.weight) for one in instance.types])
    rates = np.array([float(rate) for rate in instance.rates])
    tables = [curve for curve in curves if isinstance(curve, SpeedTable)]
    tabled = _places(isinstance(curve, SpeedTable) for curve in curves)
    power = _places(isinstance(curve, PowerLaw) for curve in curves)
    shape = np.zeros(len(curves))
    for c, curve in enumerate(curves):
        if not isinstance(curve, SpeedTable):
            shape[c] = curve.exponent if isinstance(curve, PowerLaw) else curve.parallel
    owner = np.array([i for i, _ in classes])
    gpus, speeds = _padded(tables)
    corners, slopes = corners_of(gpus, speeds, whole=whole)
    return Streams(
        type=owner,
        epoch=np.array([e for _, e in classes]),
        load=np.array([float(load) for row in instance.loads for load in row]),
        weight=weights[owner],
        rates=rates,
        worth=float(rates @ weights),
        whole=whole,
        power=power,
        amdahl=np.setdiff1d(np.arange(len(curves)), np.union1d(power, tabled)),
        tabled=tabled,
        shape=shape,
        gpus=gpus,
        speeds=speeds,
        corners=corners,
        prices=slopes * weights[owner][tabled, None],
    )


def speed(streams: Streams, widths: Floats) -> Floats:
    """Return the speed-ups at an array of widths. Its last axis is the class."""
    if len(streams.power) == widths.shape[-1]:
        return np.asarray(widths**streams.shape)
    found = np.empty(widths.shape)
    if streams.power.size:
        found[..., streams.power] = widths[..., streams.power] ** streams.shape[streams.power]
    if streams.amdahl.size:
        parallel = streams.shape[streams.amdahl]
        found[..., streams.amdahl] = 1 / (1 - parallel + parallel / widths[..., streams.amdahl])
    if streams.tabled.size:
        rows = np.moveaxis(widths[..., streams.tabled], -1, 0)
        found[..., streams.tabled] = np.moveaxis(level(streams.gpus, streams.speeds, rows), 0, -1)
    return found


def _places(flags: Iterable[bool]) -> Ints:
    return np.flatnonzero(np.fromiter(flags, bool))


def _padded(tables: list[SpeedTable]) -> tuple[Floats, Floats]:
    """Return the points of tables in rows of equal length."""
    longest = max((len(table.points) for table in tables), default=1)
    gpus = np.full((len(tables), longest), np.inf)
    speeds = np.empty((len(tables), longest))
    for row, table in enumerate(tables):
        size = len(table.points)
        gpus[row, :size] = [float(point.gpus) for point in table.points]
        speeds[row, :size] = [float(point.speed) for point in table.points]
        speeds[row, size:] = speeds[row, size - 1]
    return gpus, speeds


def corners_of(gpus: Floats, speeds: Floats, *, whole: bool) -> tuple[Floats, Floats]:
    """Return hull widths of tables, a row for each, and the slopes from each to the next.

    An hour of work takes h = 1 / s hours and z = k / s GPU-hours. Where s is linear in k, h is
    linear in z, so corners are points of the table or, for whole widths, next to these. A row
    starts where z is least, and continues while more GPU-hours save time: slopes -dh/dz fall.
    """
    # Whole widths next to points of the tables.
    widths = np.concatenate([np.floor(gpus), np.ceil(gpus)], axis=1) if whole else gpus
    known = np.isfinite(widths)
    h = 1 / level(gpus, speeds, widths)
    z = np.where(known, widths * h, np.inf)
    h = np.where(known, h, np.inf)
    rows = np.arange(len(z))
    now = np.lexsort((h, z), axis=1)[:, 0] if len(z) else rows
    corners, slopes = [widths[rows, now]], []
    while True:
        more = z - z[rows, now][:, None]
        less = h[rows, now][:, None] - h
        worth = known & (more > 0) & (less > 0)
        slope = np.where(worth, less, 0) / np.where(worth, more, 1)
        best = slope.max(axis=1, initial=0)
        if not best.any():
            break
        # Among collinear points the last one is used.
        last = np.where(worth & (slope == best[:, None]), z, -np.inf).argmax(axis=1)
        now = np.where(best > 0, last, now)
        corners.append(widths[rows, now])
        slopes.append(best)
    slopes.append(np.zeros(len(z)))
    falling = np.minimum.accumulate(np.stack(slopes, axis=1), axis=1)
    return np.stack(corners, axis=1), falling


SHORT, BATCH = 64, 1000
"""Tables of no more points are read in batches, which is quicker."""


def level(gpus: Floats, speeds: Floats, widths: Floats) -> Floats:
    """Return the speeds of tables at widths, a row for each."""
    found = np.empty(widths.shape)
    if gpus.shape[1] > SHORT:
        for row, known in enumerate(np.isfinite(gpus)):
            found[row] = np.interp(widths[row], gpus[row, known], speeds[row, known])
        return found
    for start in range(0, len(gpus), BATCH):
        rows = slice(start, start + BATCH)
        at = widths[rows].reshape(len(gpus[rows]), -1)
        found[rows] = _level(gpus[rows], speeds[rows], at).reshape(widths[rows].shape)
    return found


def _level(gpus: Floats, speeds: Floats, widths: Floats) -> Floats:
    """Return the speeds of all tables at once, by the same sums as `np.interp`."""
    widths, before = np.clip(widths, 1, MOST_GPUS), np.zeros(widths.shape, dtype=np.uint8)
    for point in gpus.T[1:]:
        before += point[:, None] <= widths
    with np.errstate(invalid="ignore"):
        # Level behind the last point, which no width exceeds.
        slopes = np.diff(speeds, axis=1, append=0) / np.diff(gpus, axis=1, append=np.inf)
    at = before + np.arange(0, gpus.size, gpus.shape[1])[:, None]
    along = widths - gpus.ravel()[at]
    return np.asarray(slopes.ravel()[at] * along + speeds.ravel()[at])


HALVINGS = 60
"""Enough to reduce an interval of logarithms to its rounding."""

FEW = 100
"""Classes, times budgets, for which it is quicker to cut an interval into 64 parts at once."""

SLACK = 1e-12
"""By which part of the budget the least use of GPUs may exceed it and be taken for equal."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PricedPlan:
    """The best plan for a budget. A class has one width, or shares its work between two."""

    nu: float
    """Weighted job-hours that one more GPU-hour would save, possibly 0."""
    gain_h: float
    """Hours that the mean completion time falls by for one more GPU in the budget."""
    low: Floats
    high: Floats
    part: Floats
    """Fraction of a class's work at `high`, or 0 if one width is enough."""
    widths: Floats
    """GPUs of a job of the class, on average over its time."""
    mean_jct: float
    mean_gpus: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BudgetWorth:
    """The value of budgets, or NaN for a budget that pays for no plan."""

    budgets: Floats
    mean_jct: Floats
    mean_gpus: Floats
    nu: Floats


def widths_at(streams: Streams, nu: Floats | float, contents: Floats | None = None) -> Floats:
    """Return the best widths at prices above 0, with the classes as last axis.

    `contents` are the prices from which on classes with formulas are content with one GPU.
    """
    prices = np.asarray(nu, dtype=float)[..., None]
    widths = np.ones((*prices.shape[:-1], len(streams.load)))
    contents = _contents(streams) if contents is None else contents
    for places, power in ((streams.power, 1.0), (streams.amdahl, 0.5)):
        if places.size:
            wanted = contents[places] / prices
            wanted = wanted if power == 1 else wanted**power
            widths[..., places] = np.minimum(np.maximum(wanted, 1), MOST_GPUS)
    if streams.whole:
        widths = _rounded(streams, widths, prices)
    if streams.tabled.size:
        passed = (streams.prices > prices[..., None]).sum(axis=-1)
        widths[..., streams.tabled] = streams.corners[np.arange(len(passed.T)), passed]
    return widths


def _contents(streams: Streams) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(streams.weight * streams.shape / (1 - streams.shape))


def _rounded(streams: Streams, widths: Floats, prices: Floats) -> Floats:
    """Return the better of the whole numbers next to widths. Costs fall, then rise."""
    below = np.floor(widths)
    above = np.minimum(below + 1, MOST_GPUS)
    cost = [(streams.weight + prices * k) / speed(streams, k) for k in (below, above)]
    return np.where(cost[1] < cost[0], above, below)


def use_of(streams: Streams, widths: Floats) -> tuple[Floats, Floats]:
    """Return hours and GPU-hours for an hour of work, by class."""
    h = 1 / speed(streams, widths)
    return h, widths * h


def solve_budget(
    streams: Streams, budget: float, curves: "SpendCurves | None" = None
) -> PricedPlan | None:
    """Return the best plan that spends at most `budget` GPUs, or None if every plan spends more.

    At most one class has two widths. With real widths, only if its table is not concave between
    them. `curves` are those of the streams, if available: they do not depend on loads.
    """
    nu, low, high, part = (one[0] for one in _plans(streams, np.array([budget]), curves))
    if np.isnan(nu):
        return None
    (h, more_h), (z, more_z) = use_of(streams, np.stack([low, high]))
    h, z = h + part * (more_h - h), z + part * (more_z - z)
    widths = np.where(part > 0, z / h, low)
    if not streams.whole:
        # Between points of a concave table one width replaces the two.
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


def _plans(
    streams: Streams, budgets: Floats, curves: "SpendCurves | None" = None
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return prices and, by budget and class, the two widths and the part of the second."""
    curves = curves or SpendCurves(streams)
    spend = curves.spend(streams.load)
    least, most = curves.prices
    low, high = np.full(len(budgets), least), np.full(len(budgets), most)
    spent = spend(np.array([least, most]))
    sections = 64 if len(budgets) * len(streams.load) <= FEW else 2
    parts = np.arange(1, sections) / sections
    for _ in range(ceil(HALVINGS / log2(sections))):
        prices = low[:, None] * (high / low)[:, None] ** parts
        over = spend(prices.ravel()).reshape(prices.shape) > budgets[:, None]
        low = np.maximum(low, np.where(over, prices, 0).max(axis=1))
        high = np.minimum(high, np.where(over, np.inf, prices).min(axis=1))
    # The dear price has smaller widths; classes switch to the larger ones in turn.
    few, many = widths = widths_at(streams, np.stack([high, low]))
    z = use_of(streams, widths)[1] * streams.load
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
    """Return a price at which every class uses all GPUs it can, and one at which it uses least."""
    content = _contents(streams)
    power, amdahl = content[streams.power], content[streams.amdahl]
    ends = [power, power / MOST_GPUS, amdahl, amdahl / MOST_GPUS**2, streams.prices.ravel()]
    known = np.concatenate(ends)
    known = known[np.isfinite(known) & (known > 0)]
    if not known.size:
        return 1.0, 1.0
    return float(known.min()) / 2, float(known.max()) * 2


class SpendCurves:
    """The spend of streams as a function of price, before loads are known.

    Sums of tables are made once: widths change at corners only.
    """

    def __init__(self, streams: Streams) -> None:
        """Work them out."""
        self.prices = price_range(streams)
        """A price at which every class uses all GPUs it can, and one at which it uses least."""
        self._rows = streams.tabled
        self._others = np.setdiff1d(np.arange(len(streams.load)), self._rows)
        self._smooth = streams.only(self._others)
        self._contents = _contents(self._smooth)
        z = streams.corners / level(streams.gpus, streams.speeds, streams.corners)
        self._least, self._more = z[:, 0], np.diff(z, axis=1)
        prices = streams.prices[:, :-1]
        self._order = np.argsort(-prices, axis=None, kind="stable")
        self._falling = -prices.ravel()[self._order]

    def spend(self, load: Floats) -> Callable[[Floats], Floats]:
        """Return the function that gives the spend of these loads at prices."""
        rows, others = load[self._rows], load[self._others]
        more = (rows[:, None] * self._more).ravel()[self._order]
        sums = rows @ self._least + np.concatenate([[0.0], np.cumsum(more)])

        def spent(prices: Floats) -> Floats:
            widths = widths_at(self._smooth, prices, self._contents)
            smooth: Floats = (widths * (1 / speed(self._smooth, widths))) @ others
            if not rows.size:
                return smooth
            passed = np.searchsorted(self._falling, -prices, side="left")
            return np.asarray(smooth + sums[passed])

        return spent
