"""The relaxation of `formulations.trace.busy_times` as a Pyomo model, to be read and compared."""

from bisect import bisect_right
from math import nextafter
from typing import Any

import pyomo.environ as pyo

from ringyard.formulations.trace.busy_times import Starts
from ringyard.formulations.trace.demand import Demand, demands, pools
from ringyard.instances import TraceInstance


def build(instance: TraceInstance, starts: Starts) -> Any:
    """Return the relaxation over the intervals that begin at these ticks."""
    model = pyo.ConcreteModel()
    jobs = model.demands = demands(instance)
    most = {
        (j, k): _most(job, starts, k) for j, job in enumerate(jobs) for k in _after(job, starts)
    }
    model.jobs = pyo.RangeSet(0, len(jobs) - 1)
    model.part = pyo.Var(list(most), bounds=lambda _, j, k: (0, most[j, k]))
    model.end = pyo.Var(
        model.jobs,
        bounds=lambda _, j: (jobs[j].release + jobs[j].ticks, starts[-1] + jobs[j].ticks + 1),
    )
    model.all_ends = pyo.Objective(expr=sum(model.end.values()))

    @model.Constraint(model.jobs)
    def all_work(model: Any, j: int) -> Any:
        return sum(model.part[j, k] for k in _after(jobs[j], starts)) == 1

    @model.Constraint(model.jobs)
    def half_after_mean(model: Any, j: int) -> Any:
        mean = sum(
            (max(starts[k], jobs[j].release) + 0.5) * model.part[j, k]
            for k in _after(jobs[j], starts)
        )
        return model.end[j] - mean >= nextafter(jobs[j].work / (2 * jobs[j].rate), 0.0)

    @model.Constraint(range(len(starts) - 1))
    def gpus_fit(model: Any, k: int) -> Any:
        size = sum(job.size * model.part[j, k] for j, job in enumerate(jobs) if (j, k) in most)
        return size <= 2 * instance.gpus * (starts[k + 1] - starts[k])

    if len(pools(instance)) > 1:
        _add_pools(model, instance, starts)
    return model


def _add_pools(model: Any, instance: TraceInstance, starts: Starts) -> None:
    jobs, own = model.demands, pools(instance)
    parts = {
        (u, k): [(j, k) for j in own[u].jobs if (j, k) in model.part]
        for u in range(1, len(own))
        for k in range(len(starts) - 1)
    }

    @model.Constraint([row for row, some in parts.items() if some])
    def regions_fit(model: Any, u: int, k: int) -> Any:
        size = sum(jobs[j].size * model.part[j, k] for j, k in parts[u, k])
        return size <= own[u].halves * (starts[k + 1] - starts[k])


def write(model: Any, parts: dict[tuple[int, int], float]) -> None:
    """Put parts of jobs in intervals, both by number, into the variables; ends follow."""
    for place, variable in model.part.items():
        variable.set_value(parts.get(place, 0.0), skip_validation=True)
    for j, end in model.end.items():
        end.set_value(0, skip_validation=True)
        end.set_value(max(end.lb, -model.half_after_mean[j].lslack()), skip_validation=True)


def read(model: Any) -> dict[tuple[int, int], float]:
    """Return the parts of jobs that are done in intervals."""
    return {place: variable.value for place, variable in model.part.items() if variable.value}


def _after(job: Demand, starts: Starts) -> range:
    """Return the intervals that end after the release of a job."""
    return range(bisect_right(starts, job.release) - 1, len(starts))


def _most(job: Demand, starts: Starts, k: int) -> float:
    """Return the most that a job can do in an interval, rounded up."""
    if k == len(starts) - 1:
        return 1.0
    done = job.rate * (starts[k + 1] - max(starts[k], job.release))
    return 1.0 if done >= job.work else nextafter(done / job.work, 1.0)
