"""Random instances with ends at slot boundaries or next to them, and schedules of them."""

import random
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import ceil

from ringyard.instances import (
    Cluster,
    FluidLinks,
    Leaf,
    MakespanInstance,
    RingJob,
    Schedule,
    Server,
    ServerUplink,
)
from ringyard.simulation import make_plan, to_schedule

PLAIN = ("0.5", "1", "0.25", "0.2", "0.1", "0.3", "0.05")
NASTY = (
    *("0.333333333333", "0.6666666666667", "0.1000000000001", "0.9999999999", "1.0000000001"),
    *("1e-12", "1e-9", "1e9", "0.7", "3"),
)


def near_ties(rng: random.Random, *, crowded: bool = False) -> tuple[MakespanInstance, Schedule]:
    """Draw an instance and a schedule of it, which may overbook servers.

    If it is `crowded`, 11 to 40 jobs of two GPUs or more share fluid links.
    """
    least, most = (4, 8) if crowded else (1, 5)
    number = rng.randint(least, most)
    servers = tuple(Server(name=f"s{i}", gpus=rng.randint(1, 4)) for i in range(number))
    total = sum(server.gpus for server in servers)
    least, most = (11, 40) if crowded else (1, 7)
    number, least = rng.randint(least, most), 2 if crowded else 1
    jobs = tuple(_job(rng, f"j{i}", least, min(5, total)) for i in range(number))
    uplink = _one_of(rng, "1", "2", "0.5", "0.3")
    instance = MakespanInstance(
        name="ties",
        cluster=Cluster(
            servers=servers,
            intra_bandwidth_gb_s=uplink * rng.choice([1, 2]),
            inter_bandwidth_gb_s=uplink,
            reduce_gb_s=rng.choice([None, Decimal("1e10"), Decimal("1e15"), Decimal(3)]),
        ),
        jobs=jobs,
        contention=_links(rng, servers) if crowded or rng.random() < 0.5 else _uplinks(rng),
        overhead=rng.choice(["paper", "step", "max_workers_per_server"]),
        overhead_s=_one_of(rng, "0", "0.1", "1e-10"),
        progress=rng.choice(["floor", "fractional"]),
        slot_s=_one_of(rng, "1", "2", "0.5", "10", "0.3"),
    )
    starts = [float(job.release_slot) + rng.randint(0, 6) for job in jobs]
    spots = [_pieces(rng, job.gpus, len(servers)) for job in jobs]
    return instance, to_schedule(instance, make_plan(starts, spots), "random")


def doubling() -> tuple[MakespanInstance, Schedule]:
    """Return an instance in which errors of shares double 29 times, with the last ring last.

    Two rings of each generation share each of two servers with a ring of the next generation, and
    with one that gets the n-th part of an uplink from a rack of n servers. So a share is what two
    times the share before it leaves. Shares rise slowly from 1/4 to 1/3.
    """
    over, share = 178, Fraction(224, 5 * 178)
    sizes = [224]
    while (left := (1 - 3 * share) * over) > 1:
        sizes.append(ceil(left) - 1)
        share = 1 - Fraction(sizes[-1], over) - 2 * share
    last, far = len(sizes) - 1, sum(sizes)
    begin = [sum(sizes[:k]) for k in range(last + 2)]
    rings = [[k, far + 2 * last + 2 + k] for k in (2, 3, 4)]
    rings += [[k, far, far + 1] for k in (0, 1)]
    for k in range(last):
        here = far + 2 * k
        ahead = [[here + 2, here + 3]] * 2 if k + 1 < last else [[here + 2], [here + 3]]
        rings.append([begin[k + 1], here, here + 1])
        rings += [[here + 1, *ahead[0]], [here, *ahead[1]]]
    names = [f"s{k}" for k in range(2 * far + 100)]
    begin[-1:] = [far, len(names)]
    leaves = (
        Leaf(name=f"rack{k}", servers=tuple(names[a:b])) for k, (a, b) in enumerate(pairwise(begin))
    )
    jobs = [
        RingJob(
            name=f"j{k}",
            gpus=len(ring),
            iterations=20,
            gradient_gb=Decimal(3),
            backward_s=Decimal(f"0.1234567{k}"),
        )
        for k, ring in enumerate(rings)
    ]
    jobs[-1] = replace(jobs[-1], iterations=7)
    instance = MakespanInstance(
        name="doubling",
        cluster=Cluster(
            servers=tuple(Server(name=name, gpus=4) for name in names),
            intra_bandwidth_gb_s=Decimal(1),
            inter_bandwidth_gb_s=Decimal(1),
            reduce_gb_s=None,
        ),
        jobs=tuple(jobs),
        contention=FluidLinks(leaves=tuple(leaves), leaf_oversubscription=Decimal(over)),
        progress="fractional",
        slot_s=Decimal(10),
    )
    spots = [[(server, 1) for server in ring] for ring in rings]
    return instance, to_schedule(instance, make_plan([0.0] * len(rings), spots), "all at once")


def _one_of(rng: random.Random, *texts: str) -> Decimal:
    return Decimal(rng.choice(texts))


def _job(rng: random.Random, name: str, least: int, most: int) -> RingJob:
    gradient = Decimal(0) if rng.random() < 0.3 else _number(rng)
    return RingJob(
        name=name,
        gpus=rng.randint(least, most),
        iterations=rng.choice([1, 2, 3, 4, 5, 7, 10, 100, 3000]),
        gradient_gb=gradient,
        backward_s=_number(rng),
        release_slot=_one_of(rng, "0", "0", "0", "1", "2"),
    )


def _number(rng: random.Random) -> Decimal:
    return _one_of(rng, *(PLAIN if rng.random() < 0.7 else NASTY))


def _uplinks(rng: random.Random) -> ServerUplink:
    share = _one_of(rng, "1", "0.5", "0.3", "0.333333333", "1e-9")
    return ServerUplink(share=share, degradation=_one_of(rng, "0", "0", "0.1", "1", "1e-15"))


def _links(rng: random.Random, servers: tuple[Server, ...]) -> FluidLinks:
    racks = rng.randint(1, len(servers))
    names = [server.name for server in servers]
    leaves = tuple(
        Leaf(name=f"rack{i}", servers=tuple(names[i::racks]), spine=rng.choice("ab"))
        for i in range(racks)
    )
    return FluidLinks(
        leaves=leaves,
        leaf_oversubscription=_one_of(rng, "1", "2", "1.5", "3", "0.7"),
        spine_oversubscription=_one_of(rng, "1", "2", "1.5"),
    )


def _pieces(rng: random.Random, gpus: int, servers: int) -> list[tuple[int, int]]:
    held: dict[int, int] = {}
    while gpus:
        server, count = rng.randrange(servers), rng.randint(1, gpus)
        held[server] = held.get(server, 0) + count
        gpus -= count
    return list(held.items())
