"""The data of one job in one slot, as the programs for a slot take it: plain numbers."""

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np

from ...instances.errors import Problem, raise_any
from ..program import Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SlotData:
    """What workers and parameter servers cost on machines, what fits, and what is asked for.

    Raises:
        InputError: If shapes do not agree, a number is negative, infinite or none, or there is
            no worker for a server.
    """

    worker_cost: Floats
    """Of a worker on each machine."""
    server_cost: Floats
    """Of a parameter server on each machine."""
    capacity: Floats
    """What is left on each machine (row) of each resource (column)."""
    worker: Floats
    """What a worker needs of each resource."""
    server: Floats
    """What a parameter server needs of each resource."""
    workers_per_server: float
    least_workers: float
    most_workers: float

    def __post_init__(self) -> None:
        """Refuse what is no such data."""
        raise_any("slot", [*self._shapes(), *self._numbers()])

    def _shapes(self) -> Iterator[Problem]:
        machines, resources = len(self.worker_cost), len(self.worker)
        expected = {
            "worker_cost": (machines,),
            "server_cost": (machines,),
            "capacity": (machines, resources),
            "worker": (resources,),
            "server": (resources,),
        }
        for name, shape in expected.items():
            found = getattr(self, name).shape
            if found != shape:
                advice = "give every machine its costs and its capacity of every resource"
                yield Problem(name, list(found), f"an array of shape {list(shape)}", advice)

    def _numbers(self) -> Iterator[Problem]:
        for field in fields(self):
            values = np.asarray(getattr(self, field.name))
            for place in np.argwhere(~np.isfinite(values) | (values < 0)):
                path = field.name + "".join(f"[{i}]" for i in place)
                value = float(values[tuple(place)])
                yield Problem(path, value, "a number of 0 or more", "correct it")
        if self.workers_per_server == 0:
            advice = "say how many workers share a server"
            yield Problem("workers_per_server", 0, "a number above 0", advice)
