"""The programs in PyOptInterface, which hands each variable and row to HiGHS as it is stated."""

import tempfile
from pathlib import Path
from typing import Any

import pyoptinterface as poi
from pyoptinterface import highs

BINARY, INTEGER = poi.VariableDomain.Binary, poi.VariableDomain.Integer


def silent() -> Any:
    """Return an empty model that prints nothing."""
    model = highs.Model()
    model.set_model_attribute(poi.ModelAttribute.Silent, True)
    return model


def weighted(weights: Any, variables: Any) -> Any:
    """Return a sum of products."""
    total = poi.ExprBuilder()
    for weight, variable in zip(weights, variables, strict=True):
        total.add_affine_term(variable, weight)
    return total


def occupancy(data: Any) -> Any:
    """State who starts when and has which GPUs."""
    model = silent()
    jobs, servers, slots = range(len(data.gpus)), range(len(data.sizes)), range(data.slots)
    wanted, least, sizes = data.gpus.tolist(), data.least.tolist(), data.sizes.tolist()
    latest = model.add_variable(domain=INTEGER, lb=0, ub=data.slots)
    starts = [range(data.slots - least[j] + 1) for j in jobs]
    start = [[model.add_variable(domain=BINARY) for _ in starts[j]] for j in jobs]
    gpus = [
        [
            [model.add_variable(domain=INTEGER, lb=0, ub=min(wanted[j], sizes[s])) for _ in slots]
            for s in servers
        ]
        for j in jobs
    ]
    for j in jobs:
        model.add_linear_constraint(poi.quicksum(start[j]), poi.Eq, 1)
        for t in slots:
            held = poi.quicksum(gpus[j][s][t] for s in servers)
            for variable in start[j][max(0, t - least[j] + 1) : t + 1]:
                held.add_affine_term(variable, -wanted[j])
            model.add_linear_constraint(held, poi.Eq, 0)
        ends = weighted((t + least[j] for t in starts[j]), start[j])
        ends.add_affine_term(latest, -1)
        model.add_linear_constraint(ends, poi.Leq, 0)
    for s in servers:
        for t in slots:
            held = poi.quicksum(gpus[j][s][t] for j in jobs)
            model.add_linear_constraint(held, poi.Leq, sizes[s])
    model.set_objective(latest)
    return model


def load_limit(data: Any) -> Any:
    """State which GPUs each job has, and the largest load."""
    model = silent()
    jobs, places = range(len(data.gpus)), range(data.places)
    work = data.work.tolist()
    on = [[model.add_variable(domain=BINARY) for _ in places] for _ in jobs]
    latest = model.add_variable(lb=0, ub=data.most)
    for j, wanted in enumerate(data.gpus.tolist()):
        model.add_linear_constraint(poi.quicksum(on[j]), poi.Eq, wanted)
    for g in places:
        load = weighted(work, (on[j][g] for j in jobs))
        load.add_affine_term(latest, -1)
        model.add_linear_constraint(load, poi.Leq, 0)
    model.set_objective(latest)
    return model


def tickwise(data: Any) -> Any:
    """State who runs in which tick, and who has not ended."""
    model = silent()
    rows = zip(*(part.tolist() for part in data[:5]), strict=True)
    held = {t: poi.ExprBuilder() for t in range(int(data.release.min()), data.last)}
    waiting = poi.ExprBuilder()
    for release, ticks, need, rate, halves in rows:
        slots = range(release, data.last)
        run = [model.add_variable(domain=BINARY) for _ in slots]
        still = [
            model.add_variable(domain=INTEGER, lb=int(t < release + ticks), ub=1) for t in slots
        ]
        for i, t in enumerate(slots):
            waiting.add_affine_term(still[i], 1)
            held[t].add_affine_term(run[i], halves)
            model.add_linear_constraint(run[i] - still[i], poi.Leq, 0)
            if i > 0:
                model.add_linear_constraint(still[i] - still[i - 1], poi.Leq, 0)
        for i in range(ticks, len(slots) + 1):
            done = weighted([rate] * i, run[:i])
            if i < len(slots):
                done.add_affine_term(still[i], need)
            model.add_linear_constraint(done, poi.Geq, need)
    for load in held.values():
        model.add_linear_constraint(load, poi.Leq, data.room)
    model.set_objective(waiting)
    return model


WAYS = {"occupancy": occupancy, "load-limit": load_limit, "tickwise": tickwise}


def shape_of(model: Any) -> tuple[int, int]:
    """Return the columns and rows that HiGHS has."""
    return model.getnumcol(), model.getnumrow()


def matrix_of(model: Any) -> Any:
    """Return the program in the file that HiGHS writes; its numbers have fifteen digits."""
    from ringyard.formulations.files.mps_reader import read_mps

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.mps"
        model.write(str(path))
        return read_mps(path)
