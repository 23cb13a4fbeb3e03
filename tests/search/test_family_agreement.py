"""All methods of a family against brute force on tiny instances with nasty numbers: a sample."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from family_draws import DRAWN, drawn

from ringyard.families import family_of
from ringyard.instances import RefusedError, TerminationReason, load_instance
from ringyard.run import Answer, solve
from ringyard.search.trace.state_search import MOST_JOBS
from ringyard.testing.family import DEFAULT, asked
from ringyard.testing.family import problems as family_problems

CASES = Path(__file__).parents[1] / "cases"

SEED = 11
"""Other instances than the campaign's usual seed, 0."""


@pytest.mark.parametrize("kind", DRAWN)
@pytest.mark.parametrize("index", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_no_method_is_wrong_and_the_default_is_never_beaten(kind: str, index: int) -> None:
    instance, optimum = drawn(kind, SEED, index), DRAWN[kind].optimum
    assert family_problems(instance, asked(instance), optimum and optimum(instance)) == []


def test_faults_are_seen() -> None:
    """Answers that were changed by hand are told apart from right ones."""
    instance = drawn("transfers", SEED, 0)
    found = asked(instance)
    best = found.answers["enumeration"]
    assert best.objective is not None
    worse, better = best.objective + 1, best.objective / 2
    assert family_problems(instance, found, best.objective) == []
    assert any("is optimal" in text for text in family_problems(instance, found, worse))
    assert any("claims that" in text for text in family_problems(instance, found, better))
    found.refused[DEFAULT] = str(RefusedError("too large"))
    found.answers[DEFAULT] = replace(best, verdict=None)
    assert any(
        "has no schedule (too large)" in text for text in family_problems(instance, found, None)
    )


def objective(answer: Answer) -> Fraction:
    assert answer.valid
    assert answer.objective is not None
    return answer.objective


def test_without_a_method_a_small_instance_is_given_to_all() -> None:
    """By srsf alone the mean is 3 s: the long job waits, though one GPU makes it faster."""
    instance = load_instance(CASES / "trace-faster-on-fewer.json")
    assert objective(solve(instance, "srsf")) == 3
    answer = solve(instance)
    assert (objective(answer), answer.status) == (2, "optimal")
    assert answer.method.name == "state-search"


def test_what_is_too_large_for_a_proof_is_given_to_the_default_only() -> None:
    instance = load_instance(CASES / "trace-faster-on-fewer.json")
    more = [replace(instance.jobs[-1], name=f"more{k}") for k in range(MOST_JOBS)]
    larger = replace(instance, jobs=(*instance.jobs, *more))
    assert not family_of(larger).small(larger)
    assert solve(larger).method.name == "srsf"


def test_what_fits_within_a_tolerance_only_is_left_out() -> None:
    """A server and a worker of 3 CPUs together do not fit into 2.999999997, but HiGHS says so."""
    answer = solve(load_instance(CASES / "online-near-tie.json"), "offline")
    assert answer.valid
    assert answer.outcome.termination is TerminationReason.NUMERICAL
    assert answer.outcome.note


def test_columns_end_where_utilities_are_small() -> None:
    """Below the tolerance of a solver, schedules that were known seemed to pay for ever."""
    answer = solve(load_instance(CASES / "online-small-utilities.json"), "column-generation")
    assert answer.outcome.termination is TerminationReason.DONE
    assert objective(answer) == objective(solve(answer.instance, "offline"))
