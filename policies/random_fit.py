"""Random: any idle GPUs, with the horizon as load limit (papers A4).

Jobs come by number of GPUs, ascending. Several runs with different luck are another
matter: give another seed.
"""

import numpy as np
from numpy.random import Generator

from ..instances import Left, Limits, MakespanInstance, Outcome, Stop
from ..simulation import build_model, to_schedule
from .dispatch import BY_CHANCE, dispatch
from .load_limit import estimates, instance_horizon, order_by_gpus


def run(instance: MakespanInstance, limits: Limits, rng: Generator) -> Outcome:
    """Return one random schedule."""
    del limits
    model, work = build_model(instance), estimates(instance)
    chance = rng.random(int(model.jobs["gpus"].sum()))
    limit = float(instance_horizon(instance))
    found = dispatch(model, order_by_gpus(instance, work), work, limit, BY_CHANCE, chance)
    if found.makespan == np.inf:
        note = f"the jobs did not fit under a load limit of {limit:.0f}; raise horizon_slots"
        return Outcome(schedule=None, stop=Stop.DONE, left=Left.NOTHING, note=note)
    schedule = to_schedule(instance, found.plan, "random")
    return Outcome(schedule=schedule, stop=Stop.DONE, left=Left.FEASIBLE)
