"""BOA where a change of width makes a job stand still: few changes, chosen with the widths."""

from numpy.random import Generator

from ...instances import Limits, Outcome, RentalInstance
from .plan import Solution, answer, worth_more
from .resize import solve_resize
from .streams import streams_of


def run(
    instance: RentalInstance, limits: Limits, rng: Generator, *, method: str = "boa-resize"
) -> Outcome:
    """Return the best plan; nothing is random."""
    del limits, rng
    streams, stall_h = streams_of(instance), float(instance.rescale_s) / 3600

    def solve(budget: float) -> Solution | None:
        found = solve_resize(streams, budget, stall_h)
        return found and Solution(found.lots, worth_more(found.gain_h))

    return answer(instance, method, solve)
