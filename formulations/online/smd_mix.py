"""New SMD problems, from a seed.

Of the ranges, beta_1 and beta_2 are SMD's; epochs, sizes, demands and utilities are those of
OASiS; the others are ours, chosen so that the fewest milliseconds often need less than all that
is reserved. Only `random.Random.random` is used, so a seed names the same problem everywhere.
"""

from decimal import Decimal
from random import Random

from ...instances import Sigmoid
from ...instances.draw import between, exact, whole
from .smd_data import SmdJob, SmdProblem

ROOM = 0.4
"""The usual part of all that is reserved for which there is capacity."""


def draw_problem(seed: int, jobs: int = 50, most: int = 40, room: float = ROOM) -> SmdProblem:
    """Return the problem of a seed: GPUs, cores, memory and disk.

    Jobs reserve for up to `most` workers and servers; there is capacity for a part `room` of it.
    """
    rng = Random(seed)
    drawn = tuple(draw_job(rng, f"j{i}", most) for i in range(jobs))
    sums = [sum(amounts) for amounts in zip(*(job.reserved for job in drawn), strict=True)]
    return SmdProblem(jobs=drawn, capacity=tuple(room * s for s in sums), slot_ms=3000.0)


def draw_job(rng: Random, name: str, most: int) -> SmdJob:
    """Draw a job that reserves for up to `most` workers and as many servers."""
    synchronous = rng.random() < 0.5
    worker, server = (float(whole(rng, 0, 4)), *_demand(rng)), (0.0, *_demand(rng))
    workers, servers = whole(rng, 2, most), whole(rng, 2, most)
    return SmdJob(
        name=name,
        synchronous=synchronous,
        epochs=whole(rng, 50, 200),
        samples=whole(rng, 10, 100),
        forward_ms=between(rng, 1, 50),
        backward_ms=between(rng, 1, 50),
        size_mb=between(rng, 30, 575),
        bandwidth_mb_ms=between(rng, 1, 20),
        worker_ms=between(rng, 3, 4),
        server_ms=between(rng, 0, Decimal("0.01")),
        concurrency=1.0 if synchronous else between(rng, Decimal("0.1"), 1),
        worker=worker,
        server=server,
        reserved=tuple(workers * a + servers * b for a, b in zip(worker, server, strict=True)),
        utility=_utility(rng),
    )


def _demand(rng: Random) -> tuple[float, float, float]:
    """Draw cores, gigabytes of memory and gigabytes of disk."""
    return (float(whole(rng, 1, 10)), float(whole(rng, 2, 32)), float(whole(rng, 5, 10)))


def _utility(rng: Random) -> Sigmoid:
    """Draw a utility that is flat (one in ten), gentle or steep (one in three)."""
    kind = rng.random()
    steepness = 0.0 if kind < 0.1 else between(rng, Decimal("0.01"), 1)
    return Sigmoid(
        value=exact(between(rng, 1, 100), 2),
        steepness=exact(between(rng, 4, 6) if kind > 0.65 else steepness, 3),
        midpoint_slots=exact(between(rng, 1, 15), 2),
    )
