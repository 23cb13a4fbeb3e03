"""BOA: every job starts at once, on as many GPUs as the program says for its type."""

from ...instances import FleetInstance, Outcome
from ..rental import boa
from ..request import NO_OPTIONS, Request
from .expected import LoadOptions as Options
from .expected import simulate_planned


def run(instance: FleetInstance, request: Request[Options]) -> Outcome:
    """Return the log; jobs of a type with two widths draw one."""
    return simulate_planned(instance, request, "boa", boa, NO_OPTIONS)
