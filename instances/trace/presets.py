"""The families that are presets of the generator of `trace` instances.

They follow published traces as far as their numbers are published; docs/trace/trace-mixes.md says
which are and which are ours.
"""

from dataclasses import replace
from decimal import Decimal

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
