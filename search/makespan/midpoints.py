"""List scheduling by midpoints of a time-indexed relaxation: the mean busy time of each job."""

from dataclasses import dataclass
from typing import Annotated

from ...instances import MakespanInstance, Outcome
from ...instances.reading.vocabulary import Count
from ...policies.request import Request
from ...rounding.list_order import midpoints
from .rounded_order import Of, best_listed, too_large

METHOD = "midpoints"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the relaxation is asked, and what is taken from its point."""

    of: Annotated[Of, "the mean start, or the mean moment of work"] = "work"
    slots: Annotated[Count, "slots that the time up to the bound is cut into, at most"] = 150


def refuses(instance: MakespanInstance, options: Options = Options()) -> str | None:
    """Say why the relaxation of `instance` would be too large, or None if it is not."""
    return too_large(instance, options.slots)


def run(instance: MakespanInstance, request: Request[Options]) -> Outcome:
    """Return the best schedule over the rules for rings; nothing in it is random."""
    return best_listed(
        instance,
        request.limits,
        METHOD,
        request.options.slots,
        request.options.of,
        lambda shares: [midpoints(shares)],
    )
