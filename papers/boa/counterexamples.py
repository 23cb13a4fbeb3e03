"""A search for a policy that beats the program at its own spend, which the theorem excludes.

Random policies are varied repeatedly, and the better one is kept. It has the smaller ratio of mean
completion time to the least that its spend could buy for the same jobs.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.random import Generator

from ...analysis.tables import Table, columns_of, texts
from ...campaigns.rent.budget import UP, written
from ...campaigns.reproductions import Settings
from ...instances import FleetInstance
from ...instances.generate import generate
from ...policies.rental.dual import Streams, solve_budget, streams_of
from ...run import ContradictionError
from ...search.rental.bounds import combinatorial_bounds
from ...simulation.fleet.result import FleetResult
from ...simulation.fleet.simulate import simulate_decider
from ...simulation.fleet.stream import MILLI, JobStream, stream_of
from ...simulation.fleet.views import FleetDecision, FleetSetting, FleetView
from ...simulation.model import Floats, Ints
from ..study import table_of

CROWDS = (3, 6)
"""Other widths are given from this many jobs on."""

ORDERS = ("first come", "least service", "most service", "last come")

MOST_GPUS = 64

STEP = 0.3
"""Spread of the logarithm of a number that is varied."""

CLOCKS = (0, 0, 600)
"""Seconds between decisions without an event, 0 for none of them."""


@dataclass(slots=True, kw_only=True, eq=False)
class Rival:
    """Widths by type, epoch and crowd, the order of jobs, and the most GPUs rented and idle."""

    widths: Ints
    """Thousandths of GPUs."""
    cap: int
    """Thousandths of GPUs that are rented at most."""
    spare: int
    """The unused rented GPUs, while there are jobs."""
    order: str
    preempts: bool
    """True if jobs that come first take GPUs of running jobs."""
    interval: int
    until: int = 0

    def begin(self, setting: FleetSetting) -> None:
        """Know everything in advance."""

    def decide(self, view: FleetView) -> FleetDecision:
        """Assign GPUs in order, up to the cap. A job that does not fit gets the remaining GPUs."""
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
        """Describe it in words."""
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


KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "two types": ("fleet-two-types", {"load": Decimal(2)}),
    "mixed, real widths": ("fleet-mixed", {"types": 3, "widths": "any"}),
    "mixed, two epochs, whole widths": (
        "fleet-mixed",
        {"types": 2, "epochs": 2, "widths": "whole"},
    ),
    "with steps, real widths": ("fleet-stepped", {"types": 2, "widths": "any"}),
}
"""Instances of the search: families of the generator with their options, without overheads."""

CLIMBS, TRIES, JOBS = 5, 150, 25
"""Searches on each kind, policies in each, and jobs of a path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Climb:
    """The end of one search."""

    kind: str
    name: str
    """Of the instance."""
    first: float
    """The ratio of the policy that it began with."""
    ratio: Fraction
    """The certified ratio of the best: time and spend are exact and the bound is proved."""
    rival: Rival


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunt:
    """All searches."""

    climbs: tuple[Climb, ...]
    tries: int

    @property
    def best(self) -> Climb:
        """Return the search that came closest."""
        return min(self.climbs, key=lambda one: one.ratio)

    @property
    def sentence(self) -> str:
        """The statement on how close the search came."""
        return (
            f"counterexample search: none of {self.tries:,} policies has a mean JCT below the "
            "program's optimum for the same spend. The nearest has "
            f"{float(self.best.ratio):.5f} times that optimum, on {self.best.name}"
        )


def hunted(settings: Settings) -> Hunt:
    """Search on every kind of instance. A policy below the bound is an error."""
    climbs, tries = (1, 12) if settings.points else (CLIMBS, TRIES)
    found = tuple(_climb(kind, index, tries) for kind in KINDS for index in range(climbs))
    return Hunt(climbs=found, tries=len(found) * tries)


def _climb(kind: str, seed: int, tries: int) -> Climb:
    rng = np.random.default_rng(seed)
    fleet = _fleet(kind, seed)
    stream, _ = stream_of(fleet)
    streams, whole = streams_of(fleet), fleet.widths == "whole"
    rival = random_rival(len(fleet.types), stream.work.shape[1], whole, rng)
    played = simulate_decider(stream, rival)
    first = least = _ratio(fleet, streams, played)
    for _ in range(tries - 1):
        other = varied(rival, whole, rng)
        again = simulate_decider(stream, other)
        ratio = _ratio(fleet, streams, again)
        if ratio < least:
            rival, played, least = other, again, ratio
    return Climb(
        kind=kind, name=fleet.name, first=first, ratio=certified_ratio(fleet, played), rival=rival
    )


def _fleet(kind: str, seed: int) -> FleetInstance:
    family, options = KINDS[kind]
    name = f"{kind.replace(', ', '-').replace(' ', '-')}-s{seed}"
    made: FleetInstance = generate(family, seed=seed, name=name, jobs=JOBS, **options)
    return made


def _gpus(fleet: FleetInstance, played: FleetResult) -> Fraction:
    """Return the GPUs that were paid for, on average over the span."""
    return Fraction(played.paid, MILLI) * Fraction(fleet.tick_s) / Fraction(fleet.span_s)


def _ratio(fleet: FleetInstance, streams: Streams, played: FleetResult) -> float:
    """Return the mean completion time over the program's value, in floating point."""
    priced = solve_budget(streams, float(_gpus(fleet, played)))
    if priced is None:
        raise ContradictionError(f"{fleet.name}: done with fewer GPUs than any plan takes")
    return played.mean_jct_h / priced.mean_jct


def certified_ratio(fleet: FleetInstance, played: FleetResult) -> Fraction:
    """Return the same, exactly. Less than 1 would refute the theorem."""
    paid = replace(fleet, budget_gpus=written(_gpus(fleet, played), UP))
    least = combinatorial_bounds(paid)[0].value
    ratio = _mean(played.stream, played) / least
    if ratio < 1:
        raise ContradictionError(f"{fleet.name}: a mean {float(ratio)} times the certified least")
    return ratio


def _mean(stream: JobStream, played: FleetResult) -> Fraction:
    """Return the weighted mean completion time in hours, exactly."""
    weights = [Fraction(one.weight) for one in stream.types]
    total = count = Fraction(0)
    for kind, ticks in zip(stream.kind.tolist(), (played.end - stream.at).tolist(), strict=True):
        total += weights[kind] * ticks
        count += weights[kind]
    return total / count * Fraction(stream.tick_s) / 3600


def hunt_table(hunt: Hunt) -> Table:
    """Return a line for each kind of instance."""
    return table_of(
        "The search for a policy that beats the program",
        (
            *columns_of({"jobs": None, "searches": 0}),
            *columns_of({"first policies": 3, "best policies": 5}, over="least ratio of"),
            *texts("the best of all"),
        ),
        _lines(hunt),
        "Ratio: mean completion time / program's value for the same jobs and the "
        "policy's own spend. The ratios of best policies are certified. The best of all: "
        "widths of the types in their first epoch while few jobs are present, the largest "
        "rented amount, and the order of jobs.",
    )


def _lines(hunt: Hunt) -> Iterator[tuple[str, float, float, float, str]]:
    for kind in KINDS:
        own = [one for one in hunt.climbs if one.kind == kind]
        best = min(own, key=lambda one: one.ratio)
        first = min(one.first for one in own)
        yield kind, float(len(own)), first, float(best.ratio), best.rival.words()
