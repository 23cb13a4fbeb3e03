"""The best widths for budgets: the dual against the programs that say the same.

    python -m pytest benchmarks/test_rental.py --benchmark-timer=time.process_time

Making the arrays of an instance is counted for the curve, building a program for the solvers.
"""

from typing import Any

import numpy as np
import pytest

from ringyard.formulations.adapters.rental_cvxpy import solve_convex
from ringyard.formulations.catalogue import find_formulation
from ringyard.formulations.program import Caps
from ringyard.formulations.rental.widths import classes_of
from ringyard.formulations.solver_interface.solve import program_of, solve
from ringyard.policies.rental.dual import curve, solve_budget, streams_of
from ringyard.policies.rental.resize import Resizer


@pytest.mark.parametrize("widths", ["any", "whole"])
@pytest.mark.parametrize(
    "preset", ["rental-power", "rental-amdahl", "rental-stepped", "rental-large"]
)
@pytest.mark.benchmark(group="rental: 100 budgets")
def test_curve(benchmark: Any, made: Any, preset: str, widths: str) -> None:
    instance = made(preset, types=1000 if benchmark.enabled else 20, widths=widths)
    load = float(sum(map(sum, instance.loads)))
    found = benchmark(lambda: curve(streams_of(instance), load * np.geomspace(1.05, 8, 100)))
    assert np.all(np.diff(found.mean_jct) <= 0)


@pytest.mark.parametrize("types", [6, 100, 1000])
@pytest.mark.benchmark(group="rental: one budget, real widths")
def test_dual(benchmark: Any, made: Any, types: int) -> None:
    instance = made("rental-large", types=types if benchmark.enabled else 6, widths="any")
    assert benchmark(lambda: solve_budget(streams_of(instance), float(instance.budget_gpus)))


@pytest.mark.parametrize("form", ["perspective", "closed"])
@pytest.mark.parametrize("types", [6, 100, 1000])
@pytest.mark.benchmark(group="rental: one budget, real widths")
def test_convex(benchmark: Any, made: Any, types: int, form: Any) -> None:
    instance = made("rental-large", types=types if benchmark.enabled else 6, widths="any")
    budget = float(instance.budget_gpus)
    assert benchmark.pedantic(lambda: solve_convex(classes_of(instance), budget, form), rounds=3)


@pytest.mark.parametrize("types", [6, 100, 1000])
@pytest.mark.benchmark(group="rental: one budget, whole widths")
def test_whole_dual(benchmark: Any, made: Any, types: int) -> None:
    instance = made("rental-large", types=types if benchmark.enabled else 6, widths="whole")
    assert benchmark(lambda: solve_budget(streams_of(instance), float(instance.budget_gpus)))


@pytest.mark.parametrize("name", ["shares", "pure"])
@pytest.mark.parametrize("types", [6, 100, 1000])
@pytest.mark.benchmark(group="rental: one budget, whole widths")
def test_program(benchmark: Any, made: Any, types: int, name: str) -> None:
    instance = made("rental-large", types=types if benchmark.enabled else 6, widths="whole")
    program = find_formulation(name)

    def run() -> Any:
        return solve(program_of(program.build(instance)), "highs", Caps()).value

    assert benchmark.pedantic(run, rounds=3) > 0


@pytest.mark.benchmark(group="rental: stalls")
def test_resize(benchmark: Any, made: Any) -> None:
    instance = made("rental-pollux", types=100 if benchmark.enabled else 6, widths="any")
    streams = streams_of(instance)
    budget = 2 * float(streams.load.sum())
    assert benchmark.pedantic(lambda: Resizer(streams, 1 / 60).best(budget), rounds=1)
