"""The answer to a `reserved` instance: what each ring holds in every slot."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from ..nouns import AnySchedule
from ..reading.vocabulary import Label, NonEmpty, Numbers, Whole


@dataclass(frozen=True, slots=True, kw_only=True)
class RingSlot:
    """What one ring holds in one slot."""

    slot: Annotated[Whole, "which slot, counted from 0"]
    workers: Annotated[Numbers, "workers on each machine (y_is[t])"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RingPlan:
    """Everything that one ring will hold."""

    job: Annotated[Label, "name of the ring"]
    plan: Annotated[tuple[RingSlot, ...], NonEmpty(), "the slots in which it works"]
    gain: Annotated[Decimal | None, "claimed gain; checked against the judge's"] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReservedSchedule(AnySchedule):
    """The plans of an instance's rings; a ring without one never works."""

    kind: Annotated[Literal["reserved-schedule"], "what this file is"] = "reserved-schedule"
    gain: Annotated[Decimal | None, "claimed sum of gains"] = None
    plans: Annotated[tuple[RingPlan, ...], "one for each ring that works"]
