"""The memory and processor time of a solver alone, its residuals, and the bounds of its steps."""

import json
import resource
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from little import few
from solvers import faults

from ringyard.analysis.rows import Row, whole_row
from ringyard.campaigns import perform_program
from ringyard.campaigns.perform import perform
from ringyard.campaigns.perform_program import Steps
from ringyard.engines import program_run
from ringyard.engines.engine import Engine
from ringyard.engines.program_run import run_of
from ringyard.formulations.corpus.build import build
from ringyard.formulations.corpus.index import corpus, recipe_of
from ringyard.formulations.program import Matrix, Solution, Usage
from ringyard.formulations.solver_interface.call import ProcessWatch
from ringyard.formulations.solver_interface.checked import BestPoint, checker_of, dual_residual
from ringyard.formulations.solver_interface.solve import solve
from ringyard.instances import SolutionStatus, TerminationReason

NAME = "hand-contend.linearised.h7"
LINEAR = "pdors-s0.slot.j1.relaxed"

TICK_S = 0.01
"""The system may count the time of a process in such steps."""


def spent_s() -> float:
    """Return the processor time of all processes that this one started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def row_of(monkeypatch: pytest.MonkeyPatch, run: Callable[..., Solution], name: str = NAME) -> Row:
    """Return the row of an engine, asked in a process of its own.

    `most_s` is all that the process took but for the time before the engine began. The system
    counts it like the engine's time, so the speed of the machine does not matter.
    """
    said = faults.solver(run)
    for module in (perform_program, program_run):
        monkeypatch.setattr(module, "find_solver", lambda name: said)
    engine = Engine(name="fault", solver="fault", can=("lp", "milp"))
    asked = run_of(engine, corpus()[name], 0, 60.0)
    task = json.loads(json.dumps(asked.task()))
    before = spent_s()
    row = whole_row({**asked.stated(), **perform(task)["columns"]})
    return row | {"most_s": spent_s() - before - json.loads(row["phases"])["base_cpu"] + TICK_S}


@pytest.mark.parametrize("busy", few(1, [False, True]))
def test_memory_and_time_are_those_of_the_engine(
    monkeypatch: pytest.MonkeyPatch, busy: bool
) -> None:
    held = np.ones(300 * 2**17 if busy else 1)  # 300 MB of the worker's own.
    row = row_of(monkeypatch, faults.consume)
    assert row["memory_mb"] == pytest.approx(200, abs=20)
    assert 1.0 <= row["cpu_seconds"] <= row["most_s"]
    assert json.loads(row["phases"])["base_mb"] < 150
    assert held.sum() > 0


def test_an_engine_that_does_nothing_has_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    row = row_of(monkeypatch, faults.nothing)
    assert row["memory_mb"] < 5
    assert row["cpu_seconds"] <= row["most_s"]


def test_residuals_are_of_the_point_as_it_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    row = row_of(monkeypatch, faults.nearly_whole)
    assert row["integrality"] == pytest.approx(3e-7)
    assert row["primal_residual"] <= 1e-6
    assert row["gap"] == pytest.approx(0)


def test_the_residual_of_duals() -> None:
    program = build(recipe_of(LINEAR))
    assert isinstance(program, Matrix)
    duals = solve(program, "highs-simplex").duals
    assert duals is not None
    assert dual_residual(program, duals) < 1e-9
    # With all duals 0, reduced costs are costs: each column may grow if its cost is below 0.
    free = replace(program, upper=np.full(len(program.columns), np.inf), cost=-program.cost)
    worst = (-free.cost / np.maximum(1.0, np.abs(free.cost))).max()
    assert dual_residual(free, np.zeros(len(free.rows))) == pytest.approx(max(0.0, worst))
    # A dual of a row without that side counts whole.
    wrong = np.where(np.isfinite(program.row_lower), 0.0, 2.0)
    zero = replace(program, cost=program.a.T @ wrong)
    assert dual_residual(zero, wrong) == pytest.approx(2.0 if wrong.any() else 0.0)


def test_steps_have_the_bound_known_at_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    row = row_of(monkeypatch, faults.in_steps)
    assert [step[1:] for step in row["trajectory"]] == [(7.0, 1.0), (7.0, 5.0), (7.0, 7.0)]


def test_steps_are_timed_from_when_the_engine_began() -> None:
    program = build(recipe_of(NAME))
    steps = Steps(BestPoint(checker_of(program)), began=100.0, known=[(1.5, 7.0, None)])
    usage = Usage(memory_mb=1.0, cpu_s=1.0, base_mb=1.0, base_cpu_s=1.0, began=101.25)
    ended = Solution(
        termination=TerminationReason.DONE, status=SolutionStatus.OPTIMAL, seconds=3.0, usage=usage
    )
    assert steps.of(ended) == [(0.25, 7.0, None)]


@pytest.mark.slow
def test_a_run_that_is_ended_has_used_what_was_seen(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    taken, seen, real = tmp_path / "taken", tmp_path / "seen", ProcessWatch.look

    def look(watch: ProcessWatch) -> None:
        after = taken.exists()
        real(watch)
        if after:
            seen.touch()

    monkeypatch.setattr(ProcessWatch, "look", look)
    monkeypatch.setenv("TAKEN", str(taken))
    monkeypatch.setenv("SEEN", str(seen))
    row = row_of(monkeypatch, faults.consume_and_die)
    assert row["termination"] == TerminationReason.CRASHED.value
    assert row["memory_mb"] > 100
    # Both ends of the second are seen to a tick.
    assert row["cpu_seconds"] >= 1.0 - 2 * TICK_S


def test_a_worker_does_not_overwrite_what_a_run_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    from ringyard.campaigns.executors.keeper import WatchedWorker

    def answer(self: Any, owner: Any) -> dict[str, Any]:
        return {"columns": {"memory_mb": 3.0, "cpu_seconds": 1.0}}

    monkeypatch.setattr(WatchedWorker, "_report", answer)
    monkeypatch.setattr(WatchedWorker, "_measured", lambda self: {"memory_mb": 600.0})
    monkeypatch.setattr(WatchedWorker, "_measure", lambda self, task: None)
    worker = object.__new__(WatchedWorker)
    worker._ready = True
    worker._line = type("Line", (), {"send_bytes": lambda self, text: None})()
    assert worker.follow(b"{}", None)["columns"] == {"memory_mb": 3.0, "cpu_seconds": 1.0}  # type: ignore[arg-type]
