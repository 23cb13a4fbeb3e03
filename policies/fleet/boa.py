"""BOA: every job starts at once, on as many GPUs as the program says for its type."""

from numpy.random import Generator

from ...instances import FleetInstance, Limits, Outcome
from ..rental import boa
from .expected import LoadOptions as Options
from .planned import play_planned


def run(
    instance: FleetInstance, limits: Limits, rng: Generator, options: Options | None = None
) -> Outcome:
    """Return the log; jobs of a type with two widths draw one."""
    loads = (options or Options()).loads
    return play_planned(
        instance, limits, rng, "boa", loads, lambda rental: boa.run(rental, limits, rng)
    )
