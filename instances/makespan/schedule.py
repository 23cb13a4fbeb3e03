"""The answer to a `makespan` instance: when each job starts, and on which GPUs."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from ..nouns import AnySchedule
from ..reading.vocabulary import Amount, Label, Pieces


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """One job's start and its GPUs per server, kept until it ends."""

    job: Annotated[Label, "name of the job"]
    start_slot: Annotated[Amount, "first slot it works in, counted from 0"]
    gpus: Annotated[Pieces, "GPUs on each server it uses"]
    end_slot: Annotated[Amount | None, "claimed end; the judge checks it against its own"] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule(AnySchedule):
    """Assignments for the jobs of one instance, with the makespan claimed for them."""

    kind: Annotated[Literal["makespan-schedule"], "what this file is"] = "makespan-schedule"
    makespan: Annotated[Decimal | None, "claimed makespan in slots"] = None
    assignments: Annotated[tuple[Assignment, ...], "one for each job"]
