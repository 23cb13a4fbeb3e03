"""All jobs on as many GPUs as their users ask for, whatever the budget."""

from numpy.random import Generator

from ...instances import Limits, Outcome, RentalInstance
from ...instances.speedup import MOST_GPUS
from .plan import RentalSolution, answer, steady


def run(instance: RentalInstance, limits: Limits, rng: Generator) -> Outcome:
    """Return the plan, if the budget is enough for it; nothing is random."""
    del limits, rng
    lots = [
        [steady(1.0, [min(float(one.asks), MOST_GPUS)] * len(one.epochs))] for one in instance.types
    ]
    return answer(instance, "as-asked", lambda _budget: RentalSolution(lots))
