"""First-Fit: the first idle GPUs, server by server, whose load stays within the limit.

Jobs come by number of GPUs, ascending. The load limit is searched by bisection and on a grid.
"""

from ...instances import MakespanInstance, Outcome
from ..request import NoOptions, Request
from .dispatch import BY_RANK
from .load_limit import search_limit


def run(instance: MakespanInstance, request: Request[NoOptions]) -> Outcome:
    """Return the best schedule over all load limits tried; nothing in it is random."""
    return search_limit(instance, request.limits, "first-fit", BY_RANK)
