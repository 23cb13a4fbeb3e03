"""The families that are presets of the generator of `trace` instances.

They follow published traces as far as their numbers are published; docs/trace/trace-mixes.md says
which are and which are ours.
"""

from dataclasses import replace
from decimal import Decimal

from ..generate import generate
from ..sampled import one_of, seeded
from .instance import TraceInstance
from .mix import DAY_S, TraceMix

_CLUSTER = TraceMix(
    jobs=500,
    servers=8,
    server_gpus=8,
    rack_servers=4,
    least_s=Decimal(1),
    load=Decimal("0.9"),
    daily=Decimal("0.5"),
)

PRESETS: dict[str, tuple[str, TraceMix]] = {
    "tiresias": ("the testbed of Tiresias", TraceMix()),
    "philly": (
        "a mix like that of Philly",
        replace(_CLUSTER, widths="philly", durations="philly", most_s=Decimal(60 * DAY_S)),
    ),
    "helios": (
        "a mix like that of Helios",
        replace(_CLUSTER, widths="helios", durations="helios", most_s=Decimal(50 * DAY_S)),
    ),
    "pai": (
        "a mix like that of Alibaba's PAI, whose jobs may share GPUs",
        replace(
            _CLUSTER,
            widths="pai",
            durations="pai",
            most_s=Decimal(7 * DAY_S),
            packed_speed=Decimal("0.7"),
        ),
    ),
    "elastic": (
        "jobs that may run on more and fewer GPUs, with their loss curves",
        TraceMix(jobs=100, servers=8, gap_s=Decimal(90), most_width=32, restart_s=Decimal(10)),
    ),
    "tiny-trace": (
        "a few seconds each, for exact methods",
        TraceMix(
            jobs=4,
            servers=2,
            server_gpus=2,
            widths="tiny",
            durations="uniform",
            least_s=Decimal(1),
            most_s=Decimal(8),
            gap_s=Decimal(1),
            communication=Decimal(0),
            skewed_communication=Decimal(1),
            restart_s=Decimal(1),
        ),
    ),
}
"""Families by name: what they are, and their defaults."""


def random_trace(seed: int, index: int) -> TraceInstance:
    """Return instance number `index` of a campaign about `trace` methods."""
    rng = seeded(seed, index)
    racks = one_of(rng, "none", "none", "server_uplink", "racks")
    made: TraceInstance = generate(
        "tiny-trace",
        seed=index,
        name=f"trace-{seed}-{index}",
        jobs=int(rng.integers(1, 9)),
        servers=int(rng.integers(1, 5)),
        server_gpus=one_of(rng, 1, 2, 3, 4),
        rack_servers=one_of(rng, None, 1, 2),
        gap_s=Decimal(one_of(rng, "0", "0.5", "1", "3")),
        most_s=Decimal(one_of(rng, 2, 8, 20)),
        tick_s=Decimal(one_of(rng, "1", "1", "0.5")),
        communication=Decimal(one_of(rng, "0", "0.1", "1")),
        skewed_communication=Decimal(one_of(rng, "0", "0.67", "3")),
        packed_speed=one_of(rng, None, None, Decimal("0.4"), Decimal("0.8"), Decimal(1)),
        most_width=one_of(rng, None, None, 2, 8),
        contention=racks,
        share=Decimal(one_of(rng, "0.5", "1")),
        degradation=Decimal(one_of(rng, "0", "0.5")),
        oversubscription=Decimal(one_of(rng, 1, 2, 4)),
        restart_s=Decimal(one_of(rng, 0, 1, 3)),
        resume_s=one_of(rng, None, None, Decimal(0), Decimal(1)),
    )
    return made
