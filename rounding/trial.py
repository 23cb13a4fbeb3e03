"""A theorem tested: how often random rounding misses what a gain grants."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from .gain import GainFactor
from .independent import round_independently
from .program import TOLERANCE, Floats, MixedProgram, check_point

QUANTILES = (0.5, 0.9, 0.99, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """Counts of draws of which a statement was false, and costs over the point's cost."""

    draws: int
    cost: int
    """Draws dearer than ``gain.cost`` times the point."""
    cover: int
    """Draws with a cover row below its level."""
    packing: int
    """Draws with a packing row above its level."""
    any: int
    usable: int
    """Draws that keep every row as it is, capacities and demands alike."""
    cost_factors: tuple[float, ...]
    """At `QUANTILES`; empty if the point costs nothing."""


def run_trial(
    program: MixedProgram, point: Floats, gain: GainFactor, rng: Generator, draws: int = 10_000
) -> Trial:
    """Round ``gain.factor * point`` independently many times and count what fails.

    Raises:
        InputError: The point is not one of the linear program, of which the theorems speak.
    """
    check_point(program, point)
    block = round_independently(point, draws, rng, gain.factor)
    base = float(program.cost @ point)
    costs = block.values(program.cost)
    dear = costs > gain.cost * base * (1 + TOLERANCE)
    short = block.beyond(-program.cover, -gain.cover * program.demand)
    over = block.beyond(program.packing, gain.packing * program.capacity)
    exact = ~block.beyond(-program.cover, -program.demand)
    exact &= ~block.beyond(program.packing, program.capacity)
    found = np.quantile(costs / base, QUANTILES).tolist() if base > 0 else []
    return Trial(
        draws=draws,
        cost=int(dear.sum()),
        cover=int(short.sum()),
        packing=int(over.sum()),
        any=int((dear | short | over).sum()),
        usable=int(exact.sum()),
        cost_factors=tuple(found),
    )
