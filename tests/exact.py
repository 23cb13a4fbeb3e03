"""Tiny random instances by number over all options, and the optima that methods prove."""

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from itertools import product
from random import Random
from typing import Any

from ringyard import methods as table
from ringyard.cli.shrink import Claim, claim
from ringyard.instances import (
    Cluster,
    FluidLinks,
    Leaf,
    Limits,
    MakespanInstance,
    RefusedError,
    RingJob,
    Server,
    ServerUplink,
)
from ringyard.run import solve
from ringyard.search.makespan.exact.enumeration import enumerate_best
from ringyard.simulation.makespan.evaluate import refusal

OPTIONS = tuple(
    product(
        ("fractional", "floor"),
        ("uplink", "uplink with share", "fluid"),
        ("paper", "step", "max_workers_per_server"),
        ("at once", "released"),
    )
)
"""Combinations of options in slotted time; instance k has the combination k mod 36."""

EXACT = ("enumeration", "branch-and-bound", "cp-sat", "linearised", "patterns")
"""Methods that prove optima of tiny instances."""

NONCONVEX = "nonconvex"
"""The method, with SCIP, that only the smallest instances are given to."""

SMALLEST = 5
"""Every fifth instance is one of the smallest."""

CROSSING = 0.7
"""Share of draws whose rings fit into few servers, so that they cannot but collide."""

SOON = 7
"""Slots that an instance may take: programs have rows for each."""

ATTEMPTS = 40
"""Draws until an instance leaves something to prove."""


def known(methods: Iterable[str]) -> list[str]:
    """Return those methods that there are; the name of a program may carry a solver."""
    names = {method.name for method in table.all_methods()}
    return [name for name in methods if name.partition(":")[0] in names]


def methods_for(index: int, methods: Iterable[str]) -> list[str]:
    """Return the methods that instance `index` is given to."""
    return [name for name in methods if name != NONCONVEX or index % SMALLEST == 0]


def claims(
    instance: MakespanInstance, methods: Iterable[str], time_limit: float | None = None
) -> tuple[list[Claim], dict[str, str]]:
    """Return what the methods claim, and why others refuse the instance."""
    made, refused = [], {}
    for name in methods:
        try:
            made.append(claim(instance, name, time_limit))
        except RefusedError as reason:
            refused[name] = str(reason)
    return made, refused


def optima(
    instance: MakespanInstance, methods: Iterable[str], time_limit: float | None = None
) -> dict[str, int | None]:
    """Return the optimum that each method proves, unless it refuses; None if it proves none."""
    made, _ = claims(instance, methods, time_limit)
    return {one.method: None if one.optimum is None else int(one.optimum) for one in made}


def tiny_instance(seed: int, index: int) -> MakespanInstance:
    """Return instance `index` of a seed: some jobs equal, servers unequal, few slots each.

    Draws go on for a while until contention costs slots, for every odd index, or until
    `gang-lpt` misses the simple bounds: then every method has something to prove.
    """
    wanted = _contended if index % 2 else _open
    for attempt in range(ATTEMPTS):
        instance = _draw(Random(f"{seed}/{index}/{attempt}"), seed, index)
        if not refusal(instance) and wanted(instance):
            break
    return instance


def _open(instance: MakespanInstance) -> bool:
    """Return True if `gang-lpt` ends soon, but after the simple bounds."""
    answer = solve(instance, "gang-lpt")
    return answer.objective is not None and answer.bound.value < answer.objective <= SOON


def _contended(instance: MakespanInstance) -> bool:
    """Return True if the optimum is soon, but later than without contention."""
    apart = ServerUplink(share=Decimal("0.001"))
    blind = enumerate_best(replace(instance, contention=apart), Limits()).value
    best = enumerate_best(instance, Limits()).value
    return blind is not None and best is not None and blind < best <= SOON


def _draw(rng: Random, seed: int, index: int) -> MakespanInstance:
    progress, network, overhead, releases = OPTIONS[index % len(OPTIONS)]
    smallest, crossing = index % SMALLEST == 0, rng.random() < CROSSING
    servers = 3 if crossing else rng.choice((2, 3))
    sizes = [rng.choice((2, 2, 3) if crossing else (1, 2, 3)) for _ in range(servers)]
    names = [f"s{i}" for i in range(servers)]
    rings = (3, 3, 4) if crossing else (1, 2, 3, 4)
    jobs: list[RingJob] = []
    while len(jobs) < (2 if smallest else rng.choice((2, 3) if crossing else (3, 4))):
        fresh = _job(rng, min(rng.choice(rings), sum(sizes)), late=releases == "released")
        jobs.append(rng.choice((fresh, fresh, (jobs or [fresh])[-1])))
    return MakespanInstance(
        name=f"tiny-{seed}-{index}",
        cluster=Cluster(
            servers=tuple(Server(name=n, gpus=g) for n, g in zip(names, sizes, strict=True)),
            intra_bandwidth_gb_s=_pick(rng, "2", "8"),
            inter_bandwidth_gb_s=_pick(rng, "0.5", "1", "2"),
            reduce_gb_s=_pick(rng, "2", "10"),
        ),
        jobs=tuple(replace(job, name=f"j{i}") for i, job in enumerate(jobs)),
        contention=_network(rng, network, names),
        overhead=overhead,
        overhead_s=_pick(rng, "0", "0.1", "0.5"),
        progress=progress,
        # A short slot lets contended rings stand still where progress is floored.
        slot_s=_pick(rng, "2", "3", "5"),
    )


def _job(rng: Random, gpus: int, *, late: bool) -> RingJob:
    return RingJob(
        name="j",
        gpus=gpus,
        iterations=rng.randint(1, 3),
        gradient_gb=_pick(rng, "0", "1", "1", "2"),
        backward_s=_pick(rng, "0.25", "0.5"),
        release_slot=Decimal(rng.choice((0, 1, 2)) if late else 0),
    )


def _network(rng: Random, kind: str, names: list[str]) -> ServerUplink | FluidLinks:
    if kind == "uplink":
        return ServerUplink()
    if kind == "uplink with share":
        share, degradation = _pick(rng, "0.3", "0.6", "1"), _pick(rng, "0.2", "1")
        return ServerUplink(share=share, degradation=degradation)
    cut = rng.randint(1, len(names))
    racks = [rack for rack in (names[:cut], names[cut:]) if rack]
    leaves = tuple(
        Leaf(name=f"r{i}", servers=tuple(rack), spine=rng.choice("ab"))
        for i, rack in enumerate(racks)
    )
    over = {"leaf_oversubscription": _pick(rng, "1", "2", "3")}
    return FluidLinks(leaves=leaves, spine_oversubscription=_pick(rng, "1", "2"), **over)


def _pick(rng: Random, *choices: Any) -> Decimal:
    return Decimal(rng.choice(choices))
