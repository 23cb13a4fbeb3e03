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
    validate,
)
from ringyard.simulation import make_plan, to_schedule
from ringyard.testing.makespan import OPTIONS, drawn

PLAIN = ("0.5", "1", "0.25", "0.2", "0.1", "0.3", "0.05")
NEAR = ("0.333333333333", "0.6666666666667", "0.1000000000001", "0.9999999999", "1.0000000001")
NUMBERS = (*PLAIN * 4, *NEAR, "1e-12", "1e-9", "1e9", "0.7", "3")
"""What numbers are drawn from: most are plain."""

SLOTTED = [one for one in OPTIONS if one[0] != "continuous" and one[-1] == "anywhere"]
LINKS = [one for one in SLOTTED if one[1] in ("fluid", "oversubscribed")]


def near_ties(rng: random.Random, *, crowded: bool = False) -> tuple[MakespanInstance, Schedule]:
    """Draw an instance and a schedule of it, which may overbook servers.

    If it is `crowded`, 11 to 40 jobs of two GPUs or more share fluid links.
    """
    instance = None
    while instance is None:
        instance = drawn(rng, "ties", NUMBERS, *rng.choice(LINKS if crowded else SLOTTED))
        if instance is not None and crowded:
            instance = _crowded(rng, instance)
    jobs, servers = instance.jobs, len(instance.cluster.servers)
    starts = [float(job.release_slot) + rng.randint(0, 6) for job in jobs]
    spots = [_pieces(rng, job.gpus, servers) for job in jobs]
    return instance, to_schedule(instance, make_plan(starts, spots), "random")


def _crowded(rng: random.Random, instance: MakespanInstance) -> MakespanInstance | None:
    """Return the instance with 11 to 40 jobs like its own; None if there is no room for a ring."""
    most = min(5, sum(server.gpus for server in instance.cluster.servers))
    if most < 2:
        return None
    jobs = tuple(
        replace(rng.choice(instance.jobs), name=f"j{i}", gpus=rng.randint(2, most))
        for i in range(rng.randint(11, 40))
    )
    many = replace(instance, jobs=jobs)
    validate(many)
    return many


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


def _pieces(rng: random.Random, gpus: int, servers: int) -> list[tuple[int, int]]:
    held: dict[int, int] = {}
    while gpus:
        server, count = rng.randrange(servers), rng.randint(1, gpus)
        held[server] = held.get(server, 0) + count
        gpus -= count
    return list(held.items())
