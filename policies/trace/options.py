"""What the schedulers of the family have in common: where jobs are put, and when they are served."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from ...instances.vocabulary import Amount

Placement = Literal["pack", "consolidate", "spread", "least-fragmentation", "profile"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceOptions:
    """Options of every scheduler of the family."""

    placement: Annotated[Placement, "where a job is put that starts"] = "pack"
    pack_limit: Annotated[Amount, "skew above which `profile` consolidates a job"] = Decimal("0.3")
    interval_s: Annotated[
        Amount, "the queue is also served at multiples of this; 0: when something happens only"
    ] = Decimal(0)
    rounds: Annotated[
        Literal["no", "yes"], "whether the queue is served at multiples of interval_s only"
    ] = "no"
