"""What schedulers of a cluster of fixed size share: it is rented from first to last."""

from fractions import Fraction

import numpy as np

from ...instances import FleetInstance
from ...simulation.fleet import MILLI, Board, Decision, World
from ...simulation.model import Ints


class Static:
    """A cluster of so many thousandths of GPUs for the whole span, at least."""

    interval = 0

    def __init__(self, instance: FleetInstance, target: Fraction) -> None:
        """Rent what `target` GPUs are enough for."""
        least = 1 if instance.widths == "whole" else Fraction(1, MILLI)
        unit = Fraction(instance.node_gpus or least)
        self.size = int(target // unit * unit * MILLI)
        self.until = -int(-Fraction(instance.span_s) / Fraction(instance.tick_s) // 1)

    def begin(self, world: World) -> None:
        """Remember what jobs ask for, no more than there is."""
        most = self.size // MILLI
        self.asks = MILLI * np.array([min(one.asks, most) for one in world.types], np.int64)
        self.whole = world.whole

    def decide(self, board: Board) -> Decision:
        """Return what is held from now on; the cluster stays as it is."""
        usable = board.usable(self.size)
        return Decision(milli=self.share_out(board, usable), rent=self.size)

    def share_out(self, board: Board, usable: int) -> Ints:
        """Return what each job holds."""
        raise NotImplementedError


def in_order(wants: Ints, order: Ints, free: int, *, overtaking: bool) -> Ints:
    """Give jobs what they want, in order; one that does not fit is left out, or all behind it."""
    held = np.zeros_like(wants)
    if not overtaking:
        fits = np.cumsum(wants[order]) <= free
        held[order[fits]] = wants[order[fits]]
        return held
    for place in order.tolist():
        if wants[place] <= free:
            held[place] = wants[place]
            free -= int(wants[place])
        if free < MILLI:
            break
    return held
