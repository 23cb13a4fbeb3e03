"""The widths that programs choose from: all that a best plan may need.

At any price of a GPU, the least costs of all classes less the price of the budget bound the mean
completion time from below. A width is in no better plan of one width per class if its extra cost
lifts this bound above the value of a known plan. A best plan of two has widths of least cost at the
right price.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...instances import (
    NO_LIMITS,
    Amdahl,
    FleetInstance,
    Limits,
    PowerLaw,
    RefusedError,
    RentalInstance,
    SpeedTable,
    Speedup,
)
from ...instances.speedup import MOST_GPUS
from ..program import Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Classes:
    """Work of each epoch of each type, in order of both."""

    keys: tuple[tuple[int, int], ...]
    """Type and epoch."""
    load: Floats
    """GPUs that the class keeps busy if all its jobs have one."""
    cost: Floats
    """Hours that one hour for each hour of its work adds to the mean completion time."""
    curves: tuple[Speedup, ...]

    def of(self, model: type[Speedup]) -> list[int]:
        """Return the places of the classes with a model of the speed-up."""
        return [c for c, curve in enumerate(self.curves) if isinstance(curve, model)]

    def shapes(self) -> Floats:
        """Return exponents of power laws and parallel parts of Amdahl's law, 0 for tables."""
        return np.array([_shape(curve) for curve in self.curves])


def classes_of(instance: RentalInstance | FleetInstance) -> Classes:
    """Return the classes of an instance."""
    types = instance.types
    keys = tuple((i, e) for i, one in enumerate(types) for e in range(len(one.epochs)))
    load = np.array([float(load) for row in instance.loads for load in row])
    weights = np.array([float(one.weight) for one in types])
    worth = weights @ np.array([float(rate) for rate in instance.rates])
    return Classes(
        keys=keys,
        load=load,
        cost=load * weights[[i for i, _ in keys]] / worth,
        curves=tuple(types[i].epochs[e].speedup for i, e in keys),
    )


def points(table: SpeedTable) -> tuple[Floats, Floats]:
    """Return the GPUs and speeds of a table."""
    gpus = np.array([float(point.gpus) for point in table.points])
    return gpus, np.array([float(point.speed) for point in table.points])


def speeds(curve: Speedup, gpus: Floats) -> Floats:
    """Return the speed-ups of a class on numbers of GPUs."""
    if isinstance(curve, PowerLaw):
        return np.asarray(gpus ** float(curve.exponent))
    if isinstance(curve, Amdahl):
        parallel = float(curve.parallel)
        return np.asarray(1 / (1 - parallel + parallel / gpus))
    return np.interp(gpus, *points(curve))


def _shape(curve: Speedup) -> float:
    if isinstance(curve, SpeedTable):
        return 0.0
    return float(curve.exponent if isinstance(curve, PowerLaw) else curve.parallel)


MOST_WIDTHS = 50_000
"""Programs with more take long to write, without an interrupt."""

HALVINGS = 60
"""Halvings that reduce an interval of logarithms to its rounding."""

PRICES = (1e-15, 1e15)

