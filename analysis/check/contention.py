"""The cost of contention: rings on shared links, their slowdowns, and their pace.

The usable entries of a `makespan` schedule become rings. Equations (7) to (9) give the cost of
contention, seconds per iteration, and iterations per slot. A contention model gives a ring's
slowdown b^e / B. A job on a single server uses the links inside it, with B = b^i and slowdown 1.
Fluid links are shared max-min fairly.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from heapq import heapify, heappop, heappush
from math import ceil, floor
from typing import Generic, Protocol, TypeVar

from ...instances.cluster import FluidLinks, ServerUplink
from ...instances.makespan import Assignment, MakespanInstance, RingJob, Schedule
from .judge import AnyVerdict


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RingRun:
    """A job with the start and the GPUs used for time and capacity.

    `spread` are the servers on which the job is spread: the servers with at least one but not all
    of its requested GPUs (equation 6). `gpu` is the kind of GPUs of its first server.
    """

    job: RingJob
    index: int
    start: Fraction
    gpus: Mapping[str, int]
    spread: tuple[str, ...]
    claimed_end: Fraction | None
    gpu: str | None


def pieces_of(entry: Assignment) -> dict[str, int]:
    """Add up the GPUs of an entry by server."""
    total: dict[str, int] = {}
    for server, count in entry.gpus:
        total[server] = total.get(server, 0) + count
    return total


def runs_of(instance: MakespanInstance, schedule: Schedule) -> tuple[RingRun, ...]:
    """Return the first usable entry of every job, in the order of the schedule.

    An entry is usable if job and servers are known and it holds at least one GPU. Unless progress
    is continuous, a start inside a slot is moved to the next whole slot.
    """
    jobs = {job.name: job for job in instance.jobs}
    servers = {server.name: server.gpu for server in instance.cluster.servers}
    found: dict[str, RingRun] = {}
    for index, entry in enumerate(schedule.assignments):
        job = jobs.get(entry.job)
        gpus = {server: count for server, count in pieces_of(entry).items() if count > 0}
        if job is None or job.name in found or not gpus or not gpus.keys() <= servers.keys():
            continue
        start = Fraction(entry.start_slot)
        if instance.progress != "continuous":
            start = Fraction(ceil(start))
        found[job.name] = RingRun(
            job=job,
            index=index,
            start=start,
            gpus=gpus,
            spread=tuple(server for server, count in gpus.items() if count < job.gpus),
            claimed_end=None if entry.end_slot is None else Fraction(entry.end_slot),
            gpu=servers[next(iter(gpus))],
        )
    return tuple(found.values())


def uplink_slowdown(model: ServerUplink, rings: int) -> Fraction:
    """Return f(alpha, k) of (7) and (8) for a ring whose busiest server hosts `rings` rings."""
    k = max(Fraction(1), Fraction(model.share) * rings)
    return k + Fraction(model.degradation) * (k - 1)


def overhead_s(instance: MakespanInstance, run: RingRun) -> Fraction:
    """Return gamma: seconds lost per iteration to the number or fullness of servers."""
    unit = Fraction(instance.overhead_s)
    if instance.overhead == "paper":
        return unit * len(run.gpus)
    if len(run.gpus) < 2:
        return Fraction(0)
    return unit if instance.overhead == "step" else unit * max(run.gpus.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Speed of a run: the part of (8) that contention stretches, and the remaining terms."""

    exchange_s: Fraction
    rest_s: Fraction
    slot_s: Fraction
    whole: bool

    def iteration_s(self, slowdown: Fraction) -> Fraction:
        """Return tau of (8)."""
        return self.exchange_s * slowdown + self.rest_s

    def iterations_per_slot(self, slowdown: Fraction) -> Fraction:
        """Return phi of (9), rounded down only if progress is `floor`."""
        rate = self.slot_s / self.iteration_s(slowdown)
        return Fraction(floor(rate)) if self.whole else rate


def pace_of(instance: MakespanInstance, run: RingRun) -> Pace:
    """Return the terms of (8): exchange, and the sum of reduction, overhead, forward, backward.

    A kind on which the job may not run has no effect, because it breaks a rule.
    """
    cluster, job = instance.cluster, run.job
    bandwidth = cluster.inter_bandwidth_gb_s if run.spread else cluster.intra_bandwidth_gb_s
    part = Fraction(job.gradient_gb) / job.gpus
    added = part * (job.gpus - 1)
    return Pace(
        exchange_s=2 * added / Fraction(bandwidth),
        rest_s=(added / Fraction(cluster.reduce_gb_s) if cluster.reduce_gb_s else Fraction(0))
        + overhead_s(instance, run)
        + job.compute_s(job.speed_on(run.gpu) or Decimal(1)),
        slot_s=Fraction(instance.slot_s),
        whole=instance.progress == "floor",
    )


