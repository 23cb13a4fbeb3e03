"""What schedulers of a cluster of fixed size share: it is rented from first to last."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from ...instances import FleetInstance, Outcome
from ...instances.speedup import MOST_GPUS
from ...simulation.fleet import MILLI, NEVER, FleetDecision, FleetSetting, FleetView
from ...simulation.model import Ints
from ..request import Request
from .within import serve


class Static:
    """A cluster of at least these thousandths of GPUs for the whole span."""

    interval = 0

    def __init__(self, instance: FleetInstance, target: Fraction) -> None:
        """Rent what `target` GPUs are enough for."""
        least = 1 if instance.widths == "whole" else Fraction(1, MILLI)
        unit = Fraction(instance.node_gpus or least)
        self.size = int(target // unit * unit * MILLI)
        self.until = -int(-Fraction(instance.span_s) / Fraction(instance.tick_s) // 1)

    def begin(self, setting: FleetSetting) -> None:
        """Remember what jobs ask for, no more than there is or a job may have."""
        most = min(self.size // MILLI, MOST_GPUS)
        self.asks = MILLI * np.array([min(one.asks, most) for one in setting.types], np.int64)
        self.whole = setting.whole

    def decide(self, view: FleetView) -> FleetDecision:
        """Return what is held from now on; the cluster stays as it is."""
        milli = self.share_out(view, view.usable(self.size))
        return FleetDecision(milli=milli, rent=self.size, still=self.still(view, milli))

    def still(self, view: FleetView, milli: Ints) -> int:
        """Return the tick until which it would say the same again."""
        return NEVER

    def share_out(self, view: FleetView, usable: int) -> Ints:
        """Return what each job holds."""
        raise NotImplementedError


def serve_static(
    instance: FleetInstance, request: Request[Any], name: str, make: Callable[[Fraction], Static]
) -> Outcome:
    """Return the log for the largest cluster that the budget is enough for."""

    def at_least_a_gpu(target: Fraction) -> Static | None:
        made = make(target)
        return made if made.size >= MILLI else None

    return serve(instance, request, name, at_least_a_gpu)


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
