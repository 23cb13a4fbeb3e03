"""A bound from rings that must cross the network: each holds uplinks, or shares them and slows.

A job larger than every server is a ring across servers. Let an uplink be worth mu GPUs, shared
evenly by the rings on it: with its GPUs, a slot of the cluster is worth N + mu S. What a ring
takes of the cluster is at least the cheapest slots in which it can do all its iterations, alone
on its uplinks or in company.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, lcm
from typing import NamedTuple

import numpy as np

from ....instances import Bound, BoundKind, MakespanInstance, ServerUplink
from ....instances.certificate import exact_number
from ....instances.reading.encode import fraction_text
from ....simulation.iteration import parts, slowdown
from ....simulation.makespan.extremes import extremes
from .tasks import TaskWork, TimedJob, longest_tail

MOST_RINGS = 8
"""More rings on a server count as this many in pace, and as any number in uplinks."""

GRID = np.concatenate([[0.0], np.geomspace(1 / 16, 1024, 128)])
"""Values of an uplink, in GPUs, from which the best is taken."""

FINEST = 64
"""It is rounded to a whole number of such parts of a GPU."""


class UplinkLevel(NamedTuple):
    """With some rings on its busiest server: a ring's iterations per slot, and least uplinks."""

    rate: Fraction
    uplinks: Fraction


class UplinkRing(NamedTuple):
    """A job that must cross the network."""

    release: Fraction
    gpus: int
    iterations: int
    levels: list[UplinkLevel]


def uplink_bound(instance: MakespanInstance, tasks: Sequence[TimedJob]) -> Bound | None:
    """Return the bound at the best value of an uplink, or None if no job must cross."""
    sizes = [server.gpus for server in instance.cluster.servers]
    rings = _rings(instance, max(sizes))
    if not rings:
        return None
    works = [
        TaskWork(task.release, task.gpus * task.slots) for task in tasks if task.gpus <= max(sizes)
    ]
    mu = _best_value(rings, float(sum(work.amount for work in works)), sizes)
    whole = instance.progress != "continuous"
    works += [TaskWork(ring.release, taken(ring, mu, whole)) for ring in rings]
    text = (
        f"{len(rings)} jobs must cross the network, alone on their uplinks or slowed; if an "
        f"uplink is worth {fraction_text(mu)} GPUs, all jobs fill the cluster until then"
    )
    tail = longest_tail(works, sum(sizes) + mu * len(sizes))
    step = {"rule": "uplinks", "worth": exact_number(mu), "from": exact_number(tail.release)}
    return Bound.by(BoundKind.COMBINATORIAL, "uplinks", tail.value, text, step)


def _rings(instance: MakespanInstance, size: int) -> list[UplinkRing]:
    """Return the jobs larger than `size`, the most GPUs of a server."""
    model = instance.contention
    if not isinstance(model, ServerUplink):
        return []
    share, degradation = Fraction(model.share), Fraction(model.degradation)
    most = min(size, sum(job.gpus > 1 for job in instance.jobs))
    counts = range(1, min(most, MOST_RINGS) + 1)
    delays = [slowdown(share, degradation, count) - 1 for count in counts]
    found = []
    for job, extreme in zip(instance.jobs, extremes(instance), strict=True):
        if job.gpus > size:
            transfer_s = parts(instance, job).transfer_s
            rates = [
                Fraction(instance.slot_s) / (extreme.fastest_s + transfer_s * d) for d in delays
            ]
            if instance.progress == "floor":
                rates = [Fraction(floor(rate)) for rate in rates]
            held = [least_uplinks(job.gpus, size, count) for count in counts[:-1]]
            held.append(least_uplinks(job.gpus, size, most))
            levels = _useful(map(UplinkLevel, rates, held))
            found.append(UplinkRing(Fraction(job.release_slot), job.gpus, job.iterations, levels))
    return found


@lru_cache(maxsize=1000)
def least_uplinks(gpus: int, size: int, rings: int) -> Fraction:
    """Return at most what a ring holds of uplinks with `rings` or fewer on each of its servers.

    With y GPUs of a server's O it has at most O - y others beside it: with n on the server, it
    holds 1 / n of the uplink for at most O - n + 1 GPUs.
    """
    n = min(rings, (size + 1) // 2)
    held = Fraction(gpus, n * (size - n + 1))
    if rings > MOST_RINGS:
        return held
    part = lcm(*range(1, rings + 1))
    return Fraction(ceil(held * part), part)


def _useful(levels: Iterable[UplinkLevel]) -> list[UplinkLevel]:
    """Leave out levels that are no better than another one."""
    found: list[UplinkLevel] = []
    for level in levels:
        if found and found[-1].rate == level.rate:
            found.pop()
        if level.rate and (not found or level.uplinks < found[-1].uplinks):
            found.append(level)
    return found


def _best_value(rings: list[UplinkRing], others: float, sizes: list[int]) -> Fraction:
    """Return the value of an uplink at which the work of rings and others takes longest.

    Here a ring takes parts of slots, and everything is released at once.
    """
    width = max(len(ring.levels) for ring in rings)
    padded = [ring.levels + ring.levels[-1:] * (width - len(ring.levels)) for ring in rings]
    rates, uplinks = np.moveaxis(np.array(padded, float), 2, 0)
    gpus = np.array([[ring.gpus] for ring in rings])
    iterations = np.array([ring.iterations for ring in rings])
    slots = [
        (others + iterations @ ((gpus + mu * uplinks) / rates).min(axis=1))
        / (sum(sizes) + mu * len(sizes))
        for mu in GRID
    ]
    return Fraction(round(GRID[int(np.argmax(slots))] * FINEST), FINEST)


def taken(ring: UplinkRing, mu: Fraction, whole: bool) -> Fraction:
    """Return the worth of the cheapest slots in which a ring can do its iterations.

    In parts of slots all are at the level of the best price per iteration. A whole number of
    slots more (less) has iterations to spare (to make up for), which other levels trade.
    """
    prices = [ring.gpus + mu * level.uplinks for level in ring.levels]
    rates = [level.rate for level in ring.levels]
    best = min(range(len(prices)), key=lambda k: prices[k] / rates[k])
    price, rate = prices[best], rates[best]
    slots = ring.iterations / rate
    if not whole:
        return slots * price
    slopes = [(price - prices[k]) / (rate - rates[k]) for k in range(len(prices)) if k != best]
    spare = ceil(slots) * rate - ring.iterations
    lack = ring.iterations - floor(slots) * rate
    above = ceil(slots) * price - spare * max(slopes[best:], default=Fraction(0))
    if best == 0:
        return above
    return min(above, floor(slots) * price + lack * min(slopes[:best]))
