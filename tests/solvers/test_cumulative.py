"""Constraint solvers answer the makespan question without servers as trying all starts does."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from ringyard.formulations.adapters import cumulative as solver_interface
from ringyard.formulations.adapters.cumulative import ENGINES, CumulativeQuestion, starts_of
from ringyard.formulations.makespan.fractional import cumulative_question
from ringyard.formulations.program import Caps, Solution
from ringyard.instances import SolutionStatus, TerminationReason
from ringyard.instances.catalogue import load

GRAHAM = CumulativeQuestion((1,) * 7, (1,) * 6 + (3,), (0,) * 7, 3, 3)
"""Six jobs of a slot and one of three on three GPUs fill three slots without a gap."""


def by_hand(question: CumulativeQuestion) -> bool:
    """Return True if some starts fit, counting the GPUs in each slot."""
    jobs = range(len(question.gpus))
    ranges = [range(question.releases[j], question.end - question.slots[j] + 1) for j in jobs]
    return any(
        all(
            sum(question.gpus[j] for j in jobs if starts[j] <= t < starts[j] + question.slots[j])
            <= question.pool
            for t in range(question.end)
        )
        for starts in product(*ranges)
    )


def drawn(seed: int) -> CumulativeQuestion:
    rng = np.random.default_rng(seed)
    gpus, slots, releases = (
        tuple(map(int, rng.integers(low, high, 4))) for low, high in ((1, 4), (1, 4), (0, 3))
    )
    return CumulativeQuestion(gpus, slots, releases, 4, 6)


def test_drawn_questions_have_both_answers() -> None:
    answers = [by_hand(drawn(seed)) for seed in range(8)]
    assert 2 <= sum(answers) <= 6


@pytest.mark.parametrize("seed", range(20))
def test_starts_are_checked_as_by_counting(seed: int) -> None:
    question, rng = drawn(seed), np.random.default_rng(seed)
    for starts in rng.integers(0, 6, (200, 4)).astype(float):
        ends = [int(s) + n for s, n in zip(starts, question.slots, strict=True)]
        inside = max(ends) <= 6 and bool((starts >= question.releases).all())
        counted = inside and all(
            sum(g for g, s, e in zip(question.gpus, starts, ends, strict=True) if s <= t < e) <= 4
            for t in range(6)
        )
        assert question.holds(starts) == counted
    assert not question.holds(np.array([0.5, 1, 1, 1]))
    assert not question.holds(np.zeros(3))


@pytest.mark.parametrize("engine", [name for name, (one, _) in ENGINES.items() if one.installed])
class TestEngine:
    def test_it_finds_starts_where_there_are_some(self, engine: str) -> None:
        found = starts_of(GRAHAM, engine, Caps())
        assert (found.termination, found.status) == (TerminationReason.DONE, SolutionStatus.OPTIMAL)
        assert found.point is not None
        assert GRAHAM.holds(found.point)

    def test_it_says_where_there_are_none(self, engine: str) -> None:
        tight = replace(GRAHAM, pool=2, end=4)
        found = starts_of(tight, engine, Caps())
        assert (found.termination, found.status, found.point) == (
            TerminationReason.DONE,
            SolutionStatus.INFEASIBLE,
            None,
        )
        late = starts_of(replace(GRAHAM, end=2), engine, Caps())
        assert (late.status, late.note) == (
            SolutionStatus.INFEASIBLE,
            "a job does not fit by itself",
        )

    @pytest.mark.slow
    @pytest.mark.parametrize("seed", range(8))
    def test_drawn_questions_are_answered(self, engine: str, seed: int) -> None:
        question = drawn(seed)
        found = starts_of(question, engine, Caps())
        assert (found.status is SolutionStatus.OPTIMAL) == by_hand(question)
        assert found.termination is TerminationReason.DONE


def test_no_end_of_the_relaxation_is_no_makespan() -> None:
    """The optimum of this instance is 6, as its area is: no slot is lost."""
    instance = load("hand-area")
    assert (
        starts_of(cumulative_question(instance, 6), "cp-sat", Caps()).status
        is SolutionStatus.OPTIMAL
    )
    assert (
        starts_of(cumulative_question(instance, 5), "cp-sat", Caps()).status
        is SolutionStatus.INFEASIBLE
    )


def test_false_starts_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    false: dict[str, Any] = {"status": SolutionStatus.OPTIMAL, "point": np.zeros(7)}
    said = Solution(solver="", termination=TerminationReason.DONE, **false)
    monkeypatch.setattr(solver_interface, "run_apart", lambda *_: said)
    found = starts_of(GRAHAM, "cp-sat", Caps())
    assert (found.termination, found.status, found.point) == (
        TerminationReason.NUMERICAL,
        SolutionStatus.NOTHING,
        None,
    )
