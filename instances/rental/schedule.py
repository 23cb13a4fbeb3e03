"""The answer to a `rental` instance: how many GPUs a job of each type gets, in the long run."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from ..nouns import AnySchedule
from ..reading.vocabulary import Fraction01, Label, NonEmpty, Whole
from ..speedup import MostGpus


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Work that a job does on the same number of GPUs."""

    epoch: Annotated[Whole, "epoch of the work, from 0"] = 0
    gpus: Annotated[MostGpus, "GPUs it holds"]
    part: Annotated[Fraction01, "part of the epoch's work"] = Decimal(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What some jobs of a type get, drawn by lot, from the first to the last of their work."""

    share: Annotated[Fraction01, "part of the type's jobs"] = Decimal(1)
    stretches: Annotated[tuple[Stretch, ...], NonEmpty(), "in order of epochs; parts add up to 1"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TypePlan:
    """What the jobs of a type get."""

    type: Annotated[Label, "name of the type"]
    choices: Annotated[tuple[Choice, ...], NonEmpty(), "shares add up to 1"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RentalPlan(AnySchedule):
    """Widths for all types, with the mean completion time and the spend claimed for them."""

    kind: Annotated[Literal["rental-schedule"], "what this file is"] = "rental-schedule"
    mean_jct_h: Annotated[Decimal | None, "claimed mean completion time, weighted"] = None
    mean_gpus: Annotated[Decimal | None, "claimed GPUs paid for, on average over time"] = None
    types: Annotated[tuple[TypePlan, ...], "one for each type"]
