"""How the queue of a `trace` instance is served."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """How the queue is served, whoever says what comes first."""

    placement: str = "least-fragmentation"
    pack_limit: float = 0.3
    """Larger skews are consolidated by the placement `profile`."""
    skews: Mapping[str, float] = field(default_factory=dict)
    """Skews by the name of the model, in small letters; others are as known."""
    kappa: int = 8
    """GPUs of the largest job that counts as small for the placement `sjf-bco`."""
    interval: int = 0
    """The queue is also served at multiples of so many ticks; 0: it is not."""
    events: bool = True
    """Whether it is served whenever a job comes, ends or changes its rank."""
    stable: bool = False
    """Whether jobs of equal rank stay in the order in which they stand; else they go by number."""
    offers: bool = False
    """Whether jobs get the GPUs of which one of a better rank has no use yet."""
    noise: float = 0.0
    """Standard deviation of measured losses, as a part of the loss."""
    seed: int = 0
    keep: bool = True
    """Whether the log keeps the runs of jobs that are done."""
