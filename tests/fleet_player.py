"""Plans of whole widths played by the rules of docs/families/rental-and-fleet.md, tick by tick.

It shares no line with the engine.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil

from check.fleet.naive import work_of

from ringyard.instances import FleetInstance

UNITS = 10**6
"""Work that one GPU does in a tick."""


@dataclass(slots=True, kw_only=True)
class _Rented:
    """A lease in ticks: whole GPUs, from, until, and when it is over."""

    gpus: int
    start: int
    stop: int | None = None


class Player:
    """The rules of docs/families/rental-and-fleet.md under whole widths by type, tick by tick."""

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

    def cost(self) -> Fraction:
        """Return what that costs."""
        hours = self.paid() * Fraction(self.fleet.tick_s) / 3600
        return hours * Fraction(self.fleet.price_per_gpu_h)

    def mean_h(self) -> Fraction:
        """Return the weighted mean completion time in hours."""
        weights = {one.name: Fraction(one.weight) for one in self.fleet.types}
        tick, took, worth = Fraction(self.fleet.tick_s), Fraction(0), Fraction(0)
        for j, job in enumerate(self.fleet.jobs):
            took += weights[job.type] * (self.ends[j] * tick - Fraction(job.arrival_s))
            worth += weights[job.type]
        return took / worth / 3600

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
