"""Size of an instance of any family."""

from dataclasses import dataclass
from typing import Any

from ..families import family_of
from .reading.files import Instance


@dataclass(frozen=True, slots=True)
class Extent:
    """Numbers of jobs, of servers (if any), and of GPUs.

    In families without jobs or servers, types, tasks, rows or updates are counted as jobs, and
    workers
    as servers.
    """

    jobs: int
    servers: int | None = None
    gpus: int = 0


def extent(instance: Instance) -> Extent:
    """Return the size of an instance."""
    return Extent(*family_of(instance).extent(instance))


def of_machines(instance: Any) -> tuple[int, int, int]:
    """Return numbers of jobs, machines and GPUs of an instance with resources by name."""
    held = [dict(machine.capacity).get("gpu", 0) for machine in instance.machines]
    return len(instance.jobs), len(held), int(sum(held))
