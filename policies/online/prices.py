"""Prices of what is free: they rise with every part that is taken (OASiS, PD-ORS)."""

from collections.abc import Iterable

import numpy as np

from ...simulation.online.model import Floats, OnlineModel


class Prices:
    """``p = low (high / low)^(part taken)`` for every slot, machine and resource."""

    def __init__(self, model: OnlineModel, low: Floats, high: Floats) -> None:
        """Start at `low`; both limits are by machine and resource, positive, for a whole unit."""
        self._capacity, self._low = model.capacity, low
        self._power = np.log(high / low)
        self.now: Floats = np.repeat(low[None], model.slots, axis=0)
        """Prices by slot, machine and resource."""

    def update(self, free: Floats, slot: int, machines: Iterable[int]) -> None:
        """Let the prices of a slot follow what is free on some machines."""
        h = list(machines)
        capacity = self._capacity[h]
        taken = np.divide(capacity - free[slot, h], capacity, where=capacity > 0, out=capacity * 0)
        self.now[slot, h] = self._low[h] * np.exp(taken * self._power[h])
