"""The rule by which jobs pay for their places on servers at least what all servers can earn.

A slot of a job inside a server has a price by its GPUs, and a slot of a piece of a ring has one
on a calm server, whose rings do not slow one another down, and one, not above it, on a crowded
server. docs/makespan/server-configurations.md has the proof.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, inf, lcm
from typing import NamedTuple

from .....instances.cluster import ServerUplink
from .....instances.makespan.instance import MakespanInstance, RingJob
from ..steps import ProofStep, StepError
from .cuts import Cost, cheapest, spreads_of
from .part import ProofPart, iteration_s, iterations_per_slot, part_of, slots_of, slower_s

MOST_GPUS = 256
"""Of a server; there are tables over them."""

MOST_CUTS = 2**24
"""GPUs of the largest job times pieces times GPUs of a server: the work of finding cuts."""

LONG = 2_000
"""Of runs with more slots, parts of slots are paid for as well."""


SlotLevel = tuple[Fraction, int]
"""Iterations in a slot, and its price."""


class ServerPrices(NamedTuple):
    """Prices of a slot by GPUs: inside a server, and of a piece on a calm and a crowded one."""

    inside: list[int]
    calm: list[int]
    crowded: list[int]


def servers(instance: MakespanInstance, step: ProofStep) -> Fraction:
    """In T slots all servers earn T times the most of each, and jobs pay their least or more."""
    part = part_of(instance, step)
    if part.sizes[0] > MOST_GPUS:
        raise StepError(f"a server has more than {MOST_GPUS} GPUs")
    prices, calm = _prices(step, part.sizes[0]), _calm_rings(part)
    rings = sum(one.job.gpus > 1 for one in part.jobs)
    most = _most_earned(prices, calm, rings)
    earned = sum(count * most[size] for size, count in Counter(part.sizes).items())
    if not earned:
        raise StepError("at these prices servers earn nothing")
    widest = max(one.job.gpus for one in part.jobs)
    pieces = min(widest, len(part.sizes))
    if widest * pieces * part.sizes[0] > MOST_CUTS:
        raise StepError("there are too many ways to cut the largest job")
    costs = cheapest(prices.calm, widest, pieces), cheapest(prices.crowded, widest, pieces)
    alike = Counter(
        replace(one.job, name="-", release_slot=Decimal(0), allowed_regions=None)
        for one in part.jobs
    )
    paid = sum(count * _paid(part, job, prices, costs, calm) for job, count in alike.items())
    return part.rounded(Fraction(paid) / earned)


def _prices(step: ProofStep, size: int) -> ServerPrices:
    """Return the prices by GPUs; what is not named costs nothing."""
    inside, pieces = dict[int, int](), dict[int, tuple[int, int]]()
    for gpus, price in step.rows("inside", 2):
        inside[gpus] = price
    for gpus, calm, crowded in step.rows("pieces", 3):
        if crowded > calm:
            raise StepError(f"a piece of {gpus} GPUs costs more on a crowded server than on a calm")
        pieces[gpus] = calm, crowded
    if not {*inside, *pieces} <= {*range(1, size + 1)}:
        raise StepError(f"a price is of GPUs that no server has; servers have {size} at most")
    each = [pieces.get(gpus, (0, 0)) for gpus in range(size + 1)]
    return ServerPrices(
        [inside.get(gpus, 0) for gpus in range(size + 1)],
        [calm for calm, _ in each],
        [crowded for _, crowded in each],
    )


def _calm_rings(part: ProofPart) -> float:
    """Return how many rings of a server do not slow one another down: infinity for all.

    Where links are shared fairly no ring is faster than alone; so all of them may count as calm.
    """
    model = part.instance.contention
    return floor(1 / Fraction(model.share)) if isinstance(model, ServerUplink) else inf


def _most_earned(prices: ServerPrices, calm: float, rings: int) -> list[int]:
    """Return the most that a slot of a server earns, by its GPUs, with so many rings in all."""
    alone = _filled(prices.inside)
    quiet = _with_pieces(alone, prices.calm, min(calm, rings))
    return list(map(max, quiet, _with_pieces(alone, prices.crowded, rings)))


def _filled(worth: Sequence[int]) -> list[int]:
    """Return the most by room if things of each size may be added as often as there is room."""
    most = [0] * len(worth)
    for room in range(1, len(most)):
        most[room] = max(most[room - size] + worth[size] for size in range(1, room + 1))
    return most


def _with_pieces(first: list[int], worth: Sequence[int], pieces: float) -> list[int]:
    """Return the most by room if up to so many pieces are added, a size of 0 being none."""
    most = first
    for _ in range(int(min(pieces, len(first) - 1))):
        before, most = (
            most,
            [
                max(most[room - size] + worth[size] for size in range(room + 1))
                for room in range(len(most))
            ],
        )
        if most == before:
            break
    return most


def _paid(
    part: ProofPart, job: RingJob, prices: ServerPrices, costs: tuple[Cost, Cost], calm: float
) -> Fraction:
    """Return the least that a job pays, inside a server or cut in any way."""
    instance, found = part.instance, list[Fraction]()
    if job.gpus <= part.sizes[0]:
        units = int(instance.overhead == "paper")
        slots = slots_of(instance, job, iteration_s(instance, job, units, inside=True))
        found += [] if slots is None else [slots * prices.inside[job.gpus]]
    for spread in spreads_of(instance.overhead, part.sizes, job.gpus):
        seconds, model = iteration_s(instance, job, spread.units), instance.contention
        rate = slower = iterations_per_slot(instance, seconds)
        if isinstance(model, ServerUplink):
            delay_s = slower_s(instance, model, job, int(calm) + 1)
            slower = iterations_per_slot(instance, seconds + delay_s)
        prices_of_slots = [cost(job.gpus, spread) for cost in costs]
        if rate and inf not in prices_of_slots:
            each = [int(price) for price in prices_of_slots]
            crowded = (slower, each[1]) if slower and calm != inf else None
            found.append(_run(job.iterations, (rate, each[0]), crowded, part.slotted))
    if not found:
        raise StepError(f"a job of {job.gpus} GPUs has no run that ends")
    return min(found)


def _run(iterations: int, calm: SlotLevel, crowded: SlotLevel | None, slotted: bool) -> Fraction:
    """Return the least price of calm and crowded slots in which all iterations are done.

    In short runs both are whole numbers. If parts of slots count, one kind is enough.
    """
    slots = iterations / calm[0]
    if not slotted or slots > LONG:
        levels = [calm] if crowded is None else [calm, crowded]
        return min(iterations / rate * price for rate, price in levels)
    all_calm = ceil(slots)
    if crowded is None:
        return Fraction(all_calm * calm[1])
    unit = lcm(calm[0].denominator, crowded[0].denominator)
    done, slower, need = int(calm[0] * unit), int(crowded[0] * unit), iterations * unit
    rests = (max(0, need - n * done) for n in range(all_calm + 1))
    best = min(n * calm[1] - (-rest // slower) * crowded[1] for n, rest in enumerate(rests))
    return Fraction(best)
