"""GADGET's rounding as printed: a draw may exceed machines and links by factors of its theorem.

With every ring at one size, each draws its placement from the distribution that the relaxation
gives it, and nothing is repaired. The theorem (recalled, after Rost and Schmid on virtual
networks): with high probability a draw gains a third of the relaxation, and exceeds no limit r by
more than the factor ``1 + eps sqrt(2 Delta_r ln |V|)``. There eps is the largest part of any limit
that one worker, or one reservation, takes; Delta_r is the sum over rings of the square of how many
workers (or reservations) it can have there; V are the machines. Draws are made until one keeps
both.
"""

from collections.abc import Mapping, Sequence
from math import log
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from ...formulations.reserved.slot_master import RingSlotData, uses_of
from ...instances import Limits
from ...policies.reserved.planning import Placement
from ...simulation.reserved.model import Floats, fits
from .slot_lp import relaxed
from .slot_rounding import PlacementLaw, chosen_sizes, gain_of

THIRD = 1 / 3
"""The part of the relaxation over one size that a draw gains with high probability."""


class SoftDraw(NamedTuple):
    """A draw, and how full it makes everything: 1 is as much as there is."""

    held: dict[int, Placement]
    """By ring, numbered as in the instance."""
    gain: float
    machine: float
    """The fullest resource of a machine."""
    link: float
    """The fullest link, of a machine or a rack."""
    kept: bool
    """Whether no limit is exceeded by more than its factor."""


class SoftSlot(NamedTuple):
    """What a slot's relaxations are worth, the printed factors, and draws."""

    loose: float
    """The relaxation over all sizes: no way to fill the slot gains more."""
    tight: float
    """That over one size for each ring."""
    machine: float
    """The largest printed factor of a resource of a machine."""
    link: float
    """That of a link."""
    draws: Sequence[SoftDraw]

    @property
    def first(self) -> int | None:
        """The first draw that gains a third and keeps all factors; None if there is none."""
        fine = (
            i for i, draw in enumerate(self.draws) if draw.kept and draw.gain >= THIRD * self.tight
        )
        return next(fine, None)


def soft_slot(data: RingSlotData, tries: int, rng: Generator) -> SoftSlot:
    """Solve the relaxations of a slot, and draw that often."""
    loose = relaxed(data, [range(1, len(ask.gains) + 1) for ask in data.asks], Limits())
    sizes = chosen_sizes(data, loose)
    tight = relaxed(data, [{size} for size in sizes], Limits(), loose.columns)
    law, factors = PlacementLaw(data, tight), printed_factors(data, sizes)
    split = data.model.capacity.size
    draws = [_drawn(data, law.draw(rng), factors) for _ in range(tries)]
    machine, link = (float(part.max(initial=1.0)) for part in (factors[:split], factors[split:]))
    return SoftSlot(loose.gain, tight.gain, machine, link, draws)


def _drawn(data: RingSlotData, drawn: Mapping[int, Placement], factors: Floats) -> SoftDraw:
    held = {data.asks[ask].job: placement for ask, placement in drawn.items()}
    full, split = fullness(data, held), data.model.capacity.size
    machine, link = (float(part.max(initial=0.0)) for part in (full[:split], full[split:]))
    return SoftDraw(held, gain_of(data, held), machine, link, bool((full <= factors).all()))


def fullness(data: RingSlotData, held: Mapping[int, Placement]) -> Floats:
    """Return how full placements make every limit: 1 is all there is of it."""
    limits = _limits(data)
    taken = np.zeros_like(limits)
    for job, placement in held.items():
        for place, amount in uses_of(data.model, job, placement):
            taken[place] += amount
    return np.divide(taken, limits, out=np.zeros_like(taken), where=taken > 0)


def printed_factors(data: RingSlotData, sizes: Sequence[int]) -> Floats:
    """Return the factor of every limit, with rings of these sizes; 1 where none can be exceeded."""
    model, limits = data.model, _limits(data)
    machines, split = len(model.capacity), model.capacity.size
    once, squares = np.zeros_like(limits), np.zeros_like(limits)
    for ask, size in zip(data.asks, sizes, strict=True):
        most = np.minimum(fits(model.capacity, model.worker[ask.job]), size)
        part = np.zeros_like(limits)
        part[:split] = (model.worker[ask.job] * (most > 0)[:, None]).ravel()
        part[split:] = model.reserved[ask.job] if size > 1 else 0.0
        often = np.ones_like(limits)
        often[:split] = np.repeat(most, model.capacity.shape[1])
        squares += np.where(part > 0, often**2, 0.0)
        once = np.maximum(once, part)
    parts = np.divide(once, limits, out=np.zeros_like(once), where=once > 0)
    factors: Floats = 1 + parts.max(initial=0.0) * np.sqrt(2 * squares * log(machines))
    return factors


def _limits(data: RingSlotData) -> Floats:
    return np.concatenate([limit.ravel() for limit in data.model.limits])
