"""Tiny random fleets with nasty numbers, and what they come to, tick by tick in the plainest way.

`draw` makes an instance of a seed. `player` follows the rules of docs/fleet.md under one width for
each type, and `recount` goes through a log; neither shares a line with the engine or the judge.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from math import ceil
from random import Random

from check.fleet.naive import Usage, live, spend, work_of

from ringyard.instances import (
    Amdahl,
    Epoch,
    FleetInstance,
    FleetJob,
    FleetLog,
    JobType,
    PowerLaw,
    SpeedPoint,
    SpeedTable,
    Speedup,
    validate,
)

UNITS = 10**6
"""Work that one GPU does in a tick."""

SPANS = (10, 16, 25, 40)
"""Ticks of a span: what costs so many GPU-ticks is a budget with few decimals."""


def draw(seed: int | str | Random) -> FleetInstance:
    """Return a fleet of up to four jobs, its budget often just what some simple plan costs."""
    luck = seed if isinstance(seed, Random) else Random(seed)
    tick = luck.choice(_decimals("1", "60", "0.1", "0.333333333333333", "1e-9"))
    types = tuple(_type(luck, f"t{i}") for i in range(luck.randint(1, 2)))
    made = FleetInstance(
        name=f"fleet-{seed if isinstance(seed, int | str) else 'drawn'}",
        types=types,
        jobs=tuple(_job(luck, f"j{i}", types, tick) for i in range(luck.randint(1, 4))),
        span_s=luck.choice(SPANS) * tick,
        budget_gpus=Decimal(1),
        price_per_gpu_h=luck.choice(_decimals("1", "1", "0.333333333333333", "1e-9", "1e9")),
        widths=luck.choice(["any", "whole"]),
        rescale_s=luck.choice((0, 0, 1, 3)) * tick,
        provision_s=luck.choice((0, 0, 1, 3, 7)) * tick,
        node_gpus=luck.choice((None, None, None, 2, 8)),
        billing_s=luck.choice((None, None, 4 * tick, 6 * tick, 12 * tick)),
        tick_s=tick,
    )
    made = replace(made, budget_gpus=_budget(luck, made))
    validate(made)
    return made


def _decimals(*words: str) -> tuple[Decimal, ...]:
    return tuple(map(Decimal, words))


def _type(luck: Random, name: str) -> JobType:
    epochs = (
        Epoch(work_h=luck.choice(_decimals("0.1", "1", "1e-9")), speedup=_speedup(luck))
        for _ in range(luck.choice((1, 1, 2)))
    )
    return JobType(
        name=name,
        rate_per_h=luck.choice(_decimals("1", "20", "0.333333333333333", "1e9")),
        weight=luck.choice(_decimals("1", "1", "0.333333333333333", "1e-9", "1e9")),
        asks=luck.choice((1, 2, 3, 4, 8)),
        epochs=tuple(epochs),
    )


def _speedup(luck: Random) -> Speedup:
    model = luck.randrange(3)
    if model == 0:
        return PowerLaw(exponent=luck.choice(_decimals("1", "0.5", "0.333333333333333", "1e-9")))
    if model == 1:
        return Amdahl(parallel=luck.choice(_decimals("1", "0.9", "0.666666666666667", "0")))
    points, speed = [SpeedPoint(gpus=Decimal(1), speed=Decimal(1))], Decimal(1)
    for gpus in sorted(luck.sample(range(2, 9), luck.randint(1, 3))):
        speed = luck.choice((speed, speed + Decimal("0.333333333333333"), Decimal(gpus)))
        points.append(SpeedPoint(gpus=Decimal(gpus), speed=speed))
    return SpeedTable(points=tuple(points))


def _job(luck: Random, name: str, types: Sequence[JobType], tick: Decimal) -> FleetJob:
    kind = luck.choice(types)
    work = (luck.choice((1, 2, 3, 4, 6, 6, 9, 12)) * tick for _ in kind.epochs)
    arrival = luck.choice((0, 0, 1, 4, 6, 6, 9))
    return FleetJob(name=name, type=kind.name, arrival_s=arrival * tick, work_s=tuple(work))


def _budget(luck: Random, fleet: FleetInstance) -> Decimal:
    """Return what a plan of one width costs, to the last digit, or a bit more, or less."""
    width = luck.choice((1, 1, 1, 2, 4))
    cost = Player(fleet, [width] * len(fleet.types)).run().paid()
    exact = Decimal(cost) / int(fleet.span_s / fleet.tick_s)
    factor = luck.choice(_decimals("1", "1", "1", "1.000001", "0.999999", "1.3", "2", "5"))
    return exact * factor


@dataclass(slots=True, kw_only=True)
class _Rented:
    """A lease in ticks: whole GPUs, from, until, and when it is over."""

    gpus: int
    start: int
    stop: int | None = None


class Player:
    """The rules of docs/fleet.md under whole widths by type, one tick after the other."""

    def __init__(self, fleet: FleetInstance, widths: Sequence[int]) -> None:
        tick = fleet.tick_s
        self.fleet, self.leases, self.now = fleet, list[_Rented](), 0
        self.unit, self.early = fleet.node_gpus or 1, int(fleet.provision_s / tick)
        self.period = int((fleet.billing_s or tick) / tick)
        kinds = dict(zip((one.name for one in fleet.types), widths, strict=True))
        order = sorted(range(len(fleet.jobs)), key=lambda j: fleet.jobs[j].arrival_s)
        self.coming = deque((int(fleet.jobs[j].arrival_s / tick), j) for j in order)
        self.width = [kinds[job.type] for job in fleet.jobs]
        self.left = [[UNITS * int(part / tick) for part in job.work_s] for job in fleet.jobs]
        self.waiting, self.running = deque[int](), list[int]()
        self.ends: dict[int, int] = {}

    def run(self) -> "Player":
        """Play until all jobs are done and nothing is leased."""
        while self.coming or self.waiting or self.running or self._open():
            self._end_jobs()
            while self.coming and self.coming[0][0] == self.now:
                self.waiting.append(self.coming.popleft()[1])
            self._lease()
            while self.waiting and self._held() + self.width[self.waiting[0]] <= self._usable():
                self.running.append(self.waiting.popleft())
            for j in self.running:
                self.left[j][0] -= work_of(
                    self.fleet, self.fleet.jobs[j], self.left[j], Decimal(self.width[j])
                )
            self.now += 1
        return self

    def paid(self) -> int:
        """Return GPU-ticks that are paid for."""
        return sum(
            one.gpus * ceil(Fraction((one.stop or 0) - one.start, self.period)) * self.period
            for one in self.leases
        )

    def rows(self) -> list[tuple[int, int, int]]:
        """Return leases that began at the same tick, and ended so, as one: start, stop, GPUs."""
        sums: dict[tuple[int, int], int] = {}
        for one in self.leases:
            if one.stop != one.start:
                pair = (one.start, one.stop or 0)
                sums[pair] = sums.get(pair, 0) + one.gpus
        return sorted((*pair, gpus) for pair, gpus in sums.items())

    def _open(self) -> list[_Rented]:
        return [one for one in self.leases if one.stop is None]

    def _held(self) -> int:
        return sum(self.width[j] for j in self.running)

    def _usable(self) -> int:
        return sum(one.gpus for one in self._open() if one.start + self.early <= self.now)

    def _end_jobs(self) -> None:
        for j in list(self.running):
            if self.left[j][0] <= 0:
                del self.left[j][0]
            if not self.left[j]:
                self.running.remove(j)
                self.ends[j] = self.now

    def _lease(self) -> None:
        """Give nodes back, one by one, or ask for more."""
        need = self._held() + sum(self.width[j] for j in self.waiting)
        want = -(-need // self.unit)
        rented = self._open()
        # The newest go first where every tick is paid for; else who is over, the oldest first.
        by_tick = self.fleet.billing_s is None
        for one in reversed(rented) if by_tick else rented:
            over = by_tick or (self.now > one.start and (self.now - one.start) % self.period == 0)
            ready = one.start + self.early <= self.now
            spare = not ready or self._usable() - self.unit >= self._held()
            if over and spare and len(self._open()) > want:
                one.stop = self.now
        for _ in range(want - len(self._open())):
            self.leases.append(_Rented(gpus=self.unit, start=self.now))


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What a log comes to: spend, the weighted mean in hours, and most GPUs short in a tick."""

    spend: Fraction
    mean_h: Fraction
    short: Fraction


def recount(fleet: FleetInstance, log: FleetLog) -> Counted:
    """Go through a log tick by tick."""
    tick, use = fleet.tick_s, Usage()
    entries = {entry.job: entry for entry in log.jobs}
    weights = {one.name: Fraction(one.weight) for one in fleet.types}
    total = worth = Fraction(0)
    for job in fleet.jobs:
        end = live(fleet, job, entries[job.name], use)
        assert end is not None, f"{job.name} does not end"
        total += weights[job.type] * (end * Fraction(tick) - Fraction(job.arrival_s))
        worth += weights[job.type]
    ready: dict[int, Fraction] = {}
    for one in log.leases:
        first = int((one.start_s + fleet.provision_s) / tick)
        for now in range(first, int(one.stop_s / tick)):
            ready[now] = ready.get(now, Fraction(0)) + Fraction(one.gpus)
    short = max(
        (Fraction(gpus) - ready.get(now, 0) for now, gpus in use.items()), default=Fraction(0)
    )
    price = Fraction(fleet.price_per_gpu_h) / 3600
    return Counted(spend=spend(fleet, log) * price, mean_h=total / worth / 3600, short=short)
