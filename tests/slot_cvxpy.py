"""CVXPY: the relaxation of `slot_program`, stated once with parameters or anew for each slot."""

from typing import Any

import numpy as np

from ringyard.formulations.online.slot_program import SlotData
from ringyard.instances import RefusedError

SETTINGS: dict[str, dict[str, Any]] = {
    "CLARABEL": {"tol_gap_abs": 1e-10, "tol_gap_rel": 1e-10, "tol_feas": 1e-10},
    "HIGHS": {},
}


class SlotRelaxation:
    """The relaxation for given numbers of machines and resources, which CVXPY compiles once.

    All data are parameters, and every product of one with a variable follows CVXPY's rules for
    disciplined parametrised programs.
    """

    def __init__(self, machines: int, resources: int, engine: str = "CLARABEL") -> None:
        """State the program with parameters that have no values yet."""
        import cvxpy

        shapes = {
            "worker_cost": machines,
            "server_cost": machines,
            "capacity": (machines, resources),
            "worker": resources,
            "server": resources,
            "least": 2,
            "most_workers": (),
        }
        self._parameters = {
            name: cvxpy.Parameter(shape, nonneg=True, name=name) for name, shape in shapes.items()
        }
        self._problem = _problem(**self._parameters)
        self._engine = engine

    @property
    def disciplined(self) -> bool:
        """True if CVXPY need not compile the program again for new values."""
        return bool(self._problem.is_dpp())

    def solve(self, data: SlotData) -> float:
        """Return the least cost, infinite if nothing fits."""
        for name, value in _values(data).items():
            self._parameters[name].value = value
        return _solve(self._problem, self._engine)


def solve_anew(data: SlotData, engine: str = "CLARABEL") -> float:
    """Return the least cost from a program with the numbers in it, infinite if nothing fits."""
    return _solve(_problem(**_values(data)), engine)


def _values(data: SlotData) -> dict[str, Any]:
    least = data.least_workers * np.array([1.0, 1.0 / data.workers_per_server])
    names = ("worker_cost", "server_cost", "capacity", "worker", "server", "most_workers")
    return {"least": least, **{name: getattr(data, name) for name in names}}


def _problem(
    worker_cost: Any,
    server_cost: Any,
    capacity: Any,
    worker: Any,
    server: Any,
    least: Any,
    most_workers: Any,
) -> Any:
    import cvxpy

    machines, resources = capacity.shape
    workers, servers = cvxpy.Variable((machines, 1)), cvxpy.Variable((machines, 1))
    needs = [cvxpy.reshape(need, (1, resources), order="C") for need in (worker, server)]
    rows = [
        cvxpy.sum(workers) >= least[0],
        cvxpy.sum(servers) >= least[1],
        workers @ needs[0] + servers @ needs[1] <= capacity,
        cvxpy.sum(workers) <= most_workers,
        workers >= 0,
        servers >= 0,
    ]
    return cvxpy.Problem(cvxpy.Minimize(worker_cost @ workers + server_cost @ servers), rows)


def _solve(problem: Any, engine: str) -> float:
    problem.solve(solver=engine, **SETTINGS[engine])
    if problem.status == "optimal":
        return float(problem.value)
    if problem.status == "infeasible":
        return np.inf
    raise RefusedError(f"{engine} says {problem.status} of this relaxation")
