"""The cheapest of many independent roundings that fits and covers."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.random import Generator

from .block import RoundingBlock
from .independent import round_independently
from .program import Flags, Floats, Ints, MixedProgram
from .repair import Repair, repair


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BestRounding:
    """The cheapest valid rounding, if there was one, and how many of the samples failed."""

    x: Ints | None
    cost: float
    """Infinite if there is no point."""
    samples: int
    over: int
    """Samples that some packing row does not allow."""
    short: int
    """Samples that fit and miss some cover row."""
    repair: Repair | None = None
    """What was done to the sample, if it was not valid by itself."""


def best_of(
    program: MixedProgram,
    point: Floats,
    samples: int,
    rng: Generator,
    *,
    factor: float = 1.0,
    repairing: Literal["none", "short", "all"] = "none",
) -> BestRounding:
    """Return the cheapest of independent roundings of ``factor * point`` that satisfies all rows.

    Samples that fail are left out, or repaired: those that fit and are short, or all. If one
    sample fails a theorem's promise with probability delta, all of them do with probability
    ``delta ** samples``. Source: Raghavan and Thompson 1987; PD-ORS draws again until one is valid.
    """
    block = round_independently(point, samples, rng, factor)
    over = block.beyond(program.packing, program.capacity)
    short = block.beyond(-program.cover, -program.demand) & ~over
    costs = block.values(program.cost)
    best = BestRounding(
        x=None, cost=np.inf, samples=samples, over=int(over.sum()), short=int(short.sum())
    )
    valid = np.flatnonzero(~(over | short))
    if valid.size:
        cheapest = int(valid[np.argmin(costs[valid])])
        best = replace(best, x=block.point(cheapest), cost=float(costs[cheapest]))
    if repairing == "none":
        return best
    # Filling adds to the cost: a sample that fits is no use if it costs too much already.
    useful = short & (costs < best.cost)
    return _repaired(program, block, useful | over if repairing == "all" else useful, best)


def _repaired(
    program: MixedProgram, block: RoundingBlock, which: Flags, best: BestRounding
) -> BestRounding:
    """Return the best point with some samples repaired as well, each different one once."""
    for ups in np.unique(block.ups[which], axis=0):
        x = block.base.copy()
        x[block.columns] += ups
        after = repair(program, x)
        cost = float(program.cost @ after.x)
        if after.problem is None and cost < best.cost:
            best = replace(best, x=after.x, cost=cost, repair=after)
    return best
