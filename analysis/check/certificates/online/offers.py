"""What some workers of a job cost at least in a slot, whatever machines it takes."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import ceil, lcm
from typing import NamedTuple

from .....instances.online.instance import Machine, OnlineInstance, TrainingJob
from .....instances.reading.vocabulary import Amounts
from .....instances.regions import may_run


class PricedOffer(NamedTuple):
    """Some workers, inside a machine or across machines, and the least that they cost."""

    inside: bool
    workers: int
    cost: int


class Room(NamedTuple):
    """The most that one machine holds of a job while it is empty."""

    inside: int
    """Workers with the parameter servers that they need."""
    workers: int
    servers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Buyer:
    """A job with what it takes in whole numbers, and the room that each machine has for it."""

    job: TrainingJob
    worker: tuple[int, ...]
    server: tuple[int, ...]
    scale: int
    """What whole numbers are divided by, in costs too."""
    work: int
    fast: int
    """Samples of a worker inside a machine, in the unit of `work`."""
    slow: int
    rooms: tuple[Room, ...]

    def servers_for(self, workers: int) -> int:
        """Return the parameter servers that so many workers need."""
        return ceil(workers / Fraction(self.job.workers_per_server))


def buyer_of(instance: OnlineInstance, job: TrainingJob) -> Buyer:
    """Return a job as it buys."""
    rates = [job.rate(True, instance.slot_s), job.rate(False, instance.slot_s)]
    grain = lcm(*(rate.denominator for rate in rates))
    amounts = [Fraction(amount) for _, amount in (*job.worker, *job.server)]
    scale = lcm(*(amount.denominator for amount in amounts))
    known: dict[tuple[object, ...], Room] = {}
    rooms = []
    for machine in instance.machines:
        key = machine.capacity, machine.hosts, machine.region
        if key not in known:
            known[key] = _room(job, machine)
        rooms.append(known[key])
    return Buyer(
        job=job,
        worker=_whole(instance, job.worker, scale),
        server=_whole(instance, job.server, scale),
        scale=scale,
        work=job.work * grain,
        fast=int(rates[0] * grain),
        slow=int(rates[1] * grain),
        rooms=tuple(rooms),
    )


def _whole(instance: OnlineInstance, amounts: Amounts, scale: int) -> tuple[int, ...]:
    named = dict(amounts)
    return tuple(int(Fraction(named.get(r, 0)) * scale) for r in instance.resources)


def _room(job: TrainingJob, machine: Machine) -> Room:
    if not may_run(job, machine):
        return Room(0, 0, 0)
    held, gamma = dict(machine.capacity), Fraction(job.workers_per_server)

    def over(workers: int, servers: int) -> bool:
        each = [(r, workers * Fraction(amount)) for r, amount in job.worker]
        each += [(r, servers * Fraction(amount)) for r, amount in job.server]
        takes = dict.fromkeys((r for r, _ in each), Fraction(0))
        for r, amount in each:
            takes[r] += amount
        return any(amount > held.get(r, 0) for r, amount in takes.items())

    def most(count: int, *, workers: bool, servers: bool) -> int:
        def beyond(some: int) -> bool:
            needed = ceil(some / gamma) if workers else some
            return over(some if workers else 0, needed if servers else 0)

        return bisect_right(range(1, count + 1), False, key=beyond)

    batch = job.batch_samples
    works, serves = machine.may_hold("workers"), machine.may_hold("servers")
    return Room(
        inside=most(batch, workers=True, servers=True) if works and serves else 0,
        workers=most(batch, workers=True, servers=False) if works else 0,
        servers=most(ceil(batch / gamma), workers=False, servers=True) if serves else 0,
    )


def offers_of(buyer: Buyer, prices: Sequence[Sequence[int]]) -> list[PricedOffer]:
    """Return the offers of a slot, given the prices of each machine's resources."""
    worker = [_cost(row, buyer.worker) for row in prices]
    server = [_cost(row, buyer.server) for row in prices]
    return [*_inside(buyer, worker, server), *_across(buyer, worker, server)]


def _cost(prices: Sequence[int], amounts: Sequence[int]) -> int:
    return sum(price * amount for price, amount in zip(prices, amounts, strict=True))


def _inside(buyer: Buyer, worker: Sequence[int], server: Sequence[int]) -> Iterator[PricedOffer]:
    # Of machines with the same prices only the roomiest counts.
    roomiest: dict[tuple[int, int], int] = {}
    for pair, room in zip(zip(worker, server, strict=True), buyer.rooms, strict=True):
        roomiest[pair] = max(room.inside, roomiest.get(pair, 0))
    for w in range(1, _enough(buyer, buyer.fast, max(roomiest.values())) + 1):
        servers = buyer.servers_for(w)
        costs = (w * a + servers * b for (a, b), room in roomiest.items() if room >= w)
        yield PricedOffer(True, w, min(costs))


def _across(buyer: Buyer, worker: Sequence[int], server: Sequence[int]) -> Iterator[PricedOffer]:
    """Yield offers of the cheapest workers and, as if there were none, parameter servers."""
    batch = _enough(buyer, buyer.slow, buyer.job.batch_samples)
    rooms = buyer.rooms
    paid = _cheapest(zip(worker, (room.workers for room in rooms), strict=True), batch)
    most = buyer.servers_for(batch)
    beside = _cheapest(zip(server, (room.servers for room in rooms), strict=True), most)
    for w in range(1, len(paid)):
        servers = buyer.servers_for(w)
        if servers < len(beside):
            yield PricedOffer(False, w, paid[w] + beside[servers])


def _cheapest(offered: Iterable[tuple[int, int]], most: int) -> list[int]:
    """Return what 0, 1, .. cost, the cheapest first, each price up to a count of its own."""
    bought: list[int] = []
    for price, count in sorted(offered):
        bought += [price] * min(count, most - len(bought))
    return list(accumulate(bought, initial=0))


def _enough(buyer: Buyer, rate: int, most: int) -> int:
    """Return the workers after whom no more are needed for all samples."""
    return min(most, -(-buyer.work // rate))
