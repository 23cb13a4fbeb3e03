"""The package's own way: its programs, from arrays with all names where it has such a twin."""

from typing import Any

from layers_arrays import matrix_of, shape_of

from ringyard.formulations.adapters.highs import load
from ringyard.formulations.makespan import load_limit, occupancy
from ringyard.formulations.matrix import matrix_of as compiled
from ringyard.formulations.trace import tickwise

__all__ = ["WAYS", "matrix_of", "shape_of", "stated"]


def stated(program: str, one: Any) -> Any:
    """Return the matrix of an instance's program."""
    if program == "tickwise":
        return compiled(tickwise.build(*one))
    return {"occupancy": occupancy, "load-limit": load_limit}[program].twin(*one)


def way(program: str) -> Any:
    """Return what states a program of an instance and loads it."""
    return lambda one: load(stated(program, one))


WAYS = {program: way(program) for program in ("occupancy", "load-limit", "tickwise")}