def usage_steps(
    runs: tuple[RingRun, ...], ends: Mapping[RingRun, Fraction]
) -> dict[str, dict[Fraction, int]]:
    """Return by server and moment how many GPUs more (or fewer) are in use from then on."""
    steps: dict[str, dict[Fraction, int]] = {}
    for run in runs:
        for server, count in run.gpus.items():
            at = steps.setdefault(server, {})
            at[run.start] = at.get(run.start, 0) + count
            if run in ends:
                at[ends[run]] = at.get(ends[run], 0) - count
    return steps


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A stretch of a job's life with constant contention.

    `slowdown` is b^e / B: 1 for a ring alone on its links, and for a job inside one server.
    The spans of a job that completes tile [its start, its end) in order.
    """

    job: str
    start: Fraction
    end: Fraction
    slowdown: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict(AnyVerdict):
    """Every violation, and the known part of the schedule's cost.

    Times are slots from 0. `ends` holds the jobs that complete. `makespan` is the latest end and
    `mean_completion` the mean end (releases are not subtracted). Both are None unless every job of
    the instance completes. `runs` are the entries that were used.
    """

    ends: Mapping[str, Fraction]
    makespan: Fraction | None
    mean_completion: Fraction | None
    spans: tuple[Span, ...]
    runs: tuple[RingRun, ...] = field(default=(), compare=False)

    @property
    def objective(self) -> Fraction | None:
        """The makespan."""
        return self.makespan


F = TypeVar("F", bound=Hashable)
L = TypeVar("L", bound=Hashable)


def max_min_rates(
    routes: Mapping[F, Sequence[L]],
    capacity: Mapping[L, Fraction],
    counts: Mapping[F, int] | None = None,
) -> dict[F, Fraction]:
    """Fill all rings at equal pace, freezing a ring when one of its links is full.

    `routes` gives the links crossed by every ring, each once. A ring without links has no rate.
    With `counts`, a key stands for several rings on one route. Its rate is the rate of one ring.
    """
    waiting: dict[L, dict[F, None]] = {}
    crossing: dict[L, int] = {}
    for ring, links in routes.items():
        number = 1 if counts is None else counts[ring]
        for link in links:
            waiting.setdefault(link, {})[ring] = None
            crossing[link] = crossing.get(link, 0) + number
    free = {link: capacity[link] for link in waiting}
    # The equal share of a link's rings only grows as rings leave it, so old shares are too small.
    shares = [(free[link] / crossing[link], i, link) for i, link in enumerate(waiting)]
    heapify(shares)
    rates: dict[F, Fraction] = {}
    while shares:
        old, i, link = heappop(shares)
        if not waiting[link]:
            continue
        share = free[link] / crossing[link]
        if share > old:
            heappush(shares, (share, i, link))
            continue
        # The link with the least share is full first; its rings get that share and leave.
        leaving: dict[L, int] = {}
        for ring in list(waiting[link]):
            rates[ring] = share
            number = 1 if counts is None else counts[ring]
            for crossed in routes[ring]:
                leaving[crossed] = leaving.get(crossed, 0) + number
                del waiting[crossed][ring]
        for crossed, number in leaving.items():
            crossing[crossed] -= number
            if crossing[crossed]:
                free[crossed] -= share * number
    return rates


Link = tuple[str, str]
"""Tier (server, leaf or spine) and name of the node whose uplink it is."""


class SharingRing(Hashable, Protocol):
    """A run as contention models see it."""

    @property
    def spread(self) -> tuple[str, ...]:
        """The servers whose uplinks it crosses."""
        ...


R = TypeVar("R", bound=SharingRing)


class RingSharing(Protocol[R]):
    """The spread rings present at one moment."""

    def change(self, leaving: Iterable[R], joining: Iterable[R]) -> dict[R, Fraction]:
        """Remove rings, then add rings, and return the slowdowns that may be new."""
        ...


def sharing_of(instance: MakespanInstance) -> RingSharing[RingRun]:
    """Return the sharing of an instance's contention model, with no ring present."""
    model, uplink = instance.contention, Fraction(instance.cluster.inter_bandwidth_gb_s)
    parts = {one.name: Fraction(one.uplink) for one in instance.cluster.servers if one.uplink != 1}
    if isinstance(model, ServerUplink):
        return UplinkSharing(model, parts)
    return FluidSharing(model, uplink, parts)


