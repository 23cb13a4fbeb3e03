"""Two levels of contention: servers whose rings do not slow one another down, and the others.

A ring is *calm* while all its servers are, else *crowded*. A crowded ring is given the pace that
one ring too many leaves it; more of them would only slow it down further.
"""

from collections.abc import Iterable
from fractions import Fraction
from math import floor, inf
from typing import NamedTuple

from ....instances import MakespanInstance, RingJob, ServerUplink
from ....simulation.iteration import iteration_s, parts, slowdown


class CrowdRates(NamedTuple):
    """Iterations per slot (9), or the most there can be, of a ring across servers."""

    calm: Fraction
    crowded: Fraction


def calm_rings(instance: MakespanInstance) -> float:
    """Return how many spread rings a server has room for before they slow one another down.

    Fair sharing of links says nothing of the kind about servers: then all of them are calm.
    """
    contention = instance.contention
    return floor(1 / Fraction(contention.share)) if isinstance(contention, ServerUplink) else inf


def two_rates(
    instance: MakespanInstance, job: RingJob, units: Iterable[int]
) -> dict[int, CrowdRates]:
    """Return the rates of a job across servers for each of these units of overhead."""
    contention, crowded = instance.contention, Fraction(1)
    if isinstance(contention, ServerUplink):
        share, degradation = Fraction(contention.share), Fraction(contention.degradation)
        crowded = slowdown(share, degradation, int(calm_rings(instance)) + 1)
    terms = parts(instance, job)

    def rate(number: int, factor: Fraction) -> Fraction:
        servers, most = (number, 1) if instance.overhead == "paper" else (2, number)
        seconds = iteration_s(instance, terms, servers, most, factor)
        found = Fraction(instance.slot_s) / seconds
        return Fraction(floor(found)) if instance.progress == "floor" else found

    return {
        number: CrowdRates(rate(number, Fraction(1)), rate(number, crowded)) for number in units
    }
