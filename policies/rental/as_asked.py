"""All jobs on as many GPUs as their users ask for, whatever the budget."""

from ...instances import Outcome, RentalInstance
from ...instances.speedup import MOST_GPUS
from ..request import NoOptions, Request
from .plan import RentalSolution, answer, steady


def run(instance: RentalInstance, request: Request[NoOptions]) -> Outcome:
    """Return the plan, if the budget is enough for it; nothing is random."""
    lots = [
        [steady(1.0, [min(float(one.asks), MOST_GPUS)] * len(one.epochs))] for one in instance.types
    ]
    return answer(instance, "as-asked", lambda _budget: RentalSolution(lots))
