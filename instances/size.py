"""How large an instance is, whatever its family."""

from dataclasses import dataclass

from .coded.instance import CodedInstance
from .fleet.instance import FleetInstance
from .makespan.instance import MakespanInstance
from .reading.files import Instance
from .rental.instance import RentalInstance
from .shuffle.instance import ShuffleInstance
from .trace.instance import TraceInstance
from .transfers.instance import TransfersInstance


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
    match instance:
        case MakespanInstance(cluster=cluster, jobs=jobs):
            return Extent(len(jobs), len(cluster.servers), sum(one.gpus for one in cluster.servers))
        case TraceInstance(servers=servers, jobs=jobs):
            return Extent(len(jobs), len(servers), instance.gpus)
        case RentalInstance(types=types):
            return Extent(len(types))
        case FleetInstance(jobs=jobs):
            return Extent(len(jobs))
        case CodedInstance(workers=tasks):
            return Extent(tasks, tasks)
        case ShuffleInstance(rows=rows, workers=workers):
            return Extent(rows, len(workers))
        case TransfersInstance(updates=updates):
            return Extent(len(updates))
        case _:
            held = [dict(machine.capacity).get("gpu", 0) for machine in instance.machines]
            return Extent(len(instance.jobs), len(held), int(sum(held)))
