"""All jobs at once, on as many GPUs as each other."""

from numpy.random import Generator

from ...instances import FleetInstance, Limits, Outcome
from ..rental import equal_width
from .expected import LoadOptions as Options
from .planned import play_planned


def run(
    instance: FleetInstance, limits: Limits, rng: Generator, options: Options | None = None
) -> Outcome:
    """Return the log."""
    loads = (options or Options()).loads
    return play_planned(
        instance, limits, rng, "equal-width", loads, lambda one: equal_width.run(one, limits, rng)
    )
