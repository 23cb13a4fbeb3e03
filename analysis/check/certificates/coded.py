"""Rules of `coded`: a code with k parts needs at least k finished workers.

Steps have only the rule's name. Ratios are pairs of integers, which grow too long to be reduced at
every step.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import lcm

from ....instances.coded import Bimodal, CodedInstance, ParetoTime, ShiftedExponential
from .reading import ProofStep, StepError

Ratio = tuple[int, int]
FINE = 256
"""Bits of ratios in a first comparison."""


def as_many_workers(instance: CodedInstance, _: ProofStep) -> Fraction:
    """Return the minimum over all numbers k of parts of the mean time until k workers are done."""
    least = dict[int, list[Ratio]]()
    for k, (above, below) in enumerate(_means(instance), 1):
        share = instance.share(k)
        above, below = above * share.numerator, below * share.denominator
        # The least has the least whole part; only ratios that share it are compared in full.
        whole = (above << FINE) // below
        if whole <= min(least, default=whole):
            least = {whole: [*least.get(whole, []), (above, below)]}
    if not least:
        raise StepError("no number of workers has a finite expected time")
    return min(Fraction(*one) for ratios in least.values() for one in ratios)


def first_worker(instance: CodedInstance, _: ProofStep) -> Fraction:
    """Return the mean time until the first worker completes the smallest possible part."""
    for first in _means(instance):
        return instance.share(instance.workers) * Fraction(*first)
    raise StepError("the mean time of the first worker is infinite")


def _means(instance: CodedInstance) -> Iterator[Ratio]:
    """Yield the mean times until 1, 2, .. workers are done with a whole task, while finite."""
    law, left = instance.time, range(instance.workers, 0, -1)
    if isinstance(law, ShiftedExponential):
        # With i workers left, the next is done after 1 / (i rate), on average.
        grain, rate, least = lcm(*left), Fraction(law.rate_per_s), Fraction(law.least_s)
        above, below = (least * rate).as_integer_ratio()
        waits = 0
        for i in left:
            waits += grain // i
            yield (above * grain + below * waits) * rate.denominator, below * grain * rate.numerator
    elif isinstance(law, ParetoTime):
        # Each time is the one before times a power of a uniform number, whose mean is this.
        tail, (above, below) = Fraction(law.tail), Fraction(law.least_s).as_integer_ratio()
        for i in left:
            if i * tail <= 1:
                return
            above *= i * tail.numerator
            below *= i * tail.numerator - tail.denominator
            yield above, below
    elif isinstance(law, Bimodal):
        slow = Fraction(law.slow)
        steps = [(Fraction(law.fast_s), slow), (Fraction(law.slow_s), Fraction(0))]
        yield from _of_steps(steps, instance.workers)
    else:
        times, count = sorted(map(Fraction, law.times_s)), len(law.times_s)
        steps = [(time, Fraction(count - j, count)) for j, time in enumerate(times, 1)]
        yield from _of_steps(steps, instance.workers)


def _of_steps(steps: list[tuple[Fraction, Fraction]], n: int) -> Iterator[Ratio]:
    """Yield the mean of the k-th of n times, given all times with their tail probabilities.

    Each step up is included if fewer than k workers are done there.
    """
    grain = lcm(*(time.denominator for time, _ in steps))
    chances = lcm(*(longer.denominator for _, longer in steps))
    total = int(steps[0][0] * grain) * chances**n
    ups = [
        (int((after - before) * grain), int(longer * chances))
        for (before, longer), (after, _) in pairwise(steps)
        if after > before and longer
    ]
    # Of `chances` to the n-th outcomes, those in which exactly i of n are done by then.
    outcomes = [late**n for _, late in ups]
    for i in range(n):
        total += sum(up * some for (up, _), some in zip(ups, outcomes, strict=True))
        yield total, grain * chances**n
        outcomes = [
            some * (n - i) * (chances - late) // ((i + 1) * late)
            for (_, late), some in zip(ups, outcomes, strict=True)
        ]


RULES = {"as many workers as parts": as_many_workers, "first worker": first_worker}
