"""The answer to a `transfers` instance: what is sent, in which order, and by which way."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from ..nouns import AnySchedule
from ..reading.vocabulary import Label, NonEmpty

Sharing = Literal["ordered", "fair"]
Target = Literal["server", "both"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Send:
    """Updates that reach the server as one: a single one, or several added up."""

    updates: Annotated[tuple[Label, ...], NonEmpty(), "names of the updates"]
    via: Annotated[Label | None, "the aggregator; null: directly, which only a single one can"] = (
        None
    )
    to: Annotated[Target, "both: a copy goes to the replica too"] = "server"


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferPlan(AnySchedule):
    """What is sent; an update that no send has is dropped."""

    kind: Annotated[Literal["transfers-schedule"], "what this file is"] = "transfers-schedule"
    value_s: Annotated[Decimal | None, "claimed value of the objective"] = None
    sharing: Annotated[
        Sharing, "ordered: the first takes what it can, and so on; fair: max-min fair sharing"
    ] = "ordered"
    sends: Annotated[tuple[Send, ...], "in order of priority"] = ()
