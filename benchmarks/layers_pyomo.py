"""The programs in Pyomo: plain, with templates, and through its own interface to HiGHS.

With templates a rule is called once for all rows of its kind. It may then sum over sets of Pyomo
only, so what is summed over is a set there, and a range or a list otherwise.
"""

from typing import Any
from unittest.mock import patch

import numpy as np
import pyomo.environ as pyo
from layers_arrays import loaded, matrix_of, shape_of
from pyomo.contrib.appsi.solvers.highs import Highs
from pyomo.core.base import constraint
from pyomo.repn.plugins.standard_form import LinearStandardFormCompiler

__all__ = ["WAYS", "WAYS_INTERFACE", "WAYS_TEMPLATES", "matrix_of", "shape_of"]


def occupancy(data: Any, template: bool) -> Any:
    """State who starts when and has which GPUs."""
    model = pyo.ConcreteModel()
    jobs, servers = range(len(data.gpus)), range(len(data.sizes))
    least, last = data.least.tolist(), data.slots
    model.jobs, model.servers = pyo.Set(initialize=jobs), pyo.Set(initialize=servers)
    model.slots = pyo.RangeSet(0, last - 1)
    model.gpus_of = pyo.Param(model.jobs, initialize=dict(enumerate(data.gpus.tolist())))
    model.least = pyo.Param(model.jobs, initialize=dict(enumerate(least)))
    model.sizes = pyo.Param(model.servers, initialize=dict(enumerate(data.sizes.tolist())))
    starts = {j: range(last - least[j] + 1) for j in jobs}
    since = {
        (j, t): range(max(0, t - least[j] + 1), min(t, last - least[j]) + 1)
        for j in jobs
        for t in range(last)
    }
    model.starts, model.since = starts, since
    if template:
        del model.starts, model.since
        model.starts = pyo.Set(model.jobs, initialize=starts)
        model.since = pyo.Set(model.jobs, model.slots, initialize=since)
    model.start = pyo.Var([(j, t) for j in jobs for t in starts[j]], domain=pyo.Binary)

    def most(model: Any, j: int, s: int, t: int) -> tuple[int, int]:
        return 0, min(model.gpus_of[j], model.sizes[s])

    places = model.jobs, model.servers, model.slots
    model.gpus = pyo.Var(*places, domain=pyo.Integers, bounds=most)
    model.latest = pyo.Var(domain=pyo.NonNegativeIntegers, bounds=(0, last))
    model.end = pyo.Objective(expr=model.latest)

    @model.Constraint(model.jobs)
    def once(model: Any, j: int) -> Any:
        return sum(model.start[j, t] for t in model.starts[j]) == 1

    @model.Constraint(model.jobs, model.slots)
    def gang(model: Any, j: int, t: int) -> Any:
        running = sum(model.start[j, u] for u in model.since[j, t])
        return sum(model.gpus[j, s, t] for s in model.servers) == model.gpus_of[j] * running

    @model.Constraint(model.servers, model.slots)
    def capacity(model: Any, s: int, t: int) -> Any:
        return sum(model.gpus[j, s, t] for j in model.jobs) <= model.sizes[s]

    @model.Constraint(model.jobs)
    def makespan(model: Any, j: int) -> Any:
        ends = sum((t + model.least[j]) * model.start[j, t] for t in model.starts[j])
        return ends <= model.latest

    return model


def load_limit(data: Any, template: bool) -> Any:
    """State which GPUs each job has, and the largest load."""
    del template
    model = pyo.ConcreteModel()
    model.jobs, model.places = pyo.RangeSet(0, len(data.gpus) - 1), pyo.RangeSet(0, data.places - 1)
    model.gpus_of = pyo.Param(model.jobs, initialize=dict(enumerate(data.gpus.tolist())))
    model.work = pyo.Param(model.jobs, initialize=dict(enumerate(data.work.tolist())))
    model.on = pyo.Var(model.jobs, model.places, domain=pyo.Binary)
    model.latest = pyo.Var(bounds=(0, data.most))
    model.end = pyo.Objective(expr=model.latest)

    @model.Constraint(model.jobs)
    def gang(model: Any, j: int) -> Any:
        return sum(model.on[j, g] for g in model.places) == model.gpus_of[j]

    @model.Constraint(model.places)
    def loads(model: Any, g: int) -> Any:
        return sum(model.work[j] * model.on[j, g] for j in model.jobs) <= model.latest

    return model


