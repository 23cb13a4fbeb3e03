"""Place jobs on GPUs so that no GPU has more work than a limit.

The least limit bounds the makespan.

Source: SJF-BCO, arXiv 2207.07817, (14)-(16), with rho-hat_j = F_j tau_j^max.

Data: w_j GPUs, rho-hat_j, the most slots that j can take, and p_j, the fewest, u the largest ratio
of the two over all jobs, g a GPU of the cluster, with its server and its number there, theta, the
load limit: H.

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
    one_kind: instances with kinds of GPUs are refused
    regions: on[j, s, i] is 0 where j may not use s

Left out
    held: a job that holds GPUs at slot 0 may start later, or elsewhere
    capacity: jobs on a GPU take turns, in an order that is left open
    release: as is when they start
    completes: rho-hat_j / u is a lower estimate of a job's time
    makespan: the ends are at least as late as the largest load

Size: |J| N + 1 variables, |J| + N rows, for N GPUs.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil, lcm
from typing import Any, NamedTuple

import numpy as np
import pyomo.environ as pyo
from scipy.sparse import csr_array, eye_array, hstack, kron, vstack

from ...instances import MakespanInstance, Schedule, SolutionStatus
from ...simulation.makespan.evaluate import extremes
from ...simulation.model import Ints
from ..files.names import label
from ..program import Caps, Matrix
from ..solver_interface.solve import solve
from .data import ProgramData, data_of
from .data import refuses_slots as refuses
from .timetable import courses, schedule_of, starts_in_turn

__all__ = ["NAME", "bisect", "build", "read", "refuses", "twin", "write"]


def estimates(instance: MakespanInstance) -> dict[str, Fraction]:
    """Return rho-hat / u of every job, in slots.

    A job that may stand still forever uses its fewest slots: rho-hat has no better finite value
    that is at most u times its fewest slots.
    """
    pairs = [(e.least_slots or Fraction(0), e.most_slots) for e in extremes(instance)]
    u = max((most / least for least, most in pairs if most), default=Fraction(1))
    return {
        job.name: (most or least) / u
        for job, (least, most) in zip(instance.jobs, pairs, strict=True)
    }


def gpus_of(data: ProgramData) -> list[tuple[str, int]]:
    """Return all GPUs, as server and number there."""
    return [(server, i) for server, size in data.sizes.items() for i in range(size)]


def open_to(data: ProgramData) -> Ints:
    """Return 1 for each job and GPU that it may use, else 0."""
    gpus = gpus_of(data)
    rows = [[min(1, data.room(job, server)) for server, _ in gpus] for job in data.tasks]
    return np.array(rows, np.int64)


def twin(instance: MakespanInstance, horizon: Fraction | int | None = None) -> Matrix:
    """Return the matrix of the program with all loads at most `horizon`."""
    data, work = data_of(instance), estimates(instance)
    most = float(data.horizon if horizon is None else horizon)
    return assignment(data, [float(slots) for slots in work.values()], most)


def assignment(data: ProgramData, work: Sequence[float], most: float) -> Matrix:
    """Return the program that assigns the given work of each job to its GPUs."""
    jobs = [label(job) for job in data.tasks]
    gpus = [f"{label(server)},{i}" for server, i in gpus_of(data)]
    pairs = len(jobs) * len(gpus)
    wanted = np.array([task.gpus for task in data.tasks.values()], dtype=float)
    gang = kron(eye_array(len(jobs)), np.ones((1, len(gpus))))
    load = kron(np.array([work]), eye_array(len(gpus)))
    limit = np.concatenate([np.zeros(len(jobs)), -np.ones(len(gpus))])[:, None]
    rows = vstack([csr_array(gang), csr_array(load)])
    a = csr_array(hstack([rows, csr_array(limit)]))
    a.eliminate_zeros()  # `kron` stores the zeros of small blocks
    return Matrix(
        columns=(*(f"on[{job},{gpu}]" for job in jobs for gpu in gpus), "makespan_slots"),
        rows=(*(f"gang[{job}]" for job in jobs), *(f"loads[{gpu}]" for gpu in gpus)),
        cost=np.eye(1, pairs + 1, pairs)[0],
        lower=np.zeros(pairs + 1),
        upper=np.append(open_to(data), most),
        integer=np.append(np.ones(pairs, dtype=np.bool_), False),
        a=a,
        row_lower=np.concatenate([wanted, np.full(len(gpus), -np.inf)]),
        row_upper=np.concatenate([wanted, np.zeros(len(gpus))]),
    )


Gpu = tuple[str, int]


class LeastLimit(NamedTuple):
    """An assignment that keeps the load limit `theta`, and the least limit not refuted.

    The two limits are equal unless a cap of the solver stopped the search.
    """

    theta: Fraction
    least: Fraction
    gpus: dict[str, list[Gpu]]


def bisect(
    instance: MakespanInstance,
    work: Mapping[str, Fraction] | None = None,
    caps: Caps | None = None,
) -> LeastLimit:
    """Return the least load limit. `work` is rho-hat / u of each job unless given.

    Loads are sums of `work`, so that limits are whole multiples of one part of a slot, and
    there the bisection ends.
    """
    work = estimates(instance) if work is None else work
    part = Fraction(1, lcm(*(slots.denominator for slots in work.values())))
    data = data_of(instance)
    names, gpus = list(data.tasks), gpus_of(data)
    units = np.array([int(work[job] / part) for job in names])
    wanted = np.array([task.gpus for task in data.tasks.values()])
    best = _greedy(units, wanted, open_to(data))
    low = max(int(units.max()), ceil(int(units @ wanted) / len(gpus)))
    high = int((units @ best).max())
    while low < high:
        middle = (low + high) // 2
        program = assignment(data, units.tolist(), middle)
        found = solve(replace(program, cost=np.zeros_like(program.cost)), "highs", caps or Caps())
        if found.point is not None:
            best = np.round(found.point[:-1]).reshape(best.shape).astype(np.int64)
            high = int((units @ best).max())
        elif found.status is SolutionStatus.INFEASIBLE:
            low = middle + 1
        else:
            break
    chosen = zip(names, best, strict=True)
    held = {job: [gpus[g] for g in np.flatnonzero(row)] for job, row in chosen}
    return LeastLimit(high * part, low * part, held)


def _greedy(units: Ints, wanted: Ints, may: Ints) -> Ints:
    """Return 1 for each job and GPU assigned: the least loaded GPUs, the longest jobs first."""
    on = np.zeros_like(may)
    for job in np.argsort(-units, kind="stable"):
        own = np.flatnonzero(may[job])
        loads = units @ on[:, own]
        on[job, own[np.argsort(loads, kind="stable")[: wanted[job]]]] = 1
    return on


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
    """Put a schedule into the variables. Jobs take the first free GPUs of their servers."""
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
    """Return a job's GPUs on its servers, or the largest parts of a fractional point."""
    own = [gpu for gpu in model.gpus if model.data.room(job, gpu[0])]
    likely = sorted(own, key=lambda gpu: -(model.on[job, gpu].value or 0))
    return dict(Counter(server for server, _ in likely[: model.data.tasks[job].gpus]))
