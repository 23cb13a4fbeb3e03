"""The process for models of other tools: ``python -m ringyard.papers.anytime.child``.

It sends `ready` once OR-Tools is loaded, takes one question as a line of JSON, and answers with a
line for every better solution. OR-Tools and HiGHS cannot be in one process, as `cp_child` of the
searches says.
"""

import json
import sys
import time
from typing import Any, NamedTuple

from ortools.sat.python.cp_model import CpModel, CpSolver, CpSolverSolutionCallback


class RivalModel(NamedTuple):
    """A model of CP-SAT with the variables that are read off: starts, and GPUs by server."""

    cp: Any
    starts: list[Any]
    pieces: list[dict[int, Any]]
    """GPUs by server, as expressions, empty if servers are not modelled."""


def intervals(sizes: list[int], jobs: list[tuple[int, int]], hint: dict[str, Any]) -> RivalModel:
    """Return intervals under a cumulative for each server. A job has its least slots.

    A job that fits into some server is in one, a larger one takes any GPUs of all. There is
    no contention. A list schedule is its hint, and ends where its time ends.
    """
    cp, horizon = CpModel(), hint["horizon"]
    end = cp.new_int_var(0, horizon, "makespan")
    model = RivalModel(cp, [], [])
    held: list[list[tuple[Any, Any]]] = [[] for _ in sizes]
    for j, (gpus, slots) in enumerate(jobs):
        start = cp.new_int_var(0, horizon - slots, f"start{j}")
        cp.add_hint(start, hint["starts"][j])
        gave = dict(hint["pieces"][j])
        cp.add(end >= start + slots)
        fitting = [s for s, size in enumerate(sizes) if gpus <= size]
        pieces: dict[int, Any] = {}
        if fitting:
            inside = {s: cp.new_bool_var(f"in{j},{s}") for s in fitting}
            for s, literal in inside.items():
                name = f"i{j},{s}"
                span = cp.new_optional_fixed_size_interval_var(start, slots, literal, name)
                held[s].append((span, gpus))
                pieces[s] = gpus * literal
                cp.add_hint(literal, s in gave)
            cp.add_exactly_one(inside.values())
        else:
            span = cp.new_fixed_size_interval_var(start, slots, f"i{j}")
            for s, size in enumerate(sizes):
                pieces[s] = cp.new_int_var(0, size, f"gpus{j},{s}")
                held[s].append((span, pieces[s]))
                cp.add_hint(pieces[s], gave.get(s, 0))
            cp.add(sum(pieces.values()) == gpus)
        model.starts.append(start)
        model.pieces.append(pieces)
    for size, own in zip(sizes, held, strict=True):
        cp.add_cumulative([span for span, _ in own], [demand for _, demand in own], size)
    cp.minimize(end)
    return model


def pool(sizes: list[int], jobs: list[tuple[int, int]], _: dict[str, Any]) -> RivalModel:
    """Return PyJobShop's model of one renewable resource: all GPUs, whatever server they are in."""
    from pyjobshop import Model
    from pyjobshop.solvers.ortools import CPModel

    shop = Model()
    gpus_of_all = shop.add_renewable(capacity=sum(sizes))
    for gpus, slots in jobs:
        shop.add_mode(shop.add_task(), gpus_of_all, duration=slots, demands=gpus)
    stated = CPModel(shop.data())
    starts = [one.start for one in stated.variables.task_vars]
    return RivalModel(stated.model, starts, [{} for _ in jobs])


MODELS = {"intervals": intervals, "pool": pool}


class _Reporter(CpSolverSolutionCallback):  # type: ignore[misc]
    """Writes a line for every better solution."""

    def __init__(self, model: RivalModel) -> None:
        super().__init__()
        self._model = model

    def on_solution_callback(self) -> None:
        """Write where and when jobs are."""
        starts = [self.value(one) for one in self._model.starts]
        held = [{s: self.value(x) for s, x in own.items()} for own in self._model.pieces]
        _send({"starts": starts, "pieces": held})


def _send(line: Any) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Answer one question."""
    _send("ready")
    asked, began = json.loads(sys.stdin.readline()), time.monotonic()
    model = MODELS[asked["model"]](asked["sizes"], asked["jobs"], asked["hint"])
    solver = CpSolver()
    solver.parameters.num_workers = asked["threads"]
    solver.parameters.max_time_in_seconds = max(0.0, asked["left_s"] - time.monotonic() + began)
    solver.solve(model.cp, _Reporter(model))


if __name__ == "__main__":
    main()
