"""BOA with whole GPUs: of one epoch of one type at most, the work is shared by two widths."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

from ...instances import Outcome, RentalInstance
from ..request import Request
from .boa import stalls
from .plan import answer, drawn, priced_lots, switched, thrifty
from .streams import streams_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How the work is shared."""

    split: Annotated[
        Literal["random", "within"],
        "random: each job draws one of the widths; within: it has one after the other",
    ] = "random"


def refuses(instance: RentalInstance, options: Options) -> str | None:
    """Say why widths cannot be chosen epoch by epoch, or None if they can."""
    if stalls(instance):
        return "jobs stand still when their GPUs change: take boa-resize"
    if options.split == "within" and instance.rescale_s > 0:
        return "jobs stand still when their GPUs change: take split=random"
    return None


def run(instance: RentalInstance, request: Request[Options]) -> Outcome:
    """Return the best plan of whole widths; nothing is random but what each job draws."""
    share = switched if request.options.split == "within" else drawn
    solve = partial(priced_lots, streams_of(instance, whole=True), share)
    return answer(instance, "boa-integer", solve, partial(thrifty, instance, whole=True))
