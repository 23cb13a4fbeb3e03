"""Jobs on servers drawn by the shares of the assignment program, several times; the best is kept.

The loads of the servers keep their bound with the probability that is wanted
(`rounding/raghavan_thompson.py`); where no ring is larger than every server, the makespan is at
most twice the largest of these, or the longest job: see docs/makespan/lp-rounding.md.
"""

from dataclasses import dataclass
from typing import Annotated

from ...instances import MakespanInstance, Outcome
from ...instances.reading.vocabulary import Count
from ...policies.request import Request
from ...rounding.raghavan_thompson import round_by_chance
from .rounded_assignment import best_rounded, too_large

METHOD = "raghavan-thompson"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of the drawing."""

    samples: Annotated[Count, "assignments drawn; each is scheduled in three orders"] = 100


def refuses(instance: MakespanInstance, _: Options = Options()) -> str | None:
    """Say why the program of `instance` would be too large, or None if it is not."""
    return too_large(instance)


def run(instance: MakespanInstance, request: Request[Options]) -> Outcome:
    """Return the best schedule of all that are drawn."""
    return best_rounded(
        instance,
        request.limits,
        METHOD,
        lambda shares, _: (
            round_by_chance(shares, request.rng) for _ in range(request.options.samples)
        ),
    )
