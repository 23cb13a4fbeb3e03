"""Random: any idle GPUs, with the horizon as load limit.

Jobs come by number of GPUs, ascending. Several runs with different seeds are another
matter: give another seed.
"""

from ...instances import MakespanInstance, Outcome, Stop
from ...simulation import build_model
from ..request import NoOptions, Request
from .dispatch import BY_CHANCE, dispatch
from .incumbent import Incumbent
from .load_limit import estimates, highest_limit, no_limit, order_by_gpus


def run(instance: MakespanInstance, request: Request[NoOptions]) -> Outcome:
    """Return one random schedule."""
    model, work = build_model(instance), estimates(instance)
    chance = request.rng.random(int(model.jobs["gpus"].sum()))
    limit = highest_limit(instance, work)
    best = Incumbent(instance, request.limits, "random")
    order = order_by_gpus(instance, work)
    best.offer(*dispatch(model, order, work, float(limit), BY_CHANCE, chance))
    return best.outcome(Stop.DONE, no_limit(instance, limit))
