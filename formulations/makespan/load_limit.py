"""Jobs on GPUs so that no GPU has more work than a limit; the least limit bounds the makespan.

Source: SJF-BCO, arXiv 2207.07817, (14)-(16), with rho-hat_j = F_j tau_j^max.

Data: w_j GPUs; rho-hat_j, the most slots that j can take, and p_j, the fewest; u, the largest
ratio of the two over all jobs; g a GPU of the cluster, with its server and its number there;
theta, the load limit: H.

As rho-hat_j <= u p_j, no schedule has a job at work for less than rho-hat_j / u slots. Jobs that
share a GPU in a schedule do not overlap, so all its loads are at most its makespan, and the
least limit that any assignment keeps is a lower bound on the makespan. With p_j in place of
rho-hat_j / u, which it is at least, the argument is the same and the bound no smaller. The
converse does not hold: the makespan may exceed the least limit, as jobs wait for all their GPUs
at once, and contend. `bisect` finds the least limit.

Variables
    on[j, s, i] in {0, 1}: j has GPU number i of server s
    makespan_slots in [0, H]: the largest load, theta

Objective
    latest_end: minimise makespan_slots

Constraints
    gang[j] (1): sum_(s,i) on[j, s, i] = w_j
    loads[s, i] (15): sum_j rho-hat_j / u on[j, s, i] <= makespan_slots

By construction
    every_job_once: gang gives it all its GPUs
    no_preemption: the assignment has no slots
    no_migration: and a job has one
    regions: on[j, s, i] is 0 where j may not use s

Left out
    capacity: jobs on a GPU take turns, but in what order is not said
    release: as is when they start
    completes: rho-hat_j / u is a lower estimate of what a job takes
    makespan: the ends are at least as late as the largest load

Size: |J| N + 1 variables, |J| + N rows, for N GPUs.
"""

from collections import Counter
from fractions import Fraction
from typing import Any

import pyomo.environ as pyo

from ...instances import MakespanInstance, Schedule
from .bounds.least_limit import bisect
from .parts.data import data_of
from .parts.data import refuses_slots as refuses
from .parts.in_turn import starts_in_turn
from .parts.load_limit_twin import estimates, gpus_of, twin
from .parts.timetable import courses, schedule_of

__all__ = ["NAME", "bisect", "build", "read", "refuses", "twin", "write"]

NAME = "load-limit"


def build(instance: MakespanInstance, horizon: Fraction | int | None = None) -> Any:
    """Return the assignment program of an instance with all loads at most `horizon`."""
    model = pyo.ConcreteModel()
    model.data, work = data_of(instance), estimates(instance)
    data = model.data
    most = data.horizon if horizon is None else horizon
    model.jobs, model.gpus = pyo.Set(initialize=list(data.tasks)), pyo.Set(initialize=gpus_of(data))

    def open_(_: Any, job: str, server: str, number: int) -> tuple[int, int]:
        del number
        return 0, min(1, data.room(job, server))

    model.on = pyo.Var(model.jobs, model.gpus, domain=pyo.Binary, bounds=open_)
    model.makespan_slots = pyo.Var(bounds=(0, float(most)))
    model.latest_end = pyo.Objective(expr=model.makespan_slots)

    @model.Constraint(model.jobs)
    def gang(_: Any, job: str) -> Any:
        return sum(model.on[job, gpu] for gpu in model.gpus) == data.tasks[job].gpus

    @model.Constraint(model.gpus)
    def loads(_: Any, *gpu: Any) -> Any:
        held = sum(float(work[job]) * model.on[job, gpu] for job in model.jobs)
        return held <= model.makespan_slots

    return model


def write(model: Any, schedule: Schedule) -> None:
    """Put a schedule into the variables; jobs take the first free GPUs of their servers."""
    data, work = model.data, estimates(model.data.instance)
    followed = courses(data, schedule)
    model.on.set_values(dict.fromkeys(model.on, 0))
    busy_until = dict.fromkeys(model.gpus, 0)
    for job, course in sorted(followed.items(), key=lambda item: item[1].start):
        for server, count in course.gpus.items():
            idle = [
                gpu for gpu in model.gpus if gpu[0] == server and busy_until[gpu] <= course.start
            ]
            for gpu in idle[:count]:
                model.on[job, gpu] = 1
                busy_until[gpu] = max(course.rings, default=data.horizon) + 1
    held = [sum(work[j] * model.on[j, gpu].value for j in work) for gpu in model.gpus]
    model.makespan_slots = float(max(held))


def read(model: Any) -> Schedule:
    """Return the schedule in which jobs, fewest GPUs first, start once their GPUs are free.

    GPUs of a server are the same to a job, so another job may hold those it was assigned.
    """
    data = model.data
    order = sorted(data.tasks, key=lambda job: data.tasks[job].gpus)
    gpus = {job: _counted(model, job) for job in order}
    return schedule_of(data, NAME, starts_in_turn(data, gpus), gpus)


def _counted(model: Any, job: str) -> dict[str, int]:
    """Return how many GPUs a job has on its servers; of a fractional point, the largest parts."""
    own = [gpu for gpu in model.gpus if model.data.room(job, gpu[0])]
    likely = sorted(own, key=lambda gpu: -(model.on[job, gpu].value or 0))
    return dict(Counter(server for server, _ in likely[: model.data.tasks[job].gpus]))
