"""Rules of `online`: the sum of utilities is at most the jobs' value alone, or their payments.

In the rule `prices`, every resource of every machine has a price in every slot. A job gains its
value minus the minimum cost of its samples, if positive. No schedule exceeds all gains plus the
cost of all resources. search/online/dual_bound.py has the proof.
"""

from bisect import bisect_right, insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise
from math import ceil, lcm
from operator import mul
from typing import NamedTuple

from ....instances.online import Machine, OnlineInstance, TrainingJob
from ....instances.regions import may_run
from .kernel import NONE, amount, bought, fits, in_whole
from .reading import ProofStep, StepError

Bid = tuple[int, int]
"""Samples that workers process in a slot, and their minimum cost."""


class Room(NamedTuple):
    """The maximum holding of a job on one empty machine."""

    inside: int
    """Workers with the parameter servers that they need."""
    workers: int
    servers: int


class Buyer(NamedTuple):
    """A job with its integer needs, and its room on each machine."""

    job: TrainingJob
    worker: tuple[int, ...]
    server: tuple[int, ...]
    scale: int
    """The divisor of whole numbers, in costs too."""
    work: int
    fast: int
    """Samples of a worker inside a machine, in the unit of `work`."""
    slow: int
    rooms: list[Room]

    def servers_for(self, workers: int) -> int:
        """Return the parameter servers that some workers need."""
        return ceil(workers / Fraction(self.job.workers_per_server))


def buyer_of(instance: OnlineInstance, job: TrainingJob) -> Buyer:
    """Return a job as it buys."""
    resources = instance.resources
    fast, slow = (job.rate(near, instance.slot_s) for near in (True, False))
    grain = lcm(fast.denominator, slow.denominator)
    scale, takes = in_whole((job.worker, job.server))
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


def bids_of(buyer: Buyer, prices: Sequence[Sequence[int]]) -> list[Bid]:
    """Return the bids of a slot, given the prices of each machine's resources."""
    worker = [sum(map(mul, row, buyer.worker)) for row in prices]
    server = [sum(map(mul, row, buyer.server)) for row in prices]
    return [*_inside(buyer, worker, server), *_across(buyer, worker, server)]


def _inside(buyer: Buyer, worker: Sequence[int], server: Sequence[int]) -> Iterator[Bid]:
    """Yield bids inside one machine: for equal prices, the machine with the most room."""
    roomiest: dict[tuple[int, int], int] = {}
    for pair, room in zip(zip(worker, server, strict=True), buyer.rooms, strict=True):
        roomiest[pair] = max(room.inside, roomiest.get(pair, 0))
    for w in range(1, _enough(buyer, buyer.fast, max(roomiest.values())) + 1):
        servers = buyer.servers_for(w)
        costs = (w * a + servers * b for (a, b), room in roomiest.items() if room >= w)
        yield w * buyer.fast, min(costs)


def _across(buyer: Buyer, worker: Sequence[int], server: Sequence[int]) -> Iterator[Bid]:
    """Yield bids of the cheapest workers and servers, each with the full room of machines."""
    batch = _enough(buyer, buyer.slow, buyer.job.batch_samples)
    paid = _cheapest(zip(worker, (room.workers for room in buyer.rooms), strict=True), batch)
    places = zip(server, (room.servers for room in buyer.rooms), strict=True)
    beside = _cheapest(places, buyer.servers_for(batch))
    for w in range(1, len(paid)):
        servers = buyer.servers_for(w)
        if servers < len(beside):
            yield w * buyer.slow, paid[w] + beside[servers]


def _cheapest(offered: Iterable[tuple[int, int]], most: int) -> list[int]:
    """Return the cost of 0, 1, .. units, the cheapest first, each price up to its amount."""
    paid: list[int] = []
    for price, count in sorted(offered):
        paid += [price] * min(count, most - len(paid))
    return list(accumulate(paid, initial=0))


