"""What some workers of a job cost at least in a slot, whatever machines it takes."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate
from math import ceil, lcm
from operator import mul
from typing import NamedTuple

from .....instances.online import Machine, OnlineInstance, TrainingJob
from .....instances.regions import may_run
from ..kernel import in_whole

Offer = tuple[int, int]
"""Samples that workers go through in a slot, and the least that these cost."""


class Room(NamedTuple):
    """The most that one machine holds of a job while it is empty."""

    inside: int
    """Workers with the parameter servers that they need."""
    workers: int
    servers: int


class Buyer(NamedTuple):
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
    rooms: list[Room]

    def servers_for(self, workers: int) -> int:
        """Return the parameter servers that so many workers need."""
        return ceil(workers / Fraction(self.job.workers_per_server))


def buyer_of(instance: OnlineInstance, job: TrainingJob) -> Buyer:
    """Return a job as it buys."""
    resources = instance.resources
    fast, slow = (job.rate(near, instance.slot_s) for near in (True, False))
    grain, (scale, takes) = (
        lcm(fast.denominator, slow.denominator),
        in_whole((job.worker, job.server)),
    )
    worker, server = (tuple(own.get(r, 0) for r in resources) for own in takes)
    work, rooms = job.work * grain, list[Room]()
    buyer = Buyer(job, worker, server, scale, work, int(fast * grain), int(slow * grain), rooms)
    known: dict[tuple[object, ...], Room] = {}
    for machine in instance.machines:
        key = machine.capacity, machine.hosts, machine.region
        if key not in known:
            known[key] = _room(buyer, machine, resources)
        rooms.append(known[key])
    return buyer


def _room(buyer: Buyer, machine: Machine, resources: Sequence[str]) -> Room:
    job, works, serves = buyer.job, machine.may_hold("workers"), machine.may_hold("servers")
    if not may_run(job, machine):
        return Room(0, 0, 0)
    grain, (held,) = in_whole([machine.capacity])
    takes = zip(resources, buyer.worker, buyer.server, strict=True)
    rows = [(held.get(r, 0) * buyer.scale // grain, a, b) for r, a, b in takes]

    def over(w: int) -> bool:
        beside = buyer.servers_for(w)
        return any(w * a + beside * b > most for most, a, b in rows)

    batch, most = job.batch_samples, buyer.servers_for(job.batch_samples)
    return Room(
        inside=bisect_right(range(1, batch + 1), False, key=over) if works and serves else 0,
        workers=min([batch, *(have // a for have, a, _ in rows if a)]) if works else 0,
        servers=min([most, *(have // b for have, _, b in rows if b)]) if serves else 0,
    )


def offers_of(buyer: Buyer, prices: Sequence[Sequence[int]]) -> list[Offer]:
    """Return the offers of a slot, given the prices of each machine's resources."""
    worker, server = (
        [sum(map(mul, row, takes)) for row in prices] for takes in (buyer.worker, buyer.server)
    )
    return [*_inside(buyer, worker, server), *_across(buyer, worker, server)]


def _inside(buyer: Buyer, worker: Sequence[int], server: Sequence[int]) -> Iterator[Offer]:
    """Yield offers inside machines: of those with the same prices only the roomiest counts."""
    roomiest: dict[tuple[int, int], int] = {}
    for pair, room in zip(zip(worker, server, strict=True), buyer.rooms, strict=True):
        roomiest[pair] = max(room.inside, roomiest.get(pair, 0))
    for w in range(1, _enough(buyer, buyer.fast, max(roomiest.values())) + 1):
        servers = buyer.servers_for(w)
        costs = (w * a + servers * b for (a, b), room in roomiest.items() if room >= w)
        yield w * buyer.fast, min(costs)


def _across(buyer: Buyer, worker: Sequence[int], server: Sequence[int]) -> Iterator[Offer]:
    """Yield offers of the cheapest workers and, as if there were none, parameter servers."""
    batch = _enough(buyer, buyer.slow, buyer.job.batch_samples)
    paid = _cheapest(zip(worker, (room.workers for room in buyer.rooms), strict=True), batch)
    places = zip(server, (room.servers for room in buyer.rooms), strict=True)
    beside = _cheapest(places, buyer.servers_for(batch))
    for w in range(1, len(paid)):
        servers = buyer.servers_for(w)
        if servers < len(beside):
            yield w * buyer.slow, paid[w] + beside[servers]


def _cheapest(offered: Iterable[tuple[int, int]], most: int) -> list[int]:
    """Return what 0, 1, .. cost, the cheapest first, each price up to a count of its own."""
    bought: list[int] = []
    for price, count in sorted(offered):
        bought += [price] * min(count, most - len(bought))
    return list(accumulate(bought, initial=0))


def _enough(buyer: Buyer, rate: int, most: int) -> int:
    """Return the workers after whom no more are needed for all samples."""
    return min(most, -(-buyer.work // rate))
