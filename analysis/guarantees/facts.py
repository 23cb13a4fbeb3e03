"""The numbers that the theorems are stated in, computed exactly from an instance."""

from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from ...instances import MakespanInstance, RefusedError


class Facts(NamedTuple):
    """What factors and hypotheses are made of.

    Let p_j and D_j be the least and the most slots of job j, over all placements and
    neighbours. `phi` is the largest D_j / p_j. The schedulers estimate job j by D_j, so an
    estimate lies between `low` (the paper's l) and `high` (u) times what the job takes. By
    p_j it would lie between 1 / phi and 1 times that: u/l is the same.
    """

    gpus: int
    """GPUs of the cluster, N."""
    largest: int
    """GPUs of the largest job, n_g."""
    smallest: int
    """GPUs of the smallest job, w."""
    phi: Fraction
    low: Fraction
    high: Fraction
    loads: Fraction
    """The sum of all p_j; whatever the estimate, no GPU is ever loaded with more."""
    latest: Fraction
    """No list scheduler that idles only for want of GPUs ends later."""


@lru_cache(maxsize=8)
def facts(instance: MakespanInstance) -> Facts:
    """Return the facts of an instance; `RefusedError` if a job may stand still forever."""
    from ...simulation.makespan.extremes import extremes

    jobs = list(zip(instance.jobs, extremes(instance), strict=True))
    slots = []
    for job, extreme in jobs:
        if extreme.least_slots is None or extreme.most_slots is None:
            raise RefusedError(f"job {job.name!r} may stand still forever")
        slots.append((extreme.least_slots, extreme.most_slots))
    gpus = sum(server.gpus for server in instance.cluster.servers)
    largest = max(job.gpus for job in instance.jobs)
    phi = max(most / least for least, most in slots)
    area = sum(job.gpus * most for job, (_, most) in zip(instance.jobs, slots, strict=True))
    return Facts(
        gpus=gpus,
        largest=largest,
        smallest=min(job.gpus for job in instance.jobs),
        phi=phi,
        low=Fraction(1),
        high=phi,
        loads=sum((least for least, _ in slots), Fraction(0)),
        latest=Fraction(area) / (gpus - largest + 1) + max(most for _, most in slots),
    )