def tickwise(data: Any, template: bool) -> Any:
    """State who runs in which tick, and who has not ended."""
    model = pyo.ConcreteModel()
    release, ticks, last = data.release.tolist(), data.ticks.tolist(), data.last
    jobs = range(len(release))
    model.jobs, model.last = pyo.Set(initialize=jobs), last
    for name in ("need", "rate", "halves"):
        known = dict(enumerate(getattr(data, name).tolist()))
        model.add_component(name, pyo.Param(model.jobs, initialize=known))
    model.present = pyo.Set(initialize=[(j, t) for j in jobs for t in range(release[j], last)])
    later = [(j, t) for j in jobs for t in range(release[j] + 1, last)]
    model.inside = pyo.Set(initialize=[(j, t) for j, t in later if t >= release[j] + ticks[j]])
    at = {t: [j for j in jobs if release[j] <= t] for t in range(min(release), last)}
    before = {(j, t): range(release[j], t) for j in jobs for t in range(release[j] + 1, last + 1)}
    model.at, model.before = at, before
    if template:
        del model.at, model.before
        model.at = pyo.Set(list(at), initialize=at)
        model.before = pyo.Set(list(before), initialize=before)
    model.run = pyo.Var(model.present, domain=pyo.Binary)

    def still(_: Any, j: int, t: int) -> tuple[int, int]:
        return int(t < release[j] + ticks[j]), 1

    model.open = pyo.Var(model.present, domain=pyo.Integers, bounds=still)
    model.waiting = pyo.Objective(expr=pyo.quicksum(model.open.values()))

    @model.Constraint(model.present)
    def runs(model: Any, j: int, t: int) -> Any:
        return model.run[j, t] <= model.open[j, t]

    @model.Constraint(later)
    def ended(model: Any, j: int, t: int) -> Any:
        return model.open[j, t] <= model.open[j, t - 1]

    @model.Constraint(model.inside)
    def completes(model: Any, j: int, t: int) -> Any:
        done = sum(model.rate[j] * model.run[j, u] for u in model.before[j, t])
        return done >= model.need[j] * (1 - model.open[j, t])

    @model.Constraint(model.jobs)
    def completes_last(model: Any, j: int) -> Any:
        done = sum(model.rate[j] * model.run[j, u] for u in model.before[j, last])
        return done >= model.need[j]

    @model.Constraint(list(at))
    def capacity(model: Any, t: int) -> Any:
        return sum(model.halves[j] * model.run[j, t] for j in model.at[t]) <= data.room

    return model


MODELS = {"occupancy": occupancy, "load-limit": load_limit, "tickwise": tickwise}


def compiled(model: Any) -> Any:
    """Compile a model to a standard form, with rows as they are, and hand that to HiGHS."""
    form = LinearStandardFormCompiler().write(model, mixed_form=True)
    sides = [row.bound_type for row in form.rows]
    low = [-float("inf") if side > 0 else rhs for side, rhs in zip(sides, form.rhs, strict=True)]
    high = [float("inf") if side < 0 else rhs for side, rhs in zip(sides, form.rhs, strict=True)]
    bounds = [one.bounds for one in form.columns]
    lower = [-float("inf") if least is None else least for least, _ in bounds]
    upper = [float("inf") if most is None else most for _, most in bounds]
    whole = [not one.is_continuous() for one in form.columns]
    cost = form.c.toarray().sum(axis=0)
    vectors = (np.array(vector, dtype=float) for vector in (cost, lower, upper, whole))
    return loaded((form.A, [low], [high]), *vectors)


def by_interface(model: Any) -> Any:
    """Load a model as Pyomo's persistent interface to HiGHS does."""
    plugin = Highs()
    plugin.set_instance(model)
    return plugin._solver_model


def way(program: str, template: bool, load: Any) -> Any:
    """Return what states a program and loads it."""

    def stated(data: Any) -> Any:
        with patch.object(constraint, "TEMPLATIZE_CONSTRAINTS", template):
            return load(MODELS[program](data, template))

    return stated


WAYS = {program: way(program, False, compiled) for program in MODELS}
WAYS_TEMPLATES = {program: way(program, True, compiled) for program in MODELS}
WAYS_INTERFACE = {program: way(program, False, by_interface) for program in MODELS}
