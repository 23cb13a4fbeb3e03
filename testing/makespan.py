"""Small random `makespan` instances by number, over all options, with extreme numbers.

Up to 8 jobs on 2 to 5 servers, in slotted and in continuous time. Numbers are plain, decimals of
thirds, far apart, or such that ends tie. A job can be as large as the cluster.
"""

from collections.abc import Callable
from dataclasses import replace
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

from ..instances import (
    Cluster,
    FluidLinks,
    InputError,
    Leaf,
    MakespanInstance,
    RingJob,
    Server,
    ServerUplink,
    validate,
)

OPTIONS = tuple(
    product(
        ("continuous", "floor", "fractional"),
        ("uplink", "uplink with share", "fluid", "oversubscribed"),
        ("paper", "step", "max_workers_per_server"),
        ("at once", "released"),
        ("anywhere", "regions"),
    )
)
"""Combinations of options. Instance k has the combination k mod 144."""

Draw = Callable[[Random], str]

NUMBERS: dict[str, tuple[str, ...]] = {
    "plain": ("0.1", "0.25", "0.5", "1", "2", "3", "5"),
    "thirds": ("0.333333333333", "0.666666666667", "1.333333333333", "0.166666666667", "1"),
    "far apart": ("1e-9", "1e-6", "0.001", "1", "1000", "1e6", "1e9"),
    "ties": ("1",),
}
"""Values of random numbers."""

PACES = ("0.7", "1", "1", "1.5", "3")
"""Iterations per slot at the slowest rate, before rounding. Below 1, rings can stand still."""


def nasty_instance(seed: int, index: int) -> MakespanInstance:
    """Return instance `index` of a seed, the same everywhere."""
    rng = Random(f"nasty/{seed}/{index}")
    while True:
        numbers = NUMBERS[rng.choice(tuple(NUMBERS))]
        name, options = f"nasty-{seed}-{index}", OPTIONS[index % len(OPTIONS)]
        if (instance := drawn(rng, name, numbers, *options)) is not None:
            return instance


def drawn(
    rng: Random,
    name: str,
    numbers: tuple[str, ...],
    progress: Any,
    network: str,
    overhead: Any,
    releases: str,
    where: str,
) -> MakespanInstance | None:
    """Draw an instance with options and such numbers, or return None for an invalid one."""

    def number() -> Decimal:
        return Decimal(rng.choice(numbers))

    servers = [
        Server(
            name=f"s{i}",
            gpus=rng.randint(1, 4),
            region=rng.choice("ab") if where == "regions" else None,
        )
        for i in range(rng.randint(2, 5))
    ]
    slow, fast = sorted((number(), number()))
    cluster = Cluster(
        servers=tuple(servers),
        intra_bandwidth_gb_s=fast,
        inter_bandwidth_gb_s=slow,
        reduce_gb_s=rng.choice((number(), Decimal("1e10"))),
    )
    made: list[RingJob] = []
    for _ in range(rng.randint(1, 8)):
        fresh = _job(rng, servers, number, where)
        made.append(rng.choice((fresh, fresh, (made or [fresh])[-1])))
    jobs = tuple(
        replace(job, name=f"j{i}", release_slot=_release(rng, releases, progress))
        for i, job in enumerate(made)
    )
    contention = _network(rng, network, [server.name for server in servers])
    overhead_s = rng.choice((Decimal(0), number()))
    slowest = max(slowest_s(job, cluster, contention, overhead_s, len(jobs)) for job in jobs)
    instance = MakespanInstance(
        name=name,
        cluster=cluster,
        jobs=jobs,
        contention=contention,
        overhead=overhead,
        overhead_s=overhead_s,
        progress=progress,
        slot_s=_slot(rng, slowest, number),
    )
    try:
        validate(instance)
    except InputError:  # An iteration that takes no time, or regions too small for a job.
        return None
    return instance


def _job(rng: Random, servers: list[Server], number: Callable[[], Decimal], where: str) -> RingJob:
    regions = None
    if where == "regions" and rng.random() < 0.5:
        regions = tuple(sorted({rng.choice(servers).region or "", rng.choice("ab")}))
    room = sum(one.gpus for one in servers if regions is None or one.region in regions)
    gpus = room if rng.random() < 0.15 else rng.randint(1, min(room, 6))
    return RingJob(
        name="j",
        gpus=gpus,
        iterations=rng.choice((1, 1, 2, 3, 5, 10)),
        gradient_gb=rng.choice((Decimal(0), number(), number())),
        batch_samples=rng.choice((0, 1, 3)),
        forward_s_per_sample=rng.choice((Decimal(0), number())),
        backward_s=rng.choice((Decimal(0), number(), number())),
        allowed_regions=regions,
    )


def _release(rng: Random, releases: str, progress: str) -> Decimal:
    if releases == "at once":
        return Decimal(0)
    late = ("0", "1", "2") if progress != "continuous" else ("0", "0.333333333333", "1", "2.5")
    return Decimal(rng.choice(late))


def _network(rng: Random, kind: str, names: list[str]) -> ServerUplink | FluidLinks:
    if kind == "uplink":
        return ServerUplink()
    if kind == "uplink with share":
        share, degradation = ("0.333333333333", "0.5", "0.7"), ("0", "0.5", "1")
        return ServerUplink(
            share=Decimal(rng.choice(share)), degradation=Decimal(rng.choice(degradation))
        )
    racks: dict[int, list[str]] = {}
    for server in names:
        racks.setdefault(rng.randint(0, 2), []).append(server)
    leaves = tuple(
        Leaf(name=f"r{rack}", servers=tuple(own), spine=rng.choice("pq"))
        for rack, own in sorted(racks.items())
    )
    over = ("1",) if kind == "fluid" else ("1", "1.5", "2", "3", "3.333333333333")
    return FluidLinks(
        leaves=leaves,
        leaf_oversubscription=Decimal(rng.choice(over)),
        spine_oversubscription=Decimal(rng.choice(over)),
    )


def _slot(rng: Random, slowest: Fraction, number: Callable[[], Decimal]) -> Decimal:
    """Return a slot of about one iteration at the slowest rate, sometimes any slot."""
    if not slowest or rng.random() < 0.1:
        return number()
    wanted = slowest * Fraction(rng.choice(PACES))
    context = Context(prec=rng.choice((1, 2, 12)), rounding=ROUND_CEILING)
    return context.divide(Decimal(wanted.numerator), Decimal(wanted.denominator))


def slowest_s(
    job: RingJob,
    cluster: Cluster,
    network: ServerUplink | FluidLinks,
    overhead_s: Decimal,
    jobs: int,
) -> Fraction:
    """Return an upper bound on the seconds of an iteration, over all placements and neighbours."""
    m, w, b_e = Fraction(job.gradient_gb), job.gpus, Fraction(cluster.inter_bandwidth_gb_s)
    if isinstance(network, ServerUplink):
        k = max(Fraction(1), Fraction(network.share) * jobs)
        least = b_e / (k + Fraction(network.degradation) * (k - 1))
    else:
        over = (network.leaf_oversubscription, network.spine_oversubscription)
        worst = max(Fraction(1), Fraction(over[0])) * max(Fraction(1), Fraction(over[1]))
        least = b_e / worst / jobs
    adding = 0 if cluster.reduce_gb_s is None else 1 / Fraction(cluster.reduce_gb_s)
    ring = m / w * (w - 1) * (2 / least + adding)
    compute = Fraction(job.forward_s_per_sample) * job.batch_samples + Fraction(job.backward_s)
    return ring + Fraction(overhead_s) * w + compute
