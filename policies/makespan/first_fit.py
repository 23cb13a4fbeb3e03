"""First-Fit: the first idle GPUs, server by server, whose load stays within the limit.

Jobs come by number of GPUs, ascending. The load limit is searched by bisection and on a grid.
"""

from numpy.random import Generator

from ...instances import Limits, MakespanInstance, Outcome
from .dispatch import BY_RANK
from .load_limit import search_limit


def run(instance: MakespanInstance, limits: Limits, rng: Generator) -> Outcome:
    """Return the best schedule over all load limits tried; nothing in it is random."""
    del rng
    return search_limit(instance, limits, "first-fit", BY_RANK)
