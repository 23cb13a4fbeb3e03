"""The epochs of the types of jobs as arrays: how much work, and how fast it is on k GPUs."""

from dataclasses import dataclass

import numpy as np

from ...instances import Amdahl, FleetInstance, PowerLaw, RentalInstance, SpeedTable, Speedup
from ..program import Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Classes:
    """Work of each epoch of each type, in order of both."""

    keys: tuple[tuple[int, int], ...]
    """Type and epoch."""
    load: Floats
    """GPUs that the class keeps busy if all its jobs have one."""
    cost: Floats
    """What an hour for each hour of its work adds to the mean completion time."""
    curves: tuple[Speedup, ...]

    def of(self, model: type[Speedup]) -> list[int]:
        """Return the places of the classes with a model of the speed-up."""
        return [c for c, curve in enumerate(self.curves) if isinstance(curve, model)]

    def shapes(self) -> Floats:
        """Return exponents of power laws and parallel parts of Amdahl's law, 0 for tables."""
        return np.array([_shape(curve) for curve in self.curves])


def classes_of(instance: RentalInstance | FleetInstance) -> Classes:
    """Return the classes of an instance."""
    types = instance.types
    keys = tuple((i, e) for i, one in enumerate(types) for e in range(len(one.epochs)))
    load = np.array([float(load) for row in instance.loads for load in row])
    weights = np.array([float(one.weight) for one in types])
    worth = weights @ np.array([float(rate) for rate in instance.rates])
    return Classes(
        keys=keys,
        load=load,
        cost=load * weights[[i for i, _ in keys]] / worth,
        curves=tuple(types[i].epochs[e].speedup for i, e in keys),
    )


def points(table: SpeedTable) -> tuple[Floats, Floats]:
    """Return the GPUs and speeds of a table."""
    gpus = np.array([float(point.gpus) for point in table.points])
    return gpus, np.array([float(point.speed) for point in table.points])


def speeds(curve: Speedup, gpus: Floats) -> Floats:
    """Return the speed-ups of a class on numbers of GPUs."""
    if isinstance(curve, PowerLaw):
        return np.asarray(gpus ** float(curve.exponent))
    if isinstance(curve, Amdahl):
        parallel = float(curve.parallel)
        return np.asarray(1 / (1 - parallel + parallel / gpus))
    return np.interp(gpus, *points(curve))


def _shape(curve: Speedup) -> float:
    if isinstance(curve, SpeedTable):
        return 0.0
    return float(curve.exponent if isinstance(curve, PowerLaw) else curve.parallel)
