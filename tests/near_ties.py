"""Random instances with ends at slot boundaries or next to them, and schedules of them."""

import random
from decimal import Decimal

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


def near_ties(rng: random.Random) -> tuple[MakespanInstance, Schedule]:
    """Draw an instance and a schedule of it, which may overbook servers."""
    servers = tuple(Server(name=f"s{i}", gpus=rng.randint(1, 4)) for i in range(rng.randint(1, 5)))
    total = sum(server.gpus for server in servers)
    jobs = tuple(_job(rng, f"j{i}", min(5, total)) for i in range(rng.randint(1, 7)))
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
        contention=_links(rng, servers) if rng.random() < 0.5 else _uplinks(rng),
        overhead=rng.choice(["paper", "step", "max_workers_per_server"]),
        overhead_s=_one_of(rng, "0", "0.1", "1e-10"),
        progress=rng.choice(["floor", "fractional"]),
        slot_s=_one_of(rng, "1", "2", "0.5", "10", "0.3"),
    )
    starts = [float(job.release_slot) + rng.randint(0, 6) for job in jobs]
    spots = [_pieces(rng, job.gpus, len(servers)) for job in jobs]
    return instance, to_schedule(instance, make_plan(starts, spots), "random")


def _one_of(rng: random.Random, *texts: str) -> Decimal:
    return Decimal(rng.choice(texts))


def _job(rng: random.Random, name: str, most: int) -> RingJob:
    gradient = Decimal(0) if rng.random() < 0.3 else _number(rng)
    return RingJob(
        name=name,
        gpus=rng.randint(1, most),
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
