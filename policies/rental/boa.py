"""BOA: every job starts at once, with a width of its type and epoch, best for the budget.

With fractions of GPUs allowed a type has one width by epoch; with whole ones at most one epoch of
one type has two, and its jobs draw one. Where a change of width costs time, and jobs have several
epochs, the changes are chosen with the widths.
"""

from functools import partial

from ...instances import Outcome, RentalInstance
from ..request import NoOptions, Request
from .boa_resize import resized
from .plan import Rented, answer, drawn, priced_lots, thrifty
from .streams import streams_of


def stalls(instance: Rented) -> bool:
    """Say whether a job may have to stand still for a width that is better in another epoch."""
    return instance.rescale_s > 0 and any(len(one.epochs) > 1 for one in instance.types)


def run(instance: RentalInstance, request: Request[NoOptions]) -> Outcome:
    """Return the best plan; nothing is random."""
    if stalls(instance):
        return resized(instance, request, "boa")
    solve = partial(priced_lots, streams_of(instance), drawn)
    return answer(instance, "boa", solve, partial(thrifty, instance))
