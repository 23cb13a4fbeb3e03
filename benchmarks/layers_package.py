"""The package's own way: its programs, from arrays with all names."""

from typing import Any

from layers_arrays import matrix_of, shape_of

from ringyard.formulations.adapters.highs import load
from ringyard.formulations.makespan import load_limit, occupancy
from ringyard.formulations.trace import tickwise

__all__ = ["WAYS", "matrix_of", "shape_of", "stated"]


def stated(program: str, one: Any) -> Any:
    """Return the matrix of an instance's program."""
    twins = {"occupancy": occupancy, "load-limit": load_limit, "tickwise": tickwise}
    return twins[program].twin(*one)


def way(program: str) -> Any:
    """Return what states a program of an instance and loads it."""
    return lambda one: load(stated(program, one))


WAYS = {program: way(program) for program in ("occupancy", "load-limit", "tickwise")}
