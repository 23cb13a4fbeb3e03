"""The generator families of `makespan` instances: defaults for `mix.py` and `federated.py`."""

from decimal import Decimal

from ..reading.vocabulary import Mix
from .federated import FederatedMix
from .mix import RingMix

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
