"""Random outages of servers, by mean times between failures and to repair."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from math import ceil, log
from random import Random

from ..errors import RefusedError
from . import MOST_TICKS, Outage, TraceInstance

MOST_OUTAGES = 10**6
"""More outages are not drawn."""


def with_outages(
    instance: TraceInstance, seed: int, mtbf_s: float, repair_s: float, announced: float = 0.0
) -> TraceInstance:
    """Draw outages of every server until well after the work could be done, in place of its own.

    Times in service and times out of service are exponential, the latter rounded up to ticks. A
    part of the outages is `announced`. The random numbers are separate for each server, so that
    other servers and the jobs do not change them.

    Raises:
        RefusedError: If there would be too many outages.
    """
    tick, end = float(instance.tick_s), _end(instance)
    if expected_outages(instance, mtbf_s, repair_s) > MOST_OUTAGES:
        raise RefusedError(f"more than {MOST_OUTAGES:,} outages would happen, so lengthen mtbf")
    outages = [
        Outage(
            server=server.name,
            from_s=start * instance.tick_s,
            until_s=until * instance.tick_s,
            known=known,
        )
        for server in instance.servers
        for start, until, known in _spans(
            Random(f"outages {seed} {server.name}"), end, mtbf_s / tick, repair_s / tick, announced
        )
    ]
    outages.sort(key=lambda one: one.from_s)
    return replace(instance, outages=tuple(outages))


def expected_outages(instance: TraceInstance, mtbf_s: float, repair_s: float) -> float:
    """Return about how many outages `with_outages` draws."""
    each = max(1.0, (mtbf_s + repair_s) / float(instance.tick_s))
    return len(instance.servers) * _end(instance) / each


def _end(instance: TraceInstance) -> int:
    """Return the tick after which no outage begins: twice as much time as the work may need."""
    last = max(job.arrival_s for job in instance.jobs)
    longest = max(job.duration_s for job in instance.jobs)
    work = sum((job.gpus * job.duration_s for job in instance.jobs), Decimal(0)) / instance.gpus
    return min(MOST_TICKS // 2, int((last + 2 * (longest + work)) / instance.tick_s))


def _spans(
    rng: Random, end: int, up: float, down: float, announced: float
) -> Iterator[tuple[int, int, bool]]:
    """Yield the outages of a server in ticks: from, until, and whether it is announced."""
    now = 0
    while True:
        start = now + int(-log(1 - rng.random()) * up)
        until = min(MOST_TICKS, start + max(1, ceil(-log(1 - rng.random()) * down)))
        known = rng.random() < announced
        if start >= end:
            return
        yield start, until, known
        now = until + 1
