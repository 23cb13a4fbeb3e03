"""All jobs at once, on as many GPUs as their users ask for, whatever it costs."""

from ...instances import FleetInstance, Outcome
from ...instances.speedup import MOST_GPUS
from ..request import NoOptions, Request
from .expected import all_alike
from .within import serve


def run(instance: FleetInstance, request: Request[NoOptions]) -> Outcome:
    """Return the log, if the budget is enough for it."""
    plan = all_alike(instance.types, [min(one.asks, MOST_GPUS) for one in instance.types])
    budget = instance.budget_gpus
    return serve(instance, request, "as-asked", lambda target: plan if target == budget else None)
