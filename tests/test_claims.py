"""What a user's method says of bounds is a claim, wherever its answer is shown."""

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import ringyard
from ringyard import Bound, Outcome
from ringyard.analysis.stats.references import WRONG, contradictions, extremes, mark_wrong
from ringyard.campaigns.store import Store
from ringyard.cli import main
from ringyard.cli.shrink import disagreement
from ringyard.families import Method
from ringyard.instances import BoundKind, Incumbent, SolutionStatus, TerminationReason
from ringyard.instances.errors import MethodError
from ringyard.run import Answer, ContradictionError

NAME = "hand-spread"
"""Its optimum is 6 slots, which gang-lpt gives; counting proves 4."""

CLAIMS = '''
from fractions import Fraction
from ringyard import Bound, Outcome, load, solve
from ringyard.instances import BoundKind, SolutionStatus, TerminationReason


def bounded(instance, value=6):
    """The schedule of a list scheduler, and a bound from nowhere."""
    bound = Bound(value=Fraction(value), kind=BoundKind.COMBINATORIAL, name="mine", argument="so")
    schedule = solve(instance, "gang-lpt").schedule
    return Outcome(
        schedule=schedule,
        termination=TerminationReason.DONE,
        status=SolutionStatus.OPTIMAL,
        bound=bound,
    )


def hopeless(instance):
    """That there is none."""
    return Outcome(
        schedule=None, termination=TerminationReason.DONE, status=SolutionStatus.INFEASIBLE
    )


def late(instance):
    """A valid schedule that begins late, and a bound that the best one crosses."""
    plan, start = {}, 20
    for job in instance.jobs:
        left, pieces = job.gpus, {}
        for server in instance.cluster.servers:
            pieces[server.name] = min(left, server.gpus)
            left -= pieces[server.name]
        plan[job.name] = (start, pieces)
        start += 20
    return plan


def refuted(instance):
    found = solve(instance, late)
    bound = Bound(value=Fraction(7), kind=BoundKind.COMBINATORIAL, name="mine", argument="so")
    return Outcome(
        schedule=found.schedule,
        termination=TerminationReason.DONE,
        status=SolutionStatus.FEASIBLE,
        bound=bound,
    )
'''


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with methods that claim things."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "claims.py"
    path.write_text(CLAIMS, encoding="utf-8")
    return path


def claiming(bound: Any, **more: Any) -> Callable[..., Outcome]:
    """Return a function that gives the schedule of gang-lpt with a bound."""

    def claims(instance: Any) -> Outcome:
        found = ringyard.solve(instance, "gang-lpt").schedule
        return Outcome(
            **{
                "schedule": found,
                "termination": TerminationReason.DONE,
                "status": SolutionStatus.OPTIMAL,
                "bound": bound,
                **more,
            }
        )

    return claims


def bound_of(value: Any, kind: str = "combinatorial", **more: Any) -> Bound:
    return Bound(value=value, kind=BoundKind(kind), name="mine", argument="trust me", **more)


def solved(method: Any) -> Answer:
    return ringyard.solve(ringyard.load(NAME), method)


@pytest.mark.parametrize("kind", ["combinatorial", "dual", "searched", "solver", "none"])
@pytest.mark.parametrize("proof", [None, ({"rule": "invented"},), ({1: object()},), (5,)])
def test_a_bound_without_a_proof_makes_nothing_optimal(kind: str, proof: Any) -> None:
    answer = solved(claiming(bound_of(Fraction(6), kind, proof=proof)))
    assert (answer.objective, answer.status, answer.bound.value) == (6, "feasible", 4)
    assert answer.claimed_bound == answer.row()["claimed_bound"] == 6
    for shown in (answer.row()["note"], repr(answer), answer._repr_html_()):
        assert "it claims a bound of 6 (trust me) without proof" in shown
    assert "optimal" not in f"{answer.conclusion} {answer!r} {answer._repr_html_()}"


def test_an_object_with_run_and_its_reports_claim_as_much() -> None:
    class Claims:
        def run(self, instance: Any, request: Any) -> Outcome:
            outcome = claiming(bound_of(Fraction(6)))(instance)
            request.limits.report(Incumbent(schedule=outcome.schedule, value=6.0, bound=6.0))
            return outcome

    made = Method(name="gang-lpt", about="", source="", module=Claims(), family="makespan")
    for method in (Claims(), made):
        answer = solved(method)
        assert answer.status == "feasible"
        assert [bound for _, _, bound in answer.trajectory] == [4.0]


