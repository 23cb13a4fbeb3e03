"""The views of a fleet's scheduler, and its decisions."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ...instances import JobType, RentalPlan
from ..model import Ints
from .stream import Terms


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetSetting:
    """The types of jobs, as expected beforehand, and the terms, with the hours of one tick."""

    types: tuple[JobType, ...]
    terms: Terms
    tick_h: float
    whole: bool
    """True if jobs hold whole GPUs only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetHistory:
    """The jobs seen by a tick."""

    now: int
    spent: int
    """Thousandths of GPUs times ticks that were rented."""
    seen: Ints
    """Jobs that have arrived, by type."""
    done: Ints
    """Jobs that have ended, by type."""
    worked: Ints
    """Ticks of work on one GPU of those, by type and epoch."""


class Reviser(Protocol):
    """A scheduler that gives jobs their widths by type, and revises these from time to time.

    All plans have as many choices and stretches as the first. A job takes a new width where its
    next stretch begins.
    """

    every: int
    """Ticks between revisions."""

    def plan(self, tally: FleetHistory) -> RentalPlan:
        """Return the plan from now on."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetView:
    """The jobs that are there, in order of arrival, and the GPUs, without the lengths of jobs."""

    now: int
    jobs: Ints
    kind: NDArray[np.int64]
    epoch: Ints
    """The epoch each is in."""
    milli: Ints
    """Thousandths of GPUs that each holds, 0 if it waits."""
    attained: Ints
    """Thousandths of GPUs times ticks that each has held."""
    started: NDArray[np.bool_]
    """True if each has run before."""
    rented: int
    """Thousandths of GPUs that are paid for."""
    ready: int
    """The usable ones."""
    terms: Terms

    def usable(self, rent: int) -> int:
        """Return the GPUs that can be held at once if so many are rented."""
        unit = self.terms.unit
        rounded = -(-rent // unit) * unit
        return min(self.ready, rounded) if self.terms.provision else rounded


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetDecision:
    """GPUs that each job in the view holds from now on, and GPUs to be rented."""

    milli: Ints
    rent: int
    still: int = 0
    """Before this tick the scheduler would decide the same, unless something happens."""


@runtime_checkable
class FleetDecider(Protocol):
    """A scheduler that decides what every job holds, at each event."""

    interval: int
    """It also runs at multiples of this number of ticks, unless no event can follow.

    0 means never.
    """
    until: int
    """GPUs are kept until this tick at least, even if no job is left."""

    def begin(self, setting: FleetSetting) -> None:
        """Receive the jobs and terms."""
        ...

    def decide(self, view: FleetView) -> FleetDecision:
        """Return the GPUs to hold and to rent from now on."""
        ...