class NoSharing(Generic[R]):
    """Every ring has its links to itself."""

    def change(self, leaving: Iterable[R], joining: Iterable[R]) -> dict[R, Fraction]:
        """Remove and add rings. No other ring is affected."""
        return dict.fromkeys(joining, Fraction(1))


class UplinkSharing(Generic[R]):
    """Equation (6): the maximum number of rings on any of its servers slows a ring down.

    On an uplink of a fraction u of b^e, the same number slows it down 1 / u times as much.
    """

    def __init__(self, model: ServerUplink, parts: Mapping[str, Fraction] | None = None) -> None:
        """Start with no ring anywhere. `parts` are the fractions other than 1, by server."""
        self._rings: dict[str, dict[R, None]] = {}
        self._parts = parts or {}
        self._slowdown = cache(partial(uplink_slowdown, model))

    def change(self, leaving: Iterable[R], joining: Iterable[R]) -> dict[R, Fraction]:
        """Update the touched servers. Only rings there can have a new slowdown."""
        touched: dict[str, None] = {}
        for run in leaving:
            for server in run.spread:
                del self._rings[server][run]
                touched[server] = None
        for run in joining:
            for server in run.spread:
                self._rings.setdefault(server, {})[run] = None
                touched[server] = None
        affected = dict.fromkeys(run for server in touched for run in self._rings[server])
        if self._parts:
            return {run: max(map(self._on, run.spread)) for run in affected}
        return {run: self._slowdown(self._most(run)) for run in affected}

    def _most(self, run: R) -> int:
        return max(len(self._rings[server]) for server in run.spread)

    def _on(self, server: str) -> Fraction:
        """Return the slowdown that a server alone causes."""
        return self._slowdown(len(self._rings[server])) / self._parts.get(server, 1)


class FluidSharing(Generic[R]):
    """Max-min fair rates on the links of a tree, recomputed for all rings that a change reaches."""

    def __init__(
        self, model: FluidLinks, uplink_gb_s: Fraction, parts: Mapping[str, Fraction] | None = None
    ) -> None:
        """Start with no ring anywhere.

        Capacities are summed up the tree, divided by the oversubscription of each tier. `parts` of
        the widest uplink are those of servers with another one.
        """
        parts = parts or {}
        self._uplink = uplink_gb_s
        self._routes: dict[R, list[Link]] = {}
        self._rings: dict[Link, dict[R, None]] = {}
        self._leaf_of: dict[str, str] = {}
        self._spine_of: dict[str, str] = {}
        self._capacity: dict[Link, Fraction] = {}
        for leaf in model.leaves:
            self._spine_of[leaf.name] = leaf.spine
            for server in leaf.servers:
                self._leaf_of[server] = leaf.name
                self._capacity["server", server] = uplink_gb_s * parts.get(server, 1)
            below = sum(self._capacity["server", server] for server in leaf.servers)
            above = below / Fraction(model.leaf_oversubscription)
            self._capacity["leaf", leaf.name] = above
            spine = "spine", leaf.spine
            core = above / Fraction(model.spine_oversubscription)
            self._capacity[spine] = self._capacity.get(spine, Fraction(0)) + core

    def _route(self, servers: Sequence[str]) -> list[Link]:
        """Return the uplinks of a ring: in each tier, no uplink unless it touches two nodes there.

        A ring always uses the uplinks of the servers that it is spread on.
        """
        leaves = dict.fromkeys(self._leaf_of[server] for server in servers)
        spines = dict.fromkeys(self._spine_of[leaf] for leaf in leaves)
        links = [("server", server) for server in servers]
        if len(leaves) > 1:
            links += [("leaf", leaf) for leaf in leaves]
        if len(spines) > 1:
            links += [("spine", spine) for spine in spines]
        return links

    def change(self, leaving: Iterable[R], joining: Iterable[R]) -> dict[R, Fraction]:
        """Share the links among the rings that these share links with, directly or not."""
        touched: dict[Link, None] = {}
        for run in leaving:
            for link in self._routes.pop(run):
                del self._rings[link][run]
                touched[link] = None
        for run in joining:
            self._routes[run] = self._route(run.spread)
            for link in self._routes[run]:
                self._rings.setdefault(link, {})[run] = None
                touched[link] = None
        reached = self._reached(touched)
        rates = max_min_rates(reached, self._capacity)
        return {run: self._uplink / rate for run, rate in rates.items()}

    def _reached(self, touched: Iterable[Link]) -> dict[R, list[Link]]:
        """Return the routes of all rings that a chain of shared links leads to."""
        links = list(touched)
        reached: dict[R, list[Link]] = {}
        while links:
            for run in self._rings[links.pop()]:
                if run not in reached:
                    reached[run] = self._routes[run]
                    links += self._routes[run]
        return reached