MARGIN = 1e-9
"""By which part of the mean completion time a width may look worse than it is."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Menu:
    """Widths of a class, with hours and GPU-hours for an hour of work."""

    gpus: Floats
    h: Floats
    z: Floats


def menus_of(instance: RentalInstance) -> list[Menu]:
    """Return the widths of every class, or the points of tables for real widths.

    Raises:
        RefusedError: If there are too many.
    """
    classes = classes_of(instance)
    search = _WidthSearch(classes, instance.widths == "whole")
    budget = float(instance.budget_gpus)
    high = search.price(budget)
    cost, spent, value = search.at(high)
    bound = cost.sum() - high * budget
    # If not even the least is affordable, that alone is left for the solver to say so.
    known = search.improved(high, budget) if spent <= budget else bound
    gap = known - bound + MARGIN * value
    kept = search.within(high, cost + gap)
    if kept is None:
        raise RefusedError(
            f"{instance.name}: more than {MOST_WIDTHS:,} widths may be in a best plan, "
            "so use boa-integer or boa-pure"
        )
    return [_menu(curve, gpus) for curve, gpus in zip(classes.curves, kept, strict=True)]


def usual(classes: Classes, budget: float, limits: Limits = NO_LIMITS) -> Menu:
    """Return one width for each class that, all together, are about right for a budget.

    Raises:
        TimeoutError: If the time is up.
    """
    search = _WidthSearch(classes, whole=False)
    gpus, h = search.cheapest(search.price(budget, limits))
    return Menu(gpus=gpus, h=h, z=gpus * h)


def _menu(curve: Speedup, gpus: Floats) -> Menu:
    """Return widths, without those to which another is preferable in hours and GPU-hours."""
    h = 1 / speeds(curve, gpus)
    z = gpus * h
    order = np.lexsort((h, z))
    best = np.minimum.accumulate(h[order])
    kept = np.sort(order[np.concatenate([[True], best[1:] < best[:-1]])])
    return Menu(gpus=gpus[kept], h=h[kept], z=z[kept])


def _table(table: Speedup, whole: bool) -> Menu:
    """Return all widths of a table that are worth a look."""
    assert isinstance(table, SpeedTable)
    gpus = points(table)[0]
    return _menu(table, np.arange(1, np.ceil(gpus[-1]) + 1) if whole else gpus)


class _WidthSearch:
    """Looks for widths that cost little at a price, in all classes at once."""

    def __init__(self, classes: Classes, whole: bool) -> None:
        self._classes = classes
        self._shapes = classes.shapes()
        self._power, self._amdahl = classes.of(PowerLaw), classes.of(Amdahl)
        self._tables = {c: _table(classes.curves[c], whole) for c in classes.of(SpeedTable)}

    def price(self, budget: float, limits: Limits = NO_LIMITS) -> float:
        """Return a price at which hardly less than a budget is spent, and no more."""
        low, high = PRICES
        for _ in range(HALVINGS):
            if limits.over():
                raise TimeoutError("the time limit ended before the program was built")
            middle = float(np.sqrt(low * high))
            low, high = (low, middle) if self.at(middle)[1] <= budget else (middle, high)
        return high

    def cheapest(self, price: float) -> tuple[Floats, Floats]:
        """Return the widths of least cost, and the hours that they take for an hour of work."""
        gpus = self._best(price)
        h = 1 / self._speed(gpus)
        for c, menu in self._tables.items():
            best = self._of_table(c, price).argmin()
            gpus[c], h[c] = menu.gpus[best], menu.h[best]
        return gpus, h

    def at(self, price: float) -> tuple[Floats, float, float]:
        """Return the least costs, and the spending and worth of the widths of least cost."""
        gpus, h = self.cheapest(price)
        hours, held = self._classes.cost * h, self._classes.load * gpus * h
        return hours + price * held, float(held.sum()), float(hours.sum())

    def improved(self, price: float, budget: float) -> float:
        """Return the value of the plan at a price, with the remaining budget spent best."""
        _, spent, value = self.at(price)
        gpus = self._best(price)
        gpus[list(self._tables)] = MOST_GPUS
        for _ in gpus:
            wider = self._widest(gpus, budget - spent)
            (h, z), (less_h, more_z) = self._use(gpus), self._use(wider)
            c = (h - less_h).argmax()
            if h[c] - less_h[c] <= MARGIN * value:
                break
            value -= float(h[c] - less_h[c])
            spent += float(more_z[c] - z[c])
            gpus[c] = wider[c]
        return value

    def _widest(self, gpus: Floats, spare: float) -> Floats:
        """Return the widths to which each class alone could go from its own."""
        most = self._use(gpus)[1] + spare
        end = np.full(len(gpus), float(MOST_GPUS))
        return _first(gpus, end, lambda k: self._use(k + 1)[1] > most)

    def _use(self, gpus: Floats) -> tuple[Floats, Floats]:
        """Return the contributions of classes to the mean, and the GPUs they pay for."""
        h = 1 / self._speed(gpus)
        return self._classes.cost * h, self._classes.load * gpus * h

    def within(self, price: float, most: Floats) -> list[Floats] | None:
        """Return the widths of every class within a cost, or None if they are many."""
        best = self._best(price)
        best[list(self._tables)] = 1
        left = _first(np.ones(len(best)), best, lambda k: self._costs(k, price) <= most)
        end = np.full(len(best), float(MOST_GPUS))
        end[list(self._tables)] = 1
        right = _first(best, end, lambda k: self._costs(k + 1, price) > most)
        if (right - left).sum() > MOST_WIDTHS:
            return None
        widths = [np.arange(one, other + 1) for one, other in zip(left, right, strict=True)]
        for c, menu in self._tables.items():
            widths[c] = menu.gpus[self._of_table(c, price) <= most[c]]
        return widths

    def _best(self, price: float) -> Floats:
        """Return whole widths of least cost. Costs of formulas fall, then rise."""
        one, end = np.ones(len(self._shapes)), np.full(len(self._shapes), float(MOST_GPUS))
        return _first(one, end, lambda k: self._costs(k + 1, price) >= self._costs(k, price))

    def _costs(self, gpus: Floats, price: float) -> Floats:
        classes = self._classes
        return np.asarray((classes.cost + price * classes.load * gpus) / self._speed(gpus))

    def _of_table(self, c: int, price: float) -> Floats:
        menu = self._tables[c]
        return np.asarray(self._classes.cost[c] * menu.h + price * self._classes.load[c] * menu.z)

    def _speed(self, gpus: Floats) -> Floats:
        """Return the speed-ups of classes with formulas, and 1 for the other classes."""
        found = np.ones(len(gpus))
        found[self._power] = gpus[self._power] ** self._shapes[self._power]
        parallel = self._shapes[self._amdahl]
        found[self._amdahl] = 1 / (1 - parallel + parallel / gpus[self._amdahl])
        return found


def _first(low: Floats, high: Floats, holds: Callable[[Floats], NDArray[np.bool_]]) -> Floats:
    """Return the first whole numbers from `low` on that hold. `high` is assumed to hold."""
    while (open_ := high > low).any():
        middle = (low + high) // 2
        found = holds(middle)
        low, high = np.where(open_ & ~found, middle + 1, low), np.where(found, middle, high)
    return low
