"""How an answer ended, in words: every pair of a status and a reason reads as English."""

from dataclasses import replace

import pytest

from ringyard import Answer, check, load, solve
from ringyard.instances import SolutionStatus
from ringyard.instances.outcome import TerminationReason

REASONS = {
    "done": "",
    "time_limit": "time limit",
    "work_limit": "work limit",
    "gap_reached": "gap reached",
    "target_reached": "target reached",
    "stopped": "stopped",
    "interrupted": "interrupted",
    "memory_limit": "memory limit",
    "numerical": "rounding errors",
    "crashed": "crashed",
    "killed": "killed",
    "unlicensed": "no licence",
    "failed": "failed",
}

CONCLUSIONS = {
    "optimal": ("optimal (certified)", "optimal (certified, {})"),
    "feasible": ("feasible", "feasible ({})"),
    "infeasible": ("infeasible", "infeasible ({})"),
    "unknown": ("unknown (no schedule)", "unknown ({})"),
    "error": ("error (invalid schedule)", "error (invalid schedule, {})"),
}
"""The words by status, if a method ended by itself and otherwise."""


@pytest.fixture(scope="module")
def answers() -> dict[str, Answer]:
    """Return an answer of each status."""
    made = solve(load("hand-lpt"), "list-scheduling")
    assert made.objective is not None
    short = replace(made.schedule, assignments=made.schedule.assignments[1:])
    nothing = replace(made, schedule=None, verdict=None)
    proved = replace(made.outcome, status=SolutionStatus.INFEASIBLE)
    return {
        "optimal": replace(made, bound=replace(made.bound, value=made.objective)),
        "feasible": made,
        "infeasible": replace(nothing, outcome=proved),
        "unknown": nothing,
        "error": replace(made, verdict=check(made.instance, short)),
    }


@pytest.mark.parametrize("status", CONCLUSIONS)
@pytest.mark.parametrize("reason", TerminationReason)
def test_every_status_and_reason_reads_as_english(
    answers: dict[str, Answer], status: str, reason: TerminationReason
) -> None:
    known = answers[status]
    answer = replace(known, outcome=replace(known.outcome, termination=reason))
    assert answer.status == status
    alone, with_reason = CONCLUSIONS[status]
    words = REASONS[reason.value]
    assert answer.conclusion == (with_reason.format(words) if words else alone)