def test_a_bound_whose_certificate_is_accepted_is_proved() -> None:
    def wraps(instance: Any) -> Outcome:
        return ringyard.solve(instance, "branch-and-bound").outcome

    instance = ringyard.load("small-06x3")
    own, answer = ringyard.solve(instance, "branch-and-bound"), ringyard.solve(instance, wraps)
    assert own.bound.proof
    assert (answer.conclusion, answer.claim) == ("optimal (certified)", None)
    better = replace(own.bound, value=own.bound.value + 1)
    false = claiming(better, schedule=None, status=SolutionStatus.NOTHING)
    assert ringyard.solve(instance, false).claimed_bound == better.value


def test_that_there_is_no_schedule_is_a_claim() -> None:
    answer = solved(claiming(None, schedule=None, status=SolutionStatus.INFEASIBLE))
    assert (answer.status, answer.row()["claimed_bound"]) == ("unknown", None)
    assert "it claims that no schedule exists without proof" in repr(answer)


def test_a_claim_that_its_own_schedule_refutes_is_an_error() -> None:
    with pytest.raises(ContradictionError, match=r"bound 7 \(trust me\), which it claims"):
        solved(claiming(bound_of(7)))


@pytest.mark.parametrize("bound", [6, "6", bound_of(float("nan")), bound_of(float("inf"))])
def test_what_is_no_bound_is_said_to_be_none(bound: Any) -> None:
    with pytest.raises(MethodError, match="expected a Bound with a finite value"):
        solved(claiming(bound))


def test_the_command_line_shows_claims_as_such(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["solve", NAME, "--method", f"{file}:bounded"]) == 0
    said = capsys.readouterr().out
    assert "seed 0: feasible\n" in said
    assert "it claims a bound of 6 (so) without proof" in said
    assert main(["solve", NAME, "--method", f"{file}:hopeless", "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["status"] == "unknown"


def test_compare_and_campaigns_show_claims_and_find_false_ones(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [f"{file.name}:{one}" for one in ("bounded", "hopeless", "refuted")]
    assert main(["compare", NAME, "--methods", ",".join([*names, "gang-lpt"]), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [row["status"] for row in found["rows"]] == ["feasible", "unknown", *["feasible"] * 2]
    assert [row["claimed_bound"] for row in found["rows"]] == [6, None, 7, None]
    (sentence,) = found["contradictions"]
    assert "below the claimed bound 7 of claims.py:refuted" in sentence
    rows = [row for row in found["rows"] if row["bound"] is not None]
    assert contradictions(extremes(rows)) == [sentence]

    text = f'format = "ringyard-campaign/1"\nname = "claims"\ninstances = ["{NAME}"]\n'
    Path("mine.toml").write_text(f"{text}methods = {json.dumps([*names, 'gang-lpt'])}\n", "utf-8")
    assert main(["run", "mine.toml", "--out", "out", "--workers", "1", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["by_status"] == {"feasible": 3, "unknown": 1}
    assert len(found["contradictions"]) == 1
    assert "the claimed bound 7" in found["contradictions"][0]
    wrong = {
        row["method"]: row["note"]
        for row in mark_wrong(Store(Path("out")).rows())
        if row["status"] == WRONG
    }
    assert wrong == {
        "claims.py:hopeless": "infeasible, but a schedule has 6",
        "claims.py:refuted": "claimed bound 7, but a schedule has 6",
    }


def test_claims_that_disagree_are_still_found_by_shrink(file: Path) -> None:
    instance = ringyard.load(NAME)
    found = disagreement(instance, [f"{file}:refuted", "gang-lpt"], None)
    assert found is not None
    assert "claims that there is none below 7" in found.text
    found = disagreement(instance, [f"{file}:hopeless", "gang-lpt"], None)
    assert found is not None
    assert "claims that there is no schedule" in found.text
    assert disagreement(instance, [f"{file}:bounded", "gang-lpt"], None) is None
