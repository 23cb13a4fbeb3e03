"""The programs in the model builder of OR-Tools.

It keeps the program in a model of its own, in the library's memory. HiGHS gets it at the moment
when it is solved, and not before.
"""

from typing import Any

import numpy as np
import pandas as pd
from ortools.linear_solver.python.model_builder import LinearExpr, Model
from scipy.sparse import lil_array


def occupancy(data: Any) -> Any:
    """State who starts when and has which GPUs."""
    model = Model()
    jobs, servers, slots = len(data.gpus), len(data.sizes), data.slots
    wanted, least, sizes = data.gpus.tolist(), data.least.tolist(), data.sizes.tolist()
    latest = model.new_int_var(0, slots, "latest")
    most = np.repeat(np.minimum.outer(data.gpus, data.sizes).ravel(), slots)
    index = pd.RangeIndex(len(most))
    held = model.new_int_var_series("gpus", index, 0, pd.Series(most, index))
    gpus = held.to_numpy().reshape(jobs, servers, slots)
    for j in range(jobs):
        starts = range(slots - least[j] + 1)
        start = list(model.new_bool_var_series(f"start{j}_", pd.RangeIndex(len(starts))))
        model.add(LinearExpr.sum(start) == 1)
        for t in range(slots):
            running = start[max(0, t - least[j] + 1) : t + 1]
            own = gpus[j, :, t].tolist()
            factors = [1] * servers + [-wanted[j]] * len(running)
            model.add(LinearExpr.weighted_sum(own + running, factors) == 0)
        factors = [*(t + least[j] for t in starts), -1]
        model.add(LinearExpr.weighted_sum([*start, latest], factors) <= 0)
    for s in range(servers):
        for t in range(slots):
            model.add(LinearExpr.sum(gpus[:, s, t].tolist()) <= sizes[s])
    model.minimize(latest)
    return model


def load_limit(data: Any) -> Any:
    """State which GPUs each job has, and the largest load."""
    model = Model()
    index = pd.RangeIndex(len(data.gpus) * data.places)
    on = model.new_bool_var_series("on", index).to_numpy().reshape(-1, data.places)
    latest = model.new_num_var(0, data.most, "latest")
    for j, wanted in enumerate(data.gpus.tolist()):
        model.add(LinearExpr.sum(on[j].tolist()) == wanted)
    factors = [*data.work.tolist(), -1]
    for g in range(data.places):
        model.add(LinearExpr.weighted_sum([*on[:, g], latest], factors) <= 0)
    model.minimize(latest)
    return model


def tickwise(data: Any) -> Any:
    """State who runs in which tick, and who has not ended."""
    model = Model()
    rows = zip(*(part.tolist() for part in data[:5]), strict=True)
    held: dict[int, Any] = {t: ([], []) for t in range(int(data.release.min()), data.last)}
    waiting = []
    for j, (release, ticks, need, rate, halves) in enumerate(rows):
        slots = pd.RangeIndex(release, data.last)
        lower = pd.Series((slots < release + ticks).astype(int), slots)
        run = list(model.new_bool_var_series(f"run{j}_", slots))
        still = list(model.new_int_var_series(f"open{j}_", slots, lower, 1))
        waiting += still
        for i, t in enumerate(slots):
            held[t][0].append(run[i])
            held[t][1].append(halves)
            model.add(run[i] <= still[i])
            if i > 0:
                model.add(still[i] <= still[i - 1])
        for i in range(ticks, len(slots)):
            done = LinearExpr.weighted_sum([*run[:i], still[i]], [*[rate] * i, need])
            model.add(done >= need)
        model.add(LinearExpr.weighted_sum(run, [rate] * len(run)) >= need)
    for variables, factors in held.values():
        model.add(LinearExpr.weighted_sum(variables, factors) <= data.room)
    model.minimize(LinearExpr.sum(waiting))
    return model


WAYS = {"occupancy": occupancy, "load-limit": load_limit, "tickwise": tickwise}


def shape_of(model: Any) -> tuple[int, int]:
    """Return the columns and rows of the model."""
    return model.num_variables, model.num_constraints


def matrix_of(model: Any) -> Any:
    """Return the program as the model builder has it."""
    from ringyard.formulations.program import Matrix

    held = model.export_to_proto()
    columns, rows = held.variable, held.constraint
    a = lil_array((len(rows), len(columns)))
    for i, row in enumerate(rows):
        for j, value in zip(row.var_index, row.coefficient, strict=True):
            a[i, j] += value
    return Matrix(
        columns=tuple(f"x{j}" for j in range(len(columns))),
        rows=tuple(f"r{i}" for i in range(len(rows))),
        cost=np.array([one.objective_coefficient for one in columns]),
        offset=held.objective_offset,
        lower=np.array([one.lower_bound for one in columns]),
        upper=np.array([one.upper_bound for one in columns]),
        integer=np.array([one.is_integer for one in columns]),
        a=a.tocsr(),
        row_lower=np.array([one.lower_bound for one in rows]),
        row_upper=np.array([one.upper_bound for one in rows]),
    )
