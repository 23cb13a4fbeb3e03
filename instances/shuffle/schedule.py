"""The answer to a `shuffle` instance: the messages."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from ..nouns import AnySchedule
from ..reading.vocabulary import Label, NonEmpty, Whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """The sum of some rows, bit by bit modulo 2, sent to one worker or to several."""

    rows: Annotated[tuple[Whole, ...], NonEmpty(), "the rows in it"]
    to: Annotated[tuple[Label, ...], NonEmpty(), "the workers that get it"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShufflePlan(AnySchedule):
    """All messages; afterwards every worker can work out the rows it wants."""

    kind: Annotated[Literal["shuffle-schedule"], "what this file is"] = "shuffle-schedule"
    load: Annotated[Decimal | None, "claimed cost of all messages"] = None
    messages: Annotated[tuple[Message, ...], "what is sent"]
