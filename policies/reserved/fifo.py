"""First in, first out: in every slot the rings that arrived first take all that they may.

A baseline of GADGET. A ring behind one that takes all is only served once that one has spent its
budget; one without a budget never has.
"""

from numpy.random import Generator

from ...instances import Limits, Outcome, ReservedInstance
from .in_order import run_slots, serve

NAME = "ring-fifo"


def run(instance: ReservedInstance, limits: Limits, rng: Generator) -> Outcome:
    """Return the schedule; nothing is random."""
    return run_slots(instance, limits, NAME, serve)
