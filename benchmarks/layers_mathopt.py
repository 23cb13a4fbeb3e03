"""The programs in MathOpt of OR-Tools, whose incremental solver loads HiGHS when it is made."""

from typing import Any

import numpy as np
from ortools.math_opt.python import mathopt
from scipy.sparse import coo_array

Loaded = tuple[Any, Any]
"""The model, and the solver that has it."""


def loaded(model: Any) -> Loaded:
    """Return a model with a HiGHS that has it."""
    return model, mathopt.IncrementalSolver(model, mathopt.SolverType.HIGHS)


def weighted(weights: Any, variables: Any) -> Any:
    """Return a sum of products."""
    pairs = zip(weights, variables, strict=True)
    return mathopt.fast_sum(weight * variable for weight, variable in pairs)


def occupancy(data: Any) -> Loaded:
    """State who starts when and has which GPUs."""
    model = mathopt.Model()
    jobs, servers, slots = range(len(data.gpus)), range(len(data.sizes)), range(data.slots)
    wanted, least, sizes = data.gpus.tolist(), data.least.tolist(), data.sizes.tolist()
    latest = model.add_integer_variable(lb=0, ub=data.slots)
    starts = [range(data.slots - least[j] + 1) for j in jobs]
    start = [[model.add_binary_variable() for _ in starts[j]] for j in jobs]
    gpus = [
        [
            [model.add_integer_variable(lb=0, ub=min(wanted[j], sizes[s])) for _ in slots]
            for s in servers
        ]
        for j in jobs
    ]
    for j in jobs:
        model.add_linear_constraint(mathopt.fast_sum(start[j]) == 1)
        for t in slots:
            running = mathopt.fast_sum(start[j][max(0, t - least[j] + 1) : t + 1])
            held = mathopt.fast_sum(gpus[j][s][t] for s in servers)
            model.add_linear_constraint(held == wanted[j] * running)
        ends = weighted((t + least[j] for t in starts[j]), start[j])
        model.add_linear_constraint(ends <= latest)
    for s in servers:
        for t in slots:
            held = mathopt.fast_sum(gpus[j][s][t] for j in jobs)
            model.add_linear_constraint(held <= sizes[s])
    model.minimize(latest)
    return loaded(model)


def load_limit(data: Any) -> Loaded:
    """State which GPUs each job has, and the largest load."""
    model = mathopt.Model()
    work, jobs, places = data.work.tolist(), range(len(data.gpus)), range(data.places)
    on = [[model.add_binary_variable() for _ in places] for _ in jobs]
    latest = model.add_variable(lb=0, ub=data.most)
    for j, wanted in enumerate(data.gpus.tolist()):
        model.add_linear_constraint(mathopt.fast_sum(on[j]) == wanted)
    for g in places:
        model.add_linear_constraint(weighted(work, (on[j][g] for j in jobs)) <= latest)
    model.minimize(latest)
    return loaded(model)


def tickwise(data: Any) -> Loaded:
    """State who runs in which tick, and who has not ended."""
    model = mathopt.Model()
    rows = zip(*(part.tolist() for part in data[:5]), strict=True)
    held: dict[int, Any] = {t: [] for t in range(int(data.release.min()), data.last)}
    waiting = []
    for release, ticks, need, rate, halves in rows:
        slots = range(release, data.last)
        run = [model.add_binary_variable() for _ in slots]
        lower = [int(t < release + ticks) for t in slots]
        still = [model.add_integer_variable(lb=least, ub=1) for least in lower]
        waiting += still
        for i, t in enumerate(slots):
            held[t].append(halves * run[i])
            model.add_linear_constraint(run[i] <= still[i])
            if i > 0:
                model.add_linear_constraint(still[i] <= still[i - 1])
        for i in range(ticks, len(slots) + 1):
            done = mathopt.fast_sum(rate * one for one in run[:i])
            left = need * (1 - still[i]) if i < len(slots) else need
            model.add_linear_constraint(done >= left)
    for load in held.values():
        model.add_linear_constraint(mathopt.fast_sum(load) <= data.room)
    model.minimize(mathopt.fast_sum(waiting))
    return loaded(model)


WAYS = {"occupancy": occupancy, "load-limit": load_limit, "tickwise": tickwise}


def shape_of(made: Loaded) -> tuple[int, int]:
    """Return the columns and rows of the model."""
    return made[0].get_num_variables(), made[0].get_num_linear_constraints()


def matrix_of(made: Loaded) -> Any:
    """Return the program as MathOpt has it."""
    from ringyard.formulations.program import Matrix

    model = made[0]
    columns, rows = list(model.variables()), list(model.linear_constraints())
    entries = list(model.linear_constraint_matrix_entries())
    at = [one.linear_constraint.id for one in entries], [one.variable.id for one in entries]
    a = coo_array(([one.coefficient for one in entries], at), shape=(len(rows), len(columns)))
    cost = np.zeros(len(columns))
    for term in model.objective.linear_terms():
        cost[term.variable.id] = term.coefficient
    return Matrix(
        columns=tuple(f"x{one.id}" for one in columns),
        rows=tuple(f"r{one.id}" for one in rows),
        cost=cost,
        offset=model.objective.offset,
        lower=np.array([one.lower_bound for one in columns], dtype=float),
        upper=np.array([one.upper_bound for one in columns], dtype=float),
        integer=np.array([one.integer for one in columns], dtype=bool),
        a=a.tocsr(),
        row_lower=np.array([one.lower_bound for one in rows], dtype=float),
        row_upper=np.array([one.upper_bound for one in rows], dtype=float),
    )
