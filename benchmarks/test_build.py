"""Stating and loading a large time-indexed program: Pyomo, its twin, linopy and bare arrays.

The program is `occupancy`, loaded into HiGHS and not solved. `pytest-benchmark` shows times and
ratios by size; processor seconds and peak memory are those of a process of its own, in which
imports are not timed. The large size needs ``RINGYARD_LARGE=1``: it takes minutes.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from resource import RUSAGE_SELF, getrusage
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from pyomo.core.base import constraint

from ringyard.formulations.adapters.highs import load
from ringyard.formulations.dual import dual_bound
from ringyard.formulations.makespan import occupancy
from ringyard.formulations.makespan.parts.data import data_of
from ringyard.formulations.matrix import matrix_of
from ringyard.formulations.program import Matrix
from ringyard.instances import MakespanInstance
from ringyard.instances.generate import generate

SIZES = {"16x4x60": (16, 4, 60), "160x20x200": (160, 20, 200)}
"""Jobs, servers and slots."""

LARGE = pytest.mark.skipif("RINGYARD_LARGE" not in os.environ, reason="set RINGYARD_LARGE=1")


@cache
def subject(size: str) -> tuple[MakespanInstance, int]:
    """Return an instance of the paper's mix whose jobs fit into the slots, and the slots."""
    jobs, servers, slots = SIZES[size]
    times = {"least_slots": slots // 10, "most_slots": 3 * slots // 10}
    return generate("mobihoc", seed=0, jobs=jobs, servers=servers, **times), slots


@cache
def arrays(size: str) -> Matrix:
    """Return the matrix, made beforehand."""
    return occupancy.twin(*subject(size))


def by_arrays(size: str) -> Any:
    """Hand over arrays that are there."""
    return load(arrays(size))


def by_twin(size: str) -> Any:
    """Make the arrays, with all names, and hand them over."""
    return load(occupancy.twin(*subject(size)))


def by_pyomo(size: str) -> Any:
    """Build the Pyomo model, turn it into a matrix, and hand that over."""
    return load(matrix_of(occupancy.build(*subject(size))))


def by_templates(size: str) -> Any:
    """Do the same with one template for each kind of constraint."""
    with patch.object(constraint, "TEMPLATIZE_CONSTRAINTS", True):
        return load(matrix_of(occupancy.build(*subject(size))))


def by_plugin(size: str) -> Any:
    """Build the Pyomo model and load it as Pyomo's own interface to HiGHS does."""
    from pyomo.contrib.appsi.solvers.highs import Highs

    plugin = Highs()
    plugin.set_instance(occupancy.build(*subject(size)))
    return plugin._solver_model


def by_linopy(size: str) -> Any:
    """State the same rows in linopy and let it hand them over."""
    linopy = pytest.importorskip("linopy")
    import xarray as xr

    instance, horizon = subject(size)
    data = data_of(instance, horizon)
    tasks = data.tasks.values()

    def along(dim: str, values: list[int]) -> Any:
        return xr.DataArray(values, dims=dim, coords={dim: range(len(values))})

    wanted, least = (along("job", [getattr(t, key) for t in tasks]) for key in ("gpus", "least"))
    sizes, slot = along("server", list(data.sizes.values())), along("slot", list(range(horizon)))
    most = np.minimum(wanted, sizes).expand_dims(slot=slot).transpose("job", "server", "slot")
    may_start = (slot <= horizon - least).transpose("job", "slot")
    model = linopy.Model()
    ends = model.add_variables(lower=0, upper=horizon, integer=True, name="makespan_slots")
    start = model.add_variables(binary=True, coords=may_start.coords, mask=may_start, name="start")
    gpus = model.add_variables(lower=0, upper=most, integer=True, name="gpus")
    running = [wanted.where(least > k, 0) * start.shift(slot=k) for k in range(int(least.max()))]
    model.add_constraints(start.sum("slot") == 1, name="every_job_once")
    taken = linopy.merge(running, cls=linopy.LinearExpression)
    model.add_constraints(gpus.sum("server") - taken == 0, name="gang")
    model.add_constraints(gpus.sum("job") <= sizes, name="capacity")
    model.add_constraints(((slot + least) * start).sum("slot") - ends <= 0, name="makespan")
    model.add_objective(ends)
    return model.to_highspy()


PATHS: dict[str, Callable[[str], Any]] = {
    "arrays": by_arrays,
    "twin": by_twin,
    "linopy": by_linopy,
    "pyomo templates": by_templates,
    "pyomo": by_pyomo,
    "pyomo plug-in": by_plugin,
}


@pytest.mark.filterwarnings("ignore:Variable 'start' has absent slots")
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("size", ["16x4x60", pytest.param("160x20x200", marks=LARGE)])
def test_stating_and_loading(benchmark: Any, path: str, size: str) -> None:
    benchmark.group = f"state and load {size} (jobs, servers, slots)"
    matrix = arrays(size)
    loaded = benchmark.pedantic(PATHS[path], args=(size,), rounds=3)
    shape = (loaded.getNumCol(), loaded.getNumRow(), loaded.getNumNz())
    assert shape == (len(matrix.columns), len(matrix.rows), matrix.a.nnz)
    benchmark.extra_info["columns, rows, nonzeros"] = shape
    if benchmark.enabled:
        benchmark.extra_info.update(apart(path, size))


@pytest.mark.parametrize("size", ["16x4x60", pytest.param("160x20x200", marks=LARGE)])
def test_exact_bound_from_duals(benchmark: Any, size: str) -> None:
    """Sum duals of every row in exact arithmetic."""
    matrix = arrays(size)
    duals = np.random.default_rng(0).normal(size=len(matrix.rows))
    assert benchmark.pedantic(dual_bound, args=(matrix, duals), rounds=3) is not None


def apart(path: str, size: str) -> dict[str, float]:
    """Measure processor seconds and peak memory in a process that does nothing else."""
    words = [sys.executable, __file__, path, size]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def measure(path: str, size: str) -> dict[str, float]:
    """Take one path and say what it cost."""
    subject(size)
    if path == "arrays":
        arrays(size)
    began = time.process_time()
    PATHS[path](size)
    spent = time.process_time() - began
    return {"processor_s": spent, "peak_mb": getrusage(RUSAGE_SELF).ru_maxrss / 1024}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(measure(*sys.argv[1:])) + "\n")
