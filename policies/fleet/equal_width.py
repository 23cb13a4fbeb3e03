"""All jobs at once, on as many GPUs as each other."""

from ...instances import FleetInstance, Outcome
from ..rental import equal_width
from ..request import Request
from .expected import LoadOptions as Options
from .expected import simulate_planned


def run(instance: FleetInstance, request: Request[Options]) -> Outcome:
    """Return the log."""
    return simulate_planned(instance, request, "equal-width", equal_width, equal_width.Options())
