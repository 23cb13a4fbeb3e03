"""Dependent rounding: the sum of the columns stays what it is."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from .block import RoundingBlock, split
from .program import SOLVER, Flags, Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Duel:
    """Two fractional columns meet: one is settled, the other goes on.

    The newcomer is settled with probability ``settled``, else the one that came so far; who is
    settled goes up if ``up``, else down.
    """

    newcomer: int
    settled: float
    up: bool


def duels(fractions: Floats) -> tuple[list[Duel], float]:
    """Return the duels of all columns in their order, and the fraction that is left at the end.

    With p the fraction that comes, f the newcomer's: if ``p + f < 1``, one of them goes down and
    the other takes the sum; else one goes up and the other keeps ``p + f - 1``. The chances
    leave both means as they are. What comes does not depend on the draws, only who carries it does.
    """
    found, carried = [], 0.0
    for newcomer, fraction in enumerate(fractions.tolist()):
        total = carried + fraction
        if newcomer:
            up = total >= 1
            settled = (1 - carried) / (2 - total) if up else carried / total
            found.append(Duel(newcomer=newcomer, settled=settled, up=up))
            total -= up
        carried = total
    return found, carried


def round_dependently(
    point: Floats,
    samples: int,
    rng: Generator,
    factor: float = 1.0,
    group: Sequence[int] | None = None,
) -> RoundingBlock:
    """Round ``factor * point`` with exact means and the sum of a group rounded up or down.

    The group is all columns, or those given; the others are rounded independently. A sum that is
    whole, but for a solver's noise, is kept. Columns are negatively correlated: for every set,
    the chances that all of it goes up, and that all of it goes down, are at most the products.
    So what `gain.py` says holds as for independent rounding. Source: Srinivasan 2001; Gandhi,
    Khuller, Parthasarathy and Srinivasan 2006; pairs in this order: Deville and Tille 1998.
    """
    base, columns, fractions = split(point, factor)
    inside = np.isin(columns, np.arange(base.size) if group is None else group)
    ups = np.empty((samples, columns.size), dtype=np.bool_)
    ups[:, inside] = _draw(fractions[inside], samples, rng)
    ups[:, ~inside] = rng.random((samples, int((~inside).sum()))) < fractions[~inside]
    return RoundingBlock(base=base, columns=columns, ups=ups)


def _draw(fractions: Floats, samples: int, rng: Generator) -> Flags:
    ups = np.zeros((samples, fractions.size), dtype=np.bool_)
    every, carrier = np.arange(samples), np.zeros(samples, dtype=np.int64)
    meetings, left = duels(fractions)
    for duel in meetings:
        settled = rng.random(samples) < duel.settled
        if duel.up:
            ups[every, np.where(settled, duel.newcomer, carrier)] = True
        carrier = np.where(settled, carrier, duel.newcomer)
    if fractions.size:
        if abs(left - round(left)) <= SOLVER:
            left = round(left)
        ups[every, carrier] = rng.random(samples) < left
    return ups
