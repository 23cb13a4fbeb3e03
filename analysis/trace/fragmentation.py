"""How much of the idle capacity lies in pieces too small for the jobs there are."""

from bisect import bisect_right
from collections.abc import Iterable
from fractions import Fraction

from ...instances.trace.instance import TraceInstance
from ..check.trace.timeline import TraceHolding, steps_of


def fragmentation(
    instance: TraceInstance, runs: Iterable[TraceHolding], first: int, last: int
) -> tuple[Fraction, Fraction]:
    """Return the share of idle GPU-time in fragments between two ticks, and idle GPU-ticks.

    An idle GPU of a server is in a fragment for a job that wants more GPUs there than are idle:
    all that the job asks for, or all that the server has if those are fewer. The share is the
    mean over the jobs of the instance, as in the fragmentation measure of Weng et al., *Beware of
    Fragmentation* (FGD, USENIX ATC 2023). It is 0 if nothing is ever idle.
    """
    steps = steps_of(instance, runs)
    asked = sorted(job.gpus for job in instance.jobs)
    idle = broken = 0
    for machine in instance.servers:
        too_small = _too_small(asked, machine.gpus)
        for free, ticks in _spells(steps[machine.name], 2 * machine.gpus, first, last):
            idle += free * ticks
            broken += free * ticks * too_small[free // 2]
    share = Fraction(broken, idle * len(asked)) if idle else Fraction(0)
    return share, Fraction(idle, 2)


def _too_small(asked: list[int], gpus: int) -> list[int]:
    """Return, by the idle GPUs of a server, how many of the jobs want more of them."""
    return [len(asked) - bisect_right(asked, idle) for idle in range(gpus)] + [0]


def _spells(
    steps: dict[int, int], capacity: int, first: int, last: int
) -> Iterable[tuple[int, int]]:
    """Yield what is free of a server, and for how many ticks."""
    free, since = capacity, first
    for tick in sorted(steps):
        yield free, tick - since
        free -= steps[tick]
        since = tick
    yield free, last - since
