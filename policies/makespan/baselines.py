"""The baselines First-Fit, List-Scheduling and Random of SJF-BCO, under a limit on loads.

First-Fit takes the first idle GPUs, server by server, whose load stays within the limit;
List-Scheduling takes the least loaded idle GPUs of the cluster. Both search the load limit by
bisection and on a grid. Random takes any idle GPUs, with the horizon as load limit. Jobs with
fewer GPUs come first, unless the option `order` says otherwise.
"""

from ...instances import MakespanInstance, Outcome, TerminationReason
from ..request import Request, Scheduler
from .dispatch import BY_CHANCE, BY_LOAD, BY_RANK
from .incumbent import BestPlan
from .load_limit import BaselineOptions, attempts, no_limit, search_limit


def first_fit(instance: MakespanInstance, request: Request[BaselineOptions]) -> Outcome:
    """Return the best schedule over all load limits tried; nothing in it is random."""
    return search_limit(instance, request, "first-fit", BY_RANK)


FIRST_FIT = Scheduler(run=first_fit, Options=BaselineOptions)


def list_scheduling(instance: MakespanInstance, request: Request[BaselineOptions]) -> Outcome:
    """Return the best schedule over all load limits tried; nothing in it is random."""
    return search_limit(instance, request, "list-scheduling", BY_LOAD)


LIST_SCHEDULING = Scheduler(run=list_scheduling, Options=BaselineOptions)


def random_fit(instance: MakespanInstance, request: Request[BaselineOptions]) -> Outcome:
    """Return one random schedule."""
    chance = request.rng.random(sum(job.gpus for job in instance.jobs))
    attempt, limit = attempts(instance, request, BY_CHANCE, chance)
    best = BestPlan(instance, request.limits, "random")
    best.offer(*attempt(float(limit)))
    return best.outcome(TerminationReason.DONE, no_limit(instance, limit))


RANDOM = Scheduler(run=random_fit, Options=BaselineOptions)
