"""The rule that jobs pay at least as much for their places on servers as all servers can earn.

A slot of a job inside a server has a price by its GPUs. A slot of a piece of a ring has a price on
a calm server, whose rings do not slow each other down, and at most this price on a crowded server.
docs/theory/makespan-bounds-lp.md has the proof.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import accumulate
from math import floor, lcm
from operator import add
from typing import NamedTuple

from .....instances.cluster import ServerUplink
from .....instances.makespan import MakespanInstance, RingJob
from ..reading import ProofStep, StepError
from .part import ProofPart, iteration_s, iterations_per_slot, part_of, slots_of, slower_s

MOST_GPUS = 256
"""Maximum number of GPUs of a server, the size of tables."""

MOST_CUTS = 2**24
"""GPUs of the largest job times pieces times GPUs of a server: the work of finding cuts."""

LONG = 2_000
"""In runs with more slots, fractional slots are paid for as well."""

FEW = 4
"""Number of distinguished overheads. A ring with more is treated as one with the last."""

SlotLevel = tuple[Fraction, int]
"""Iterations in a slot, and its price."""


class CutKind(NamedTuple):
    """Overhead of a ring across servers, and its maximum numbers of pieces and largest pieces."""

    units: int
    pieces: int
    largest: int


Cost = Callable[[int, CutKind], int]
"""The minimum price of a number of GPUs with a kind of cut."""


def servers(instance: MakespanInstance, step: ProofStep) -> Fraction:
    """In T slots servers earn at most T times their maxima; jobs pay at least their minima."""
    part, model = part_of(instance, step), instance.contention
    size = part.sizes[0]
    if size > MOST_GPUS:
        raise StepError(f"a server has more than {MOST_GPUS} GPUs")
    inside, quiet, loud = _prices(step, size)
    # Up to `calm` rings of a server do not slow one another down. Where links are shared fairly no
    # ring is faster than alone; so all of them may count as calm.
    rings = sum(one.job.gpus > 1 for one in part.jobs)
    calm = floor(1 / Fraction(model.share)) if isinstance(model, ServerUplink) else rings
    alone = layers([0] * (size + 1), inside, size)[-1]
    quiets, louds = layers(alone, quiet, min(calm, rings))[-1], layers(alone, loud, rings)[-1]
    earned = sum(max(quiets[gpus], louds[gpus]) for gpus in part.sizes)
    if not earned:
        raise StepError("at these prices servers earn 0")
    widest = max(one.job.gpus for one in part.jobs)
    pieces = min(widest, len(part.sizes))
    if widest * pieces * size > MOST_CUTS:
        raise StepError("there are too many divisions of the largest job")
    costs = cheapest(quiet, widest, pieces), cheapest(loud, widest, pieces)
    alike = Counter(
        replace(one.job, name="-", release_slot=Decimal(), allowed_regions=None)
        for one in part.jobs
    )
    paid = sum(n * _paid(part, job, inside, costs, calm + 1) for job, n in alike.items())
    return part.rounded(Fraction(paid) / earned)


def _prices(step: ProofStep, size: int) -> tuple[list[int], list[int], list[int]]:
    """Return prices of a slot by GPUs: inside a server, and of calm and crowded pieces.

    Missing prices are 0.
    """
    inside, quiet, loud = [0] * (size + 1), [0] * (size + 1), [0] * (size + 1)
    alone, cut = step.rows("inside", 2), step.rows("pieces", 3)
    if not all(1 <= row[0] <= size for row in [*alone, *cut]):
        raise StepError(f"a price names more GPUs than a server has, which is at most {size}")
    for gpus, price in alone:
        inside[gpus] = price
    for gpus, calm, crowded in cut:
        if crowded > calm:
            raise StepError(f"a piece of {gpus} GPUs costs more on a crowded server than on a calm")
        quiet[gpus], loud[gpus] = calm, crowded
    return inside, quiet, loud


def layers(first: list[int], worth: Sequence[int], pieces: int) -> list[list[int]]:
    """Return the largest addition of up to 0, 1, .. pieces to `first`, by room.

    The list ends with the list of `pieces`, or as soon as a further piece changes no value.
    """
    found = [first]
    while len(found) <= pieces:
        last = found[-1]
        after = [max(map(add, worth, last[room::-1])) for room in range(len(last))]
        if after == last:
            break
        found.append(after)
    return found


def cheapest(prices: Sequence[int], widest: int, pieces: int) -> Cost:
    """Return the cost of cuts of up to `widest` GPUs, into at most `pieces` pieces at these prices.

    All kinds of cuts have pieces that are many and large enough.
    """
    never = -widest * max(prices) - 1
    """Less than the cost of any cut, with all costs counted as negative."""

    @cache
    def cuts(largest: int) -> list[list[int]]:
        worth = [0, *(-price for price in prices[1 : largest + 1])]
        return layers([0, *[never] * widest], worth, pieces)

    def cost(gpus: int, kind: CutKind) -> int:
        tables = cuts(kind.largest)
        return -tables[min(kind.pieces, len(tables) - 1)][gpus]

    return cost


def _cuts(overhead: str, sizes: Sequence[int], gpus: int) -> Iterator[CutKind]:
    """Yield the kinds of cuts that spread GPUs over servers of these sizes, the largest first.

    The overhead depends on the number of pieces, on the largest piece, or on neither. For each
    overhead at least its cuts are considered, possibly with cuts of less overhead. The cheapest cut
    is thus a lower bound on the ring's payment. No piece is the whole ring.
    """
    pieces, largest = min(gpus, len(sizes)), min(gpus - 1, sizes[0])
    if pieces < 2:
        return
    if overhead == "paper":
        held = [0, *accumulate(sizes)]
        kinds = [CutKind(n, n, largest) for n in range(2, pieces + 1) if held[n] >= gpus][:FEW]
    elif overhead == "step":
        kinds = [CutKind(1, pieces, largest)]
    else:
        enough = (m for m in range(1, largest + 1) if sum(min(s, m) for s in sizes) >= gpus)
        kinds = [CutKind(m, pieces, m) for m, _ in zip(enough, range(FEW), strict=False)]
    yield from kinds[:-1]
    yield from (kind._replace(pieces=pieces, largest=largest) for kind in kinds[-1:])


def _paid(
    part: ProofPart, job: RingJob, inside: list[int], costs: tuple[Cost, Cost], crowd: int
) -> Fraction:
    """Return the minimum payment of a job, inside a server or with any cut."""
    instance, model, found = part.instance, part.instance.contention, list[Fraction]()
    speed = part.speed(job)
    if job.gpus <= part.sizes[0]:
        units = int(instance.overhead == "paper")
        alone_s = iteration_s(instance, job, units, inside=True, speed=speed)
        slots = slots_of(instance, job, alone_s)
        found += [] if slots is None else [slots * inside[job.gpus]]
    for kind in _cuts(instance.overhead, part.sizes, job.gpus):
        seconds = iteration_s(instance, job, kind.units, speed=speed)
        levels = list[SlotLevel]()
        delays = [Fraction(0)]
        if isinstance(model, ServerUplink):
            delays.append(slower_s(instance, model, job, crowd))
        for delay_s, cost in zip(delays, costs, strict=False):
            if rate := iterations_per_slot(instance, seconds + delay_s):
                levels.append((rate, cost(job.gpus, kind)))
        if levels:
            found.append(_run(job.iterations, levels, part.slotted))
    return min(found)


def _run(iterations: int | Fraction, levels: list[SlotLevel], slotted: bool) -> Fraction:
    """Return the minimum price of calm or crowded slots that complete all iterations.

    In short runs both numbers are integers. With fractional slots, one kind suffices.
    """
    if not slotted or iterations / levels[0][0] > LONG:
        return min(iterations / rate * price for rate, price in levels)
    unit = lcm(*(rate.denominator for rate, _ in levels))
    need, counts = iterations * unit, [(int(rate * unit), price) for rate, price in levels]
    (done, dear), (slower, cheap) = counts[0], counts[-1]
    rests = (max(0, need - n * done) for n in range(-(-need // done) + 1))
    return Fraction(min(n * dear - (-rest // slower) * cheap for n, rest in enumerate(rests)))
