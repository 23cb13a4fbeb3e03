"""Random tiny instances over all that a theorem may depend on."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

from numpy.random import Generator, default_rng

from ...instances import (
    CodedInstance,
    FleetInstance,
    MakespanInstance,
    OnlineInstance,
    RentalInstance,
    ReservedInstance,
    ShuffleInstance,
    TraceInstance,
    TransfersInstance,
)
from ...instances.generate import generate
from ...instances.online.instance import Hosts

SERVERS = ((1,), (2,), (1, 2), (1, 2, 4), (3,), (4,), (2, 8), (4, 8, 16))
"""Sizes of servers that occur together."""

LARGE = 0.5
"""Share of online instances with large machines."""

APART = 0.5
"""Share of those whose machines hold either workers or parameter servers."""

SINGLES = 0.25
"""Share of instances whose jobs all need one GPU: what remains of gangs is plain machines."""


SIMPLE = 0.4
"""Share of instances on which one link decides, as theorems about orders want it."""

FREE: dict[str, Any] = {
    "racks": 1,
    "slow": Decimal(0),
    "worker_gb_s": Decimal(3),
    "server_gb_s": Decimal("0.7"),
    "oversubscription": Decimal("0.5"),
    "ready_s": Decimal(0),
    "due_s": None,
    "aggregators": 0,
    "divergence": None,
    "goal": "mean",
}


def random_instance(seed: int, index: int) -> MakespanInstance:
    """Return instance number `index` of a campaign; released at 0 and in whole slots."""
    rng = default_rng((seed, index))
    name = f"drawn-{seed}-{index}"
    instance: MakespanInstance = generate("small", seed=index, name=name, **_options(rng))
    if rng.random() < SINGLES:
        return replace(instance, jobs=tuple(replace(job, gpus=1) for job in instance.jobs))
    return instance


def _options(rng: Generator) -> dict[str, Any]:
    shortest = _one_of(rng, 1, 2, 5)
    return {
        "jobs": int(rng.integers(2, 15)),
        "servers": int(rng.integers(1, 7)),
        "server_gpus": _one_of(rng, *SERVERS),
        "gangs": _one_of(rng, "trace", "small", "small", "odd"),
        "least_slots": Decimal(shortest),
        "most_slots": Decimal(shortest * _one_of(rng, 1, 2, 6)),
        "communication": Decimal(_one_of(rng, "0", "0.02", "0.1", "0.5", "1", "2")),
        "share": Decimal(_one_of(rng, "0.25", "0.5", "1")),
        "degradation": Decimal(_one_of(rng, "0", "0.5")),
        "overhead": _one_of(rng, "paper", "step", "max_workers_per_server"),
        "overhead_s": Decimal(_one_of(rng, "0", "0.001", "0.01")),
        "progress": _one_of(rng, "fractional", "floor"),
        "contention": _one_of(rng, "server_uplink", "server_uplink", "fluid"),
        "rack_servers": _one_of(rng, 1, 2, 4),
        "oversubscription": Decimal(_one_of(rng, 1, 2)),
        "horizon_slots": _one_of(rng, None, None, None, 30, 100),
    }


def _one_of(rng: Generator, *choices: Any) -> Any:
    return choices[int(rng.integers(len(choices)))]


def random_market(seed: int, index: int) -> OnlineInstance:
    """Return instance number `index` of a campaign about `online` methods.

    Half of them have machines so large that each job takes a small part of one; of these, half
    have many quick jobs, and machines for workers and others for servers, as OASiS assumes.
    """
    rng = default_rng((seed, index))
    options: dict[str, int | tuple[int, ...]] = {
        "jobs": int(rng.integers(2, 9)),
        "machines": int(rng.integers(1, 5)),
        "slots": int(rng.integers(2, 9)),
    }
    if rng.random() < LARGE:
        options |= {"machine_gpus": (64,), "most_batch": 3, "least_batch": 1}
    name = f"market-{seed}-{index}"
    apart = "machine_gpus" in options and rng.random() < APART
    if apart:
        options |= {"jobs": int(rng.integers(20, 121)), "machines": int(rng.integers(2, 4))}
        options |= {"slots": int(rng.integers(1, 4)), "most_midpoint": 2}
        options |= {"most_epochs": 1, "most_samples": 3000, "most_batch": 1}
    made: OnlineInstance = generate("pdors-small", seed=index, name=name, **options)
    return parted(made) if apart else made


def parted(market: OnlineInstance) -> OnlineInstance:
    """Return a market whose machines hold workers and parameter servers in turn."""
    hosts: tuple[Hosts, Hosts] = ("workers", "servers")
    machines = (replace(one, hosts=hosts[h % 2]) for h, one in enumerate(market.machines))
    return replace(market, machines=tuple(machines))


def random_links(seed: int, index: int) -> ReservedInstance:
    """Return instance number `index` of a campaign about `reserved` methods."""
    rng = default_rng((seed, index))
    made: ReservedInstance = generate(
        "gadget-small",
        seed=index,
        name=f"links-{seed}-{index}",
        jobs=int(rng.integers(2, 9)),
        machines=int(rng.integers(1, 7)),
        racks=int(rng.integers(1, 4)),
        slots=int(rng.integers(2, 9)),
        machine_gpus=_one_of(rng, (1, 2), (2, 4), (1, 2, 4)),
    )
    return made


def random_trace(seed: int, index: int) -> TraceInstance:
    """Return instance number `index` of a campaign about `trace` methods."""
    rng = default_rng((seed, index))
    racks = _one_of(rng, "none", "none", "server_uplink", "racks")
    made: TraceInstance = generate(
        "tiny-trace",
        seed=index,
        name=f"trace-{seed}-{index}",
        jobs=int(rng.integers(1, 9)),
        servers=int(rng.integers(1, 5)),
        server_gpus=_one_of(rng, 1, 2, 3, 4),
        rack_servers=_one_of(rng, None, 1, 2),
        gap_s=Decimal(_one_of(rng, "0", "0.5", "1", "3")),
        most_s=Decimal(_one_of(rng, 2, 8, 20)),
        tick_s=Decimal(_one_of(rng, "1", "1", "0.5")),
        communication=Decimal(_one_of(rng, "0", "0.1", "1")),
        skewed_communication=Decimal(_one_of(rng, "0", "0.67", "3")),
        packed_speed=_one_of(rng, None, None, Decimal("0.4"), Decimal("0.8"), Decimal(1)),
        most_width=_one_of(rng, None, None, 2, 8),
        contention=racks,
        share=Decimal(_one_of(rng, "0.5", "1")),
        degradation=Decimal(_one_of(rng, "0", "0.5")),
        oversubscription=Decimal(_one_of(rng, 1, 2, 4)),
        restart_s=Decimal(_one_of(rng, 0, 1, 3)),
        resume_s=_one_of(rng, None, None, Decimal(0), Decimal(1)),
    )
    return made


def random_rental(seed: int, index: int) -> RentalInstance:
    """Return instance number `index` of a campaign about `rental` methods."""
    rng = default_rng((seed, index))
    made: RentalInstance = generate(
        _one_of(rng, "rental-mixed", "rental-mixed", "rental-stepped", "rental-pollux"),
        seed=index,
        name=f"rental-{seed}-{index}",
        **_streams(rng),
    )
    return made


def random_fleet(seed: int, index: int) -> FleetInstance:
    """Return instance number `index` of a campaign about `fleet` methods."""
    rng = default_rng((seed, index))
    made: FleetInstance = generate(
        _one_of(rng, "fleet-mixed", "fleet-mixed", "fleet-stepped", "fleet-pollux"),
        seed=index,
        name=f"fleet-{seed}-{index}",
        **_streams(rng),
        jobs=int(rng.integers(1, 9)),
        arrivals=_one_of(rng, "poisson", "bursty", "even"),
        sizes=_one_of(rng, "exponential", "fixed", "pareto", "lognormal"),
        provision_s=Decimal(_one_of(rng, 0, 0, 60, 300)),
        node_gpus=_one_of(rng, None, None, 1, 4),
        billing_s=_one_of(rng, None, None, Decimal(60), Decimal(3600)),
        tick_s=Decimal(_one_of(rng, 1, 20, 60)),
    )
    return made


def _streams(rng: Generator) -> dict[str, Any]:
    return {
        "types": int(rng.integers(1, 6)),
        "epochs": _one_of(rng, 1, 1, 2, 3),
        "load": Decimal(_one_of(rng, "0.5", "1", "5")),
        "most_weight": Decimal(_one_of(rng, 1, 1, 5)),
        "widths": _one_of(rng, "any", "whole"),
        "rescale_s": Decimal(_one_of(rng, 0, 0, 60, 600)),
    }


def random_coded(seed: int, index: int) -> CodedInstance:
    """Return instance number `index` of a campaign about `coded` methods."""
    rng = default_rng((seed, index))
    law = ("shifted-exponential", "pareto", "bimodal", "measured")[int(rng.integers(4))]
    made: CodedInstance = generate(
        "coded",
        seed=index,
        name=f"coded-{seed}-{index}",
        workers=int(rng.integers(1, 41)),
        rows=None if rng.integers(2) else int(rng.integers(1, 200)),
        law=law,
        least_s=Decimal(int(rng.integers(1, 100))) / 10,
        rate_per_s=Decimal(int(rng.integers(1, 100))) / 10,
        tail=Decimal(int(rng.integers(11, 50))) / 10,
        slow_s=Decimal(int(rng.integers(10, 1000))),
        slow=Decimal(int(rng.integers(0, 101))) / 100,
        samples=int(rng.integers(1, 30)),
    )
    return made


def random_shuffle(seed: int, index: int) -> ShuffleInstance:
    """Return instance number `index` of a campaign about `shuffle` methods."""
    rng = default_rng((seed, index))
    workers = int(rng.integers(1, 7))
    options: dict[str, Any] = {
        "rows": int(rng.integers(workers, 4 * workers + 1)),
        "workers": workers,
        "multicast": Decimal(str(rng.choice(["0.5", "1", "1", "1.5", "2", "3"]))),
        "wishes": str(rng.choice(["epoch", "any", "any"])),
        "has": Decimal(str(rng.choice(["0.2", "0.5", "0.8"]))),
        "wants": Decimal(str(rng.choice(["0.2", "0.5"]))),
    }
    name = f"shuffle-{seed}-{index}"
    made: ShuffleInstance = generate("tiny-shuffle", seed=index, name=name, **options)
    return made


def random_transfers(seed: int, index: int) -> TransfersInstance:
    """Return instance number `index` of a campaign."""
    rng = default_rng((seed, index))
    name = f"transfers-{seed}-{index}"
    found: TransfersInstance = generate("transfers", seed=index, name=name, **_transfers(rng))
    return found


def _transfers(rng: Generator) -> dict[str, Any]:
    workers = int(rng.integers(1, 7))
    most = _one_of(rng, 0, 0, 3)
    due = _one_of(rng, None, None, "1", "4")
    divergence = _one_of(rng, None, "0", "1", "2.5")
    free = FREE if rng.random() < SIMPLE else {}
    return {
        "workers": workers,
        "racks": int(rng.integers(1, min(3, workers) + 1)),
        "worker_gb_s": Decimal(_one_of(rng, "0.5", "1.25", "3")),
        "slow": Decimal(_one_of(rng, "0", "0.3")),
        "server_gb_s": Decimal(_one_of(rng, "0.7", "5")),
        "oversubscription": Decimal(_one_of(rng, "0.5", "1", "4")),
        "sizes": _one_of(rng, "equal", "spread"),
        "ready_s": Decimal(_one_of(rng, "0", "0", "1")),
        "behind": most,
        "staleness": _one_of(rng, None, most, most + 2),
        "due_s": None if due is None else Decimal(due),
        "aggregators": _one_of(rng, 0, 1, 2),
        "aggregator_gb_s": Decimal(_one_of(rng, "1", "5")),
        "divergence": None if divergence is None else Decimal(divergence),
        "norms": _one_of(rng, "equal", "spread"),
        "drop_s": _one_of(rng, None, Decimal(2)),
        "goal": _one_of(rng, "mean", "last"),
        **free,
    }
