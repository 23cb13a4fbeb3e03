"""Random: any idle GPUs, with the horizon as load limit.

Jobs come by number of GPUs, ascending. Several runs with different seeds are another
matter: give another seed.
"""

from ...instances import MakespanInstance, Outcome, TerminationReason
from ..request import Request
from .dispatch import BY_CHANCE
from .incumbent import BestPlan
from .load_limit import BaselineOptions as Options
from .load_limit import attempts, no_limit


def run(instance: MakespanInstance, request: Request[Options]) -> Outcome:
    """Return one random schedule."""
    chance = request.rng.random(sum(job.gpus for job in instance.jobs))
    attempt, limit = attempts(instance, request, BY_CHANCE, chance)
    best = BestPlan(instance, request.limits, "random")
    best.offer(*attempt(float(limit)))
    return best.outcome(TerminationReason.DONE, no_limit(instance, limit))
