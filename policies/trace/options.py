"""What the schedulers of the family share: where jobs are put, and when they are served."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from ...instances.reading.vocabulary import Amount, AsMap, Count, Fraction01, Label

Placement = Literal[
    "pack", "consolidate", "spread", "least-fragmentation", "profile", "contention", "sjf-bco"
]
Skews = Annotated[tuple[tuple[Label, Fraction01], ...], AsMap("models to skews", '{"bert": 0.5}')]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceOptions:
    """Options of every scheduler of the family."""

    placement: Annotated[Placement, "where a job is put that starts"] = "pack"
    pack_limit: Annotated[Amount, "skew above which `profile` consolidates a job"] = Decimal("0.3")
    skews: Annotated[Skews, "skews of models, by name, beside those known"] = ()
    kappa: Annotated[Count, "GPUs of the largest job that is small to `sjf-bco`"] = 8
    interval_s: Annotated[
        Amount, "the queue is also served at multiples of this; 0: when something happens only"
    ] = Decimal(0)
    rounds: Annotated[
        Literal["no", "yes"], "whether the queue is served at multiples of interval_s only"
    ] = "no"
