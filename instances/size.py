"""How large an instance is, whatever its family."""

from dataclasses import dataclass
from typing import Any

from ..families import family_of
from .reading.files import Instance


@dataclass(frozen=True, slots=True)
class Extent:
    """Numbers of jobs, of servers if it has any, and of GPUs.

    Jobs are types, tasks, rows or updates, and servers workers, where there are no others.
    """

    jobs: int
    servers: int | None = None
    gpus: int = 0


def extent(instance: Instance) -> Extent:
    """Return how large an instance is."""
    return Extent(*family_of(instance).extent(instance))


def of_machines(instance: Any) -> tuple[int, int, int]:
    """Return numbers of jobs, machines and GPUs of an instance with resources by name."""
    held = [dict(machine.capacity).get("gpu", 0) for machine in instance.machines]
    return len(instance.jobs), len(held), int(sum(held))
