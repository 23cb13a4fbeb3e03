"""First in, first out: in every slot the rings that arrived first take all that they may.

A baseline of GADGET. A ring behind one that takes all is only served once that one has spent its
budget; one without a budget never has.
"""

from ...instances import Outcome, ReservedInstance
from ..request import NoOptions, Request
from .in_order import run_slots, serve

NAME = "ring-fifo"


def run(instance: ReservedInstance, request: Request[NoOptions]) -> Outcome:
    """Return the schedule; nothing is random."""
    return run_slots(instance, request.limits, NAME, serve)