def _enough(buyer: Buyer, rate: int, most: int) -> int:
    """Return the workers after whom no more are needed for all samples."""
    return min(most, -(-buyer.work // rate))


Prices = Sequence[Sequence[int]]
"""Prices in a slot, by machine and then by resource."""

LeastCost = Callable[[Sequence[Bid]], Fraction | int | None]

MOST_PARTS = 100_000
"""Maximum number of parts in a table."""


def prices(instance: OnlineInstance, step: ProofStep) -> Fraction:
    """Return the cost of all resources at the prices of `rows`, plus the gains of jobs.

    Each row is for the slots from one of `starts` up to the next. It has prices by machine and then
    by resource, in the order of their names, as integers over `unit`. `parts` has the number of
    parts of a worker's samples for each job. If it is 0, bids are mixed.
    """
    unit, parts, starts = step.whole("unit", 1), step.counts("parts"), step.counts("starts")
    rows, resources = step.rows("rows"), instance.resources
    if len(parts) != len(instance.jobs):
        raise StepError(f"there are {len(parts)} parts for {len(instance.jobs)} jobs")
    width = len(resources)
    each = len(instance.machines) * width
    if len(starts) != len(rows) or any(len(row) != each for row in rows):
        raise StepError(f"there must be a row for each start, with {each} prices")
    ends = [*starts[1:], instance.horizon_slots]
    if starts[:1] != (0,) or any(start >= end for start, end in zip(starts, ends, strict=True)):
        raise StepError("starts must begin with 0 and increase, up to the last slot")
    by_slot, total = list[Prices](), NONE
    held = [amount(machine.capacity, r) for machine in instance.machines for r in resources]
    for row, start, end in zip(rows, starts, ends, strict=True):
        by_slot += [[row[k : k + width] for k in range(0, each, width)]] * (end - start)
        total += (end - start) * sum(map(mul, held, row), NONE)
    for job, some in zip(instance.jobs, parts, strict=True):
        total += unit * _gain(buyer_of(instance, job), some, by_slot, unit)
    return total / unit


def _gain(buyer: Buyer, parts: int, by_slot: Sequence[Prices], unit: int) -> Fraction:
    """Return the largest value minus payment of a job over all last slots, at least 0."""
    if buyer.work * parts > buyer.fast * MOST_PARTS:
        raise StepError(f"{parts} parts are too many for the table of job {buyer.job.name!r}")
    least_cost = by_parts(buyer, parts) if parts else by_mixing(buyer)
    best, last, bids = NONE, None, list[Bid]()
    for slot in range(buyer.job.arrival_slot, len(by_slot)):
        worth = Fraction(buyer.job.worth(slot))
        if worth <= best:
            break  # It is worth no more later.
        if by_slot[slot] is not last:
            last, bids = by_slot[slot], bids_of(buyer, by_slot[slot])
        cost = least_cost(bids)
        if cost is not None:
            best = max(best, worth - Fraction(cost) / (buyer.scale * unit))
    return best


def by_mixing(buyer: Buyer) -> LeastCost:
    """Bids may be mixed: the convex envelope of the functions of all slots and the origin.

    The cheapest pieces of all these functions, by slope and length, are the cost of samples.
    """
    pieces: list[tuple[Fraction, int]] = []

    def least(bids: Sequence[Bid]) -> Fraction | None:
        corners, cheapest = [(0, 0)], dict[int, int]()
        for samples, cost in bids:
            some = min(buyer.work, samples)
            cheapest[some] = min(cost, cheapest.get(some, cost))
        for point in sorted(cheapest.items()):
            while len(corners) > 1 and not _below(corners[-2], corners[-1], point):
                corners.pop()
            corners.append(point)
        for (x, y), (along, up) in pairwise(corners):
            insort(pieces, (Fraction(up - y, along - x), along - x))
        return bought(pieces, buyer.work)

    return least


def _below(one: Bid, middle: Bid, other: Bid) -> bool:
    """Return True if a middle point is below the line between two other points."""
    (x, y), (p, q), (u, v) = one, middle, other
    return (q - y) * (u - x) < (v - y) * (p - x)


def by_parts(buyer: Buyer, parts: int) -> LeastCost:
    """One bid per slot, with samples in parts of a worker's output inside, rounded up."""
    goal = -(-buyer.work * parts // buyer.fast)
    least = [0]
    """Costs of 0, 1, .. parts, as far as they can be done."""

    def add(bids: Sequence[Bid]) -> int | None:
        gains = [(-(-samples * parts // buyer.fast), cost) for samples, cost in bids]
        found: list[int] = []
        for gain, cost in sorted([*gains, (0, 0)], reverse=True):
            some = min(gain, goal)
            reached = [cost] * some + [cost + one for one in least[: goal + 1 - some]]
            found = [*map(min, found, reached), *found[len(reached) :]] if found else reached
        least[:] = found
        return least[goal] if len(least) > goal else None

    return add


def each_alone(instance: OnlineInstance, _: ProofStep) -> Fraction:
    """Return the value of all jobs if each completes as early as it can alone."""
    return sum(_optimistic_values(instance), NONE)


def knapsack(instance: OnlineInstance, step: ProofStep) -> Fraction:
    """Return the cost of a resource at a `price`, plus the jobs' values beyond their payments.

    These values are optimistic: a job holds a worker for at least its samples over the rate inside
    a machine.
    """
    resource, price = step.text("resource"), step.number("price")
    held = sum((amount(machine.capacity, resource) for machine in instance.machines), NONE)
    total = price * held * instance.horizon_slots
    for job, value in zip(instance.jobs, _optimistic_values(instance), strict=True):
        each = _with_server(job).get(resource, NONE)
        total += max(NONE, value - price * each * job.work / job.rate(True, instance.slot_s))
    return total


def _with_server(job: TrainingJob) -> dict[str, Fraction]:
    """Return the needs of a worker, including its share of a parameter server."""
    takes = {name: Fraction(each) for name, each in job.worker}
    for name, each in job.server:
        takes[name] = takes.get(name, NONE) + Fraction(each) / Fraction(job.workers_per_server)
    return takes


def _optimistic_values(instance: OnlineInstance) -> Iterator[Fraction]:
    """Yield the value of each job if it is alone and at its fastest from its arrival on.

    Across machines, parameter servers are free.
    """
    grain, rooms = in_whole(machine.capacity for machine in instance.machines)
    known: dict[object, list[list[dict[str, int]]]] = {}
    for job in instance.jobs:
        if job.allowed_regions not in known:
            pairs = zip(instance.machines, rooms, strict=True)
            own = [pair for pair in pairs if may_run(job, pair[0])]
            both = [room for machine, room in own if machine.hosts == "both"]
            works = [room for machine, room in own if machine.may_hold("workers")]
            known[job.allowed_regions] = [both, works]
        both, works = known[job.allowed_regions]
        worker, batch = {name: Fraction(each) for name, each in job.worker}, job.batch_samples
        inside = max(fits(both, grain, _with_server(job), batch), default=0)
        across = min(batch, sum(fits(works, grain, worker, batch)))
        slow, fast = (job.rate(near, instance.slot_s) for near in (False, True))
        fastest = max(inside * fast, across * slow)
        last = instance.horizon_slots
        if fastest:
            last = job.arrival_slot + ceil(job.work / fastest) - 1
        yield Fraction(job.worth(last)) if last < instance.horizon_slots else NONE


RULES = {"each alone": each_alone, "knapsack": knapsack, "prices": prices}
