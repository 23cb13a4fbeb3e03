"""Theorems about schedules from rounded relaxations. Proofs: `docs/lp-rounding.md`."""

from fractions import Fraction
from typing import Any

from ...instances import MakespanInstance
from .facts import facts
from .guarantee import Guarantee, Hypothesis
from .hypotheses import ANYWHERE, MOVING, OFFLINE, SLOTTED


def _too_wide(instance: MakespanInstance, options: Any) -> str | None:
    del options
    smallest = min(instance.cluster.servers, key=lambda server: server.gpus)
    wide = (job for job in instance.jobs if job.gpus > smallest.gpus)
    return next(
        (
            f"job {job.name!r} takes {job.gpus}, server {smallest.name!r} has {smallest.gpus}"
            for job in wide
        ),
        None,
    )


FITTING = Hypothesis(name="jobs that fit into every server", unmet=_too_wide)


def _inside(yard: MakespanInstance) -> Fraction:
    largest = max(server.gpus for server in yard.cluster.servers)
    return Fraction(4 * largest, largest + 1)


def _any_order(yard: MakespanInstance) -> Fraction:
    known = facts(yard)
    others = known.gpus if any(job.release_slot for job in yard.jobs) else known.gpus - 1
    return known.phi * (1 + Fraction(others, known.gpus - known.largest + 1))


ROUNDINGS: tuple[Guarantee, ...] = (
    Guarantee(
        name="rounded-assignment",
        statement="4 O / (O + 1), O the GPUs of the largest server",
        source="ours, after Lenstra, Shmoys and Tardos 1990",
        proved=True,
        hypotheses=(OFFLINE, SLOTTED, FITTING, ANYWHERE),
        factor=_inside,
    ),
    Guarantee(
        name="any-order",
        statement="phi (1 + M / (N - n_g + 1)); M = N, or N - 1 if all jobs are released at 0",
        source="ours, after Graham 1966",
        proved=True,
        hypotheses=(SLOTTED, MOVING, ANYWHERE),
        factor=_any_order,
    ),
)
"""In the order in which `ringyard list guarantees` shows them."""

CARRIED_BY: dict[str, tuple[str, ...]] = {
    "lenstra-shmoys-tardos": ("rounded-assignment",),
    "alpha-points": ("any-order",),
    "midpoints": ("any-order",),
}
