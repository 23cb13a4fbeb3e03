"""How fast a run works: millionths of a tick's work in a tick."""

from decimal import Decimal
from fractions import Fraction

from ....instances.contention import ServerUplink
from ....instances.trace.instance import TraceInstance
from ..sharing import FluidSharing, NoSharing, RingSharing, UplinkSharing, UplinkTree
from .runs import GangRun

FULL = 10**6
"""The rate at full speed."""

ONE = Decimal(1)


def sharing_of(instance: TraceInstance) -> RingSharing[GangRun]:
    """Return how the rings of an instance slow each other down, with no ring present."""
    if isinstance(instance.contention, ServerUplink):
        return UplinkSharing(instance.contention)
    if instance.fluid is not None:
        return FluidSharing(UplinkTree(instance.fluid, Fraction(1)), Fraction(1))
    return NoSharing()


def factors_of(run: GangRun) -> tuple[Decimal, Decimal]:
    """Return what its width and its share make of a run's speed.

    A width or share that its job may not have is taken to cost nothing: it breaks a rule.
    """
    job = run.job
    width = ONE
    if run.width != job.gpus:
        width = next((entry.speed for entry in job.speeds if entry.gpus == run.width), ONE)
    return width, ONE if not run.half or job.packed_speed is None else job.packed_speed


class GangRates:
    """The rates of runs; each is worked out once."""

    def __init__(self) -> None:
        """Know none."""
        self._known: dict[tuple[Decimal, Decimal, Decimal, Fraction], int] = {}

    def of(self, run: GangRun, slowdown: Fraction) -> int:
        """Return the rate under a slowdown of its links, which is 0 if it crosses none.

        It is rounded to the nearest, halves to even; none is less than one.
        """
        width, packed = factors_of(run)
        if width == packed == ONE and not slowdown:
            return FULL  # as most runs have it
        key = width, packed, run.job.communication, slowdown
        if key not in self._known:
            alone = Fraction(width) * Fraction(packed)
            speed = alone / (1 + Fraction(run.job.communication) * slowdown)
            self._known[key] = max(1, round(FULL * speed))
        return self._known[key]
