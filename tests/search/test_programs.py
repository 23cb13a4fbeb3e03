"""Programs as methods: proved optima, honest bounds, horizons, and solvers that lie."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ringyard import solve
from ringyard.formulations.named import solvers_of
from ringyard.formulations.program import Solution
from ringyard.instances import BoundKind, Limits, Outcome, SolutionStatus, TerminationReason
from ringyard.instances.catalogue import entries, load
from ringyard.methods import Method, all_methods, find_method
from ringyard.search.makespan import programs
from ringyard.search.makespan.exact.enumeration import enumerate_best

PROGRAMS = [m.name for m in all_methods() if m.kind == "program" and m.family == "makespan"]
LINEAR = ["linearised", "patterns"]


def run(name: str, instance: str, limits: Limits | None = None) -> Outcome:
    method = find_method(name, "makespan")
    return method.run(load(instance), limits or Limits(), np.random.default_rng(0))


@pytest.mark.parametrize(
    "method",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name == "disjunctive-hull" else [])
        for name in PROGRAMS
    ],
)
def test_programs_find_the_optimum_and_prove_it(method: str) -> None:
    answer = solve(load("hand-spread"), method)
    assert (answer.status, answer.bound.kind) == ("optimal", BoundKind.SOLVER)
    assert answer.objective == enumerate_best(load("hand-spread"), Limits()).value


@pytest.mark.parametrize(
    "instance",
    ["hand-contend", "hand-idling", pytest.param("hand-timing-floor", marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("method", LINEAR)
def test_they_agree_with_enumeration(method: str, instance: str) -> None:
    answer = solve(load(instance), method)
    assert answer.status == "optimal"
    assert answer.objective == enumerate_best(load(instance), Limits()).value


@pytest.mark.parametrize("method", LINEAR)
def test_what_is_proved_by_a_solver_says_so(method: str) -> None:
    outcome = run(method, "small-05x3")
    assert outcome.bound is not None
    assert (outcome.bound.value, outcome.bound.kind) == (9, BoundKind.SOLVER)
    assert outcome.bound.name == f"{method}:highs"
    assert outcome.status is SolutionStatus.OPTIMAL
    assert [step for step, _ in outcome.seconds] == ["build", "solve", "read"]
    assert outcome.nodes is not None


@pytest.mark.parametrize("method", ["linearised", pytest.param("patterns", marks=pytest.mark.slow)])
def test_a_better_schedule_than_the_first_is_found(method: str) -> None:
    """Gang LPT needs 9 slots here and 8 are enough."""
    told: list[float] = []
    outcome = run(method, "hand-contend-degraded", Limits(watch=lambda g: told.append(g.value)))
    assert (outcome.value, outcome.status) == (8, SolutionStatus.OPTIMAL)
    assert told[0] == 9
    assert told[-1] == 8


def test_rings_that_would_stand_still_are_kept_apart() -> None:
    outcome = run("patterns", "hand-contend-floor")
    assert (outcome.value, outcome.status) == (8, SolutionStatus.OPTIMAL)


def test_no_time_leaves_the_first_schedule() -> None:
    outcome = run("patterns", "small-05x3", Limits(time_s=0.0))
    assert (outcome.termination, outcome.status) == (
        TerminationReason.TIME_LIMIT,
        SolutionStatus.FEASIBLE,
    )


@pytest.mark.parametrize("method", ["enumeration", "patterns", "gang-lpt"])
def test_a_horizon_that_is_too_short_is_proved_so(method: str) -> None:
    instance = load("small-05x3")
    assert solve(instance, method, horizon=9).valid
    none = solve(instance, method, horizon=8)
    assert none.schedule is None
    assert none.status == ("unknown" if method == "gang-lpt" else "infeasible")
    assert none.bound.value == (7 if method == "gang-lpt" else 9)
    assert solve(instance, method, horizon=6).status == "infeasible"


@pytest.fixture
def lie(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[..., Solution]], None]:
    """Return a function that puts another function in place of the solver interface."""
    return lambda answer: monkeypatch.setattr(programs, "solve", answer)


def answers(**claims: Any) -> Callable[..., Solution]:
    given: dict[str, Any] = {
        "solver": "highs",
        "termination": TerminationReason.DONE,
        "status": SolutionStatus.NOTHING,
    } | claims
    return lambda *_, **__: Solution(**given)


@pytest.mark.parametrize(
    ("claimed", "bound"),
    [(8.0000005, 8), (8.001, 9), (1e9, 9), (7.5, 8), (-np.inf, 7), (np.nan, 7), (None, 7)],
)
def test_bounds_are_whole_and_end_at_the_horizon(
    lie: Callable[..., None], claimed: float | None, bound: int
) -> None:
    """Of what lies beyond the horizon of the program, it says nothing."""
    lie(answers(termination=TerminationReason.TIME_LIMIT, bound=claimed))
    outcome = run("patterns", "small-05x3")
    assert outcome.bound is not None
    assert outcome.bound.value == bound


def test_a_schedule_worse_than_its_solver_says_is_not_optimal(lie: Callable[..., None]) -> None:
    """The solver's point is real, but it prices it at 5 slots."""
    true = programs.solve

    def cheap(*given: Any, **more: Any) -> Solution:
        return replace(true(*given, **more), value=5.0, bound=5.0)

    lie(cheap)
    outcome = run("linearised", "hand-contend-degraded")
    assert outcome.status is SolutionStatus.FEASIBLE
    assert outcome.value == 8
    assert "ends at 8; the solver's value is 5" in outcome.note


@pytest.mark.parametrize("method", PROGRAMS)
def test_large_programs_are_refused_before_they_are_built(method: str) -> None:
    refused = find_method(method, "makespan").refuses(load("mobihoc-20-s0"))
    assert refused is not None
    assert "Choose" in refused


def test_every_program_has_a_solver() -> None:
    for name in PROGRAMS:
        method = find_method(name, "makespan")
        assert method.solver in solvers_of(method.formulation)


def test_a_solver_that_is_not_called_is_not_thanked() -> None:
    outcome = run("linearised", "hand-contend-half")
    assert (outcome.status, outcome.nodes) == (SolutionStatus.OPTIMAL, None)
    assert "highs was not called" in outcome.note


@pytest.mark.parametrize(
    "method", [m for m in all_methods() if m.formulation], ids=lambda m: m.name
)
def test_a_missing_solver_is_refused_in_advance(
    method: Method, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ringyard.formulations.adapters.solver.find_spec", lambda name: None)
    entry = next(one for one in entries().values() if one.kind == method.family)
    reason = method.refuses(load(entry.name))
    assert reason is not None
    assert "is not installed, try: pip install" in reason


def test_a_solver_that_cannot_is_refused_in_advance() -> None:
    refused = find_method("nonconvex:highs", "makespan").refuses(load("hand-contend"))
    assert refused == "highs does not support programs such as nonconvex"
