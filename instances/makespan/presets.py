"""The generator families of `makespan`: defaults for `mix.py` and `federated.py`."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

from ..generate import generate
from ..reading.vocabulary import Mix
from ..sampled import one_of, seeded
from .federated import FederatedMix
from .instance import MakespanInstance
from .mix import RingMix

SERVERS = ((1,), (2,), (1, 2), (1, 2, 4), (3,), (4,), (2, 8), (4, 8, 16))
"""Sizes of servers that occur together."""

SINGLES = 0.25
"""Share of instances whose jobs all need one GPU: what remains of gangs is plain machines."""

PRESETS: dict[str, tuple[str, Mix]] = {
    "mobihoc": ("the mix of the SJF-BCO paper", RingMix()),
    "tight": (
        "the mix on servers of 4 GPUs",
        RingMix(servers=40, server_gpus=(4,), communication=Decimal(1), horizon_slots=None),
    ),
    "knot": (
        "rings that servers of 4 GPUs do not come out even for",
        RingMix(
            servers=40,
            server_gpus=(4,),
            gangs="odd",
            communication=Decimal(1),
            horizon_slots=None,
        ),
    ),
    "large": (
        "the mix at scale, where the area binds",
        RingMix(jobs=2000, servers=200, horizon_slots=None),
    ),
    "small": (
        "a few slots each, for exact methods",
        RingMix(
            jobs=6,
            servers=3,
            server_gpus=(4,),
            gangs="small",
            least_slots=Decimal(2),
            most_slots=Decimal(6),
            communication=Decimal(1),
            overhead_s=Decimal("0.001"),
            horizon_slots=None,
        ),
    ),
    "federated": (
        "a round of federated averaging, where data stay and models move",
        FederatedMix(),
    ),
}
"""Families by name: what they are, and their defaults."""


def random_instance(seed: int, index: int) -> MakespanInstance:
    """Return instance number `index` of a campaign; released at 0 and in whole slots."""
    rng = seeded(seed, index)
    shortest = one_of(rng, 1, 2, 5)
    options: dict[str, Any] = {
        "jobs": int(rng.integers(2, 15)),
        "servers": int(rng.integers(1, 7)),
        "server_gpus": one_of(rng, *SERVERS),
        "gangs": one_of(rng, "trace", "small", "small", "odd"),
        "least_slots": Decimal(shortest),
        "most_slots": Decimal(shortest * one_of(rng, 1, 2, 6)),
        "communication": Decimal(one_of(rng, "0", "0.02", "0.1", "0.5", "1", "2")),
        "share": Decimal(one_of(rng, "0.25", "0.5", "1")),
        "degradation": Decimal(one_of(rng, "0", "0.5")),
        "overhead": one_of(rng, "paper", "step", "max_workers_per_server"),
        "overhead_s": Decimal(one_of(rng, "0", "0.001", "0.01")),
        "progress": one_of(rng, "fractional", "floor"),
        "contention": one_of(rng, "server_uplink", "server_uplink", "fluid"),
        "rack_servers": one_of(rng, 1, 2, 4),
        "oversubscription": Decimal(one_of(rng, 1, 2)),
        "horizon_slots": one_of(rng, None, None, None, 30, 100),
    }
    name = f"drawn-{seed}-{index}"
    instance: MakespanInstance = generate("small", seed=index, name=name, **options)
    if rng.random() < SINGLES:
        return replace(instance, jobs=tuple(replace(job, gpus=1) for job in instance.jobs))
    return instance
