"""Alteration: whole points made to fit, and to cover, unit by unit."""

from dataclasses import dataclass, replace

import numpy as np

from .program import MOST, TOLERANCE, Floats, Ints, MixedProgram


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Repair:
    """A point after repair, and the changes to it."""

    x: Ints
    changes: tuple[tuple[int, int], ...]
    """Columns with the units added, or with a minus sign dropped, in order."""
    extra_cost: float
    """Cost after less cost before, negative if units were dropped."""
    problem: str | None = None
    """Why rows are left that do not hold, if there are any."""


def drop(program: MixedProgram, x: Ints) -> Repair:
    """Drop units until every packing row holds.

    The relief of a unit: the shares of the excesses that it removes, summed over the rows that are
    over. Its miss: its shares of the demands of the cover rows, added up. The column with the
    most relief per miss goes first, among equals the dearest, then the first. It loses the units
    that the first of its rows needs. All columns at zero fit, so this ends.
    """
    x = x.copy()
    before, changes = float(program.cost @ x), []
    shares = _shares(program.cover, program.demand).sum(axis=0)
    while (excess := program.excess(x)).any():
        over = excess > 0
        relief = _shares(program.packing[over], excess[over]).sum(axis=0)
        useful = (x > 0) & (relief > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            rank = np.where(useful, relief / shares, -1)
        column = int(np.lexsort((-program.cost, -rank))[0])
        units = min(int(x[column]), _needed(program.packing[over, column], excess[over]))
        x[column] -= units
        changes.append((column, -units))
    return Repair(x=x, changes=tuple(changes), extra_cost=float(program.cost @ x) - before)


def fill(program: MixedProgram, x: Ints) -> Repair:
    """Add units that fit until every cover row holds, or no useful unit fits.

    The help of a unit: the shares of the shortage that it supplies, summed over the rows that are
    short. The fitting column with the least cost per help goes first, among equals the first. It
    gets all units that fit, at most the need of the first of its rows.
    """
    x = x.copy()
    before, changes, problem = float(program.cost @ x), [], None
    fits = np.all(program.packing <= _slack(program, x)[:, None], axis=0)
    while (missing := program.missing(x)).any():
        short = missing > 0
        help_ = _shares(program.cover[short], missing[short]).sum(axis=0)
        useful = fits & (help_ > 1 / MOST)
        if not useful.any():
            row = int(np.argmax(short))
            problem = f"no unit that fits adds to cover row {row}, short by {missing[row]:g}"
            break
        price = np.full(help_.size, np.inf)
        np.divide(program.cost, help_, out=price, where=useful)
        column = int(np.argmin(price))
        needed = _needed(program.cover[short, column], missing[short])
        units = min(needed, _room(program.packing[:, column], _slack(program, x)))
        if units:
            x[column] += units
            changes.append((column, units))
        # A unit that does not fit now never fits later: units are only added.
        fits[column] = units == needed
    extra = float(program.cost @ x) - before
    return Repair(x=x, changes=tuple(changes), extra_cost=extra, problem=problem)


def repair(program: MixedProgram, x: Ints) -> Repair:
    """Drop units that do not fit, then fill the shortage."""
    first = drop(program, x)
    second = fill(program, first.x)
    return replace(
        second,
        changes=first.changes + second.changes,
        extra_cost=first.extra_cost + second.extra_cost,
    )


def _shares(rows: Floats, sides: Floats) -> Floats:
    """Return which part of each positive side one unit of each column is, at most all of it."""
    counts = sides > 0
    return np.minimum(rows[counts] / sides[counts, None], 1)


def _needed(entries: Floats, sides: Floats) -> int:
    """Return the units of a column after which the first of its rows holds."""
    helps = entries > 0
    units = np.min(sides[helps] / np.maximum(entries[helps], sides[helps] / MOST))
    return max(1, int(np.ceil(units * (1 - 1e-12))))


def _slack(program: MixedProgram, x: Ints) -> Floats:
    return np.maximum(program.capacity * (1 + TOLERANCE) - program.packing @ x, 0)


def _room(entries: Floats, slack: Floats) -> int:
    """Return how many more units of a column fit."""
    used = entries > 0
    return int(np.min(slack[used] // entries[used], initial=MOST))
