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


def draw_problem(
    seed: int, jobs: int = 50, most: int = 40, room: float = 0.4, slot_ms: float = 3000.0
) -> SmdProblem:
    """Return the problem of a seed: GPUs, cores, memory and disk.

    Jobs reserve for up to `most` workers and servers; `room` is the part of all that is reserved
    for which there is capacity.
    """
    luck = Random(seed)
    drawn = tuple(draw_job(luck, f"j{i}", most) for i in range(jobs))
    sums = [sum(amounts) for amounts in zip(*(job.reserved for job in drawn), strict=True)]
    return SmdProblem(jobs=drawn, capacity=tuple(room * s for s in sums), slot_ms=slot_ms)


def draw_job(luck: Random, name: str, most: int) -> SmdJob:
    """Draw a job that reserves for up to `most` workers and as many servers."""
    synchronous = luck.random() < 0.5
    worker, server = (float(whole(luck, 0, 4)), *_demand(luck)), (0.0, *_demand(luck))
    workers, servers = whole(luck, 2, most), whole(luck, 2, most)
    return SmdJob(
        name=name,
        synchronous=synchronous,
        epochs=whole(luck, 50, 200),
        samples=whole(luck, 10, 100),
        forward_ms=between(luck, 1, 50),
        backward_ms=between(luck, 1, 50),
        size_mb=between(luck, 30, 575),
        bandwidth_mb_ms=between(luck, 1, 20),
        worker_ms=between(luck, 3, 4),
        server_ms=between(luck, 0, Decimal("0.01")),
        concurrency=1.0 if synchronous else between(luck, Decimal("0.1"), 1),
        worker=worker,
        server=server,
        reserved=tuple(workers * a + servers * b for a, b in zip(worker, server, strict=True)),
        utility=_utility(luck),
    )


def _demand(luck: Random) -> tuple[float, float, float]:
    """Draw cores, gigabytes of memory and gigabytes of disk."""
    return (float(whole(luck, 1, 10)), float(whole(luck, 2, 32)), float(whole(luck, 5, 10)))


def _utility(luck: Random) -> Sigmoid:
    """Draw a utility that is flat (one in ten), gentle or steep (one in three)."""
    kind = luck.random()
    steepness = 0.0 if kind < 0.1 else between(luck, Decimal("0.01"), 1)
    return Sigmoid(
        value=exact(between(luck, 1, 100), 2),
        steepness=exact(between(luck, 4, 6) if kind > 0.65 else steepness, 3),
        midpoint_slots=exact(between(luck, 1, 15), 2),
    )
