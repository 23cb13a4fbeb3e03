"""The answer to an `online` instance: who is admitted, and what each holds in every slot."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from ..nouns import AnySchedule
from ..reading.vocabulary import Label, NonEmpty, Numbers, Whole


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotPlan:
    """What one job holds in one slot."""

    slot: Annotated[Whole, "which slot, counted from 0"]
    workers: Annotated[Numbers, "workers on each machine (w_ih[t])"]
    servers: Annotated[Numbers, "parameter servers on each machine (s_ih[t])"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """A job that is admitted, with everything that it will hold."""

    job: Annotated[Label, "name of the job"]
    plan: Annotated[tuple[SlotPlan, ...], NonEmpty(), "the slots in which it works"]
    completion_slot: Annotated[Whole | None, "claimed last slot; checked against the plan"] = None
    utility: Annotated[Decimal | None, "claimed utility; checked against the judge's"] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineSchedule(AnySchedule):
    """Admitted jobs of one instance with their plans; every other job is turned away."""

    kind: Annotated[Literal["online-schedule"], "what this file is"] = "online-schedule"
    utility: Annotated[Decimal | None, "claimed sum of utilities"] = None
    admissions: Annotated[tuple[Admission, ...], "one for each admitted job"]
