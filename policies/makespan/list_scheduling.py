"""List-Scheduling: the least loaded idle GPUs, wherever they stand.

Jobs come by number of GPUs, ascending, if not asked otherwise. The load limit is searched by
bisection and on a grid.
"""

from ...instances import MakespanInstance, Outcome
from ..request import Request
from .dispatch import BY_LOAD
from .load_limit import BaselineOptions as Options
from .load_limit import search_limit


def run(instance: MakespanInstance, request: Request[Options]) -> Outcome:
    """Return the best schedule over all load limits tried; nothing in it is random."""
    return search_limit(instance, request, "list-scheduling", BY_LOAD)
