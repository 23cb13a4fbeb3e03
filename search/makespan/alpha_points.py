"""List scheduling by alpha-points of a time-indexed relaxation; the best over alpha is kept."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from ...formulations.program import Floats
from ...instances import MakespanInstance, Outcome
from ...instances.reading.vocabulary import Count, Fraction01
from ...policies.request import Request
from ...rounding.list_order import alpha_points, alphas
from .rounded_order import Of, best_listed, too_large

METHOD = "alpha-points"

MOST = 100
"""Values of alpha that are tried at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the relaxation is asked, and what is taken from its point."""

    alpha: Annotated[
        Fraction01 | None,
        "part of a job; null: all that some job reaches at the end of a slot, 100 at most",
    ] = None
    of: Annotated[Of, "the part that has started, or that has been worked"] = "starts"
    slots: Annotated[Count, "slots that the time up to the bound is cut into, at most"] = 150


def refuses(instance: MakespanInstance, options: Options = Options()) -> str | None:
    """Say why the relaxation of `instance` would be too large, or None if it is not."""
    return too_large(instance, options.slots)


def run(instance: MakespanInstance, request: Request[Options]) -> Outcome:
    """Return the best schedule over alpha and the rules for rings; nothing in it is random."""
    options = request.options

    def listing(shares: Floats) -> Iterator[Floats]:
        tried = alphas(shares, MOST) if options.alpha is None else [float(options.alpha)]
        return (alpha_points(shares, alpha) for alpha in tried)

    return best_listed(instance, request.limits, METHOD, options.slots, options.of, listing)
