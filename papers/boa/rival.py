"""An online policy for rented GPUs that is nothing but numbers, so that it can be varied."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from ...simulation.fleet import MILLI, FleetDecision, FleetSetting, FleetView
from ...simulation.model import Floats, Ints

CROWDS = (3, 6)
"""Other widths are given from this many jobs on."""

ORDERS = ("first come", "least service", "most service", "last come")

MOST_GPUS = 64

STEP = 0.3
"""Spread of the logarithm of a number that is varied."""

CLOCKS = (0, 0, 600)
"""Seconds between decisions without an event; 0: there are none."""


@dataclass(slots=True, kw_only=True, eq=False)
class Rival:
    """Widths by type, epoch and crowd; who comes first; how much is rented at most, and idle."""

    widths: Ints
    """Thousandths of GPUs."""
    cap: int
    """Thousandths of GPUs that are rented at most."""
    spare: int
    """Those that are rented and not used, while there are jobs."""
    order: str
    preempts: bool
    """Whether jobs that come first take GPUs of those that run."""
    interval: int
    until: int = 0

    def begin(self, setting: FleetSetting) -> None:
        """Know everything in advance."""

    def decide(self, view: FleetView) -> FleetDecision:
        """Give out GPUs in order, up to the cap; a job that does not fit gets what is left."""
        crowd = int(np.searchsorted(CROWDS, len(view.jobs), side="right"))
        wants = np.minimum(self.widths[view.kind, view.epoch, crowd], self.cap)
        order = self._order(view)
        if not self.preempts:
            running = view.milli > 0
            wants = np.where(running, view.milli, wants)
            order = order[np.argsort(~running[order], kind="stable")]
        held = np.zeros_like(wants)
        fits = np.cumsum(wants[order]) <= self.cap
        held[order[fits]] = wants[order[fits]]
        spare = min(self.spare, self.cap - int(held.sum())) if len(held) else 0
        return FleetDecision(milli=held, rent=int(held.sum()) + spare)

    def _order(self, view: FleetView) -> Ints:
        if self.order == "first come":
            return np.arange(len(view.jobs))
        if self.order == "last come":
            return np.arange(len(view.jobs))[::-1]
        sign = 1 if self.order == "least service" else -1
        return np.argsort(sign * view.attained, kind="stable")

    def words(self) -> str:
        """Say what it does."""
        gpus = " ".join(f"{milli / MILLI:.3g}" for milli in self.widths[:, 0, 0].tolist())
        stops = "stops others" if self.preempts else "stops no job"
        return f"{gpus} GPUs, at most {self.cap / MILLI:.3g}, {self.order} first, {stops}"


def random_rival(types: int, epochs: int, whole: bool, rng: Generator) -> Rival:
    """Draw a policy."""
    drawn = rng.uniform(0, np.log(MOST_GPUS / 2), (types, epochs, 3))
    widths: Floats = MILLI * np.exp(drawn)
    if rng.random() < 0.5:
        widths[:] = widths[..., :1]
    return Rival(
        widths=_legal(widths, whole),
        cap=int(MILLI * rng.integers(1, 8 * MOST_GPUS)),
        spare=int(MILLI * rng.integers(0, 3)),
        order=str(rng.choice(ORDERS)),
        preempts=bool(rng.random() < 0.5),
        interval=int(rng.choice(CLOCKS)),
    )


def varied(rival: Rival, whole: bool, rng: Generator) -> Rival:
    """Return a policy that differs in one respect, or in some widths."""
    kind = int(rng.integers(10))
    if kind == 0:
        return replace(rival, cap=max(MILLI, int(rival.cap * np.exp(3 * STEP * rng.normal()))))
    if kind == 1:
        return replace(rival, spare=int(MILLI * rng.integers(0, 2)))
    if kind == 2:
        return replace(rival, order=str(rng.choice(ORDERS)), preempts=not rival.preempts)
    if kind == 3:
        return replace(rival, interval=int(rng.choice(CLOCKS)))
    change = np.exp(STEP * rng.normal(size=rival.widths.shape) * rng.random())
    if kind < 7:
        change[rng.random(change.shape) < 0.7] = 1
    elif kind == 7:
        change[:] = change[..., :1]
    return replace(rival, widths=_legal(rival.widths.astype(np.float64) * change, whole))


def _legal(widths: Floats, whole: bool) -> Ints:
    """Return widths that jobs may hold."""
    unit = MILLI if whole else 1
    rounded = np.rint(widths / unit).astype(np.int64) * unit
    return np.clip(rounded, MILLI, MOST_GPUS * MILLI)
