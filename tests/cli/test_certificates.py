"""`--certificate` of `ringyard bound` and `solve`, and what `ringyard check` says of the files."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from ringyard.analysis.check.certificates.reading import Certificate
from ringyard.cli.shared.verdicts import met, write_certificate
from ringyard.instances import Bound, BoundKind
from ringyard.instances.catalogue import load
from ringyard.search.makespan.bounds.counting import best_bound
from ringyard.search.makespan.exact.enumeration import searched_bound


@pytest.fixture
def proof(ringyard: Callable[..., Any], tmp_path: Path) -> Path:
    """Write the certificate of an instance of which the area is the makespan."""
    path = tmp_path / "bound.jsonl"
    assert ringyard("bound", "hand-lpt", "--certificate", path).code == 0
    return path


def claiming(path: Path, value: int) -> None:
    """Claim another value."""
    first, *others = path.read_text().splitlines()
    head = {**json.loads(first), "claim": {"at_least": value}}
    path.write_text("\n".join([json.dumps(head), *others]))


def test_what_bound_writes_check_accepts(ringyard: Callable[..., Any], proof: Path) -> None:
    done = ringyard("check", "hand-lpt", proof)
    assert done.code == 0
    assert done.out.startswith("accepted: makespan at least 9 slots\n")


def test_a_certificate_beside_the_best_schedule_says_that_it_is_optimal(
    ringyard: Callable[..., Any], tmp_path: Path
) -> None:
    plan, proof = tmp_path / "plan.json", tmp_path / "proof.jsonl.gz"
    words = ("solve", "hand-lpt", "--method", "gang-lpt", "--out", plan, "--certificate", proof)
    worse = ringyard(*words)
    assert worse.code == 0
    done = ringyard("check", "hand-lpt", plan, proof)
    assert done.code == 0
    swapped = ringyard("check", "hand-lpt", proof, plan, "--json")
    best = swapped.json["objective"] == swapped.json["certificate"]["claim"]
    assert ("optimal: schedule and certificate meet" in done.out) == best
    assert swapped.json["together"] == ("optimal" if best else "not proved optimal")


def test_a_bound_by_search_is_replaced_by_one_with_a_proof(
    ringyard: Callable[..., Any], tmp_path: Path
) -> None:
    # Counting proves 8 slots of this instance, loads 11, which is also the least makespan.
    plan, proof = tmp_path / "plan.json", tmp_path / "proof.jsonl"
    words = ("solve", "small-04x2", "--method", "enumeration", "--out", plan, "--certificate")
    assert ringyard(*words, proof).code == 0
    done = ringyard("check", "small-04x2", plan, proof)
    assert done.code == 0
    assert "loads: at least 11" in done.out
    assert "optimal: schedule and certificate meet" in done.out


def test_a_bound_by_search_alone_is_written_where_the_checker_can_try_all(
    ringyard: Callable[..., Any], tmp_path: Path
) -> None:
    plan, proof = tmp_path / "plan.json", tmp_path / "proof.jsonl"
    words = ("solve", "hand-spread", "--method", "branch-and-bound", "--out", plan)
    assert ringyard(*words, "--certificate", proof).code == 0
    assert '{"rule": "every schedule", "at_least": 6}' in proof.read_text()
    done = ringyard("check", "hand-spread", plan, proof)
    assert done.code == 0
    assert "optimal: schedule and certificate meet" in done.out


def test_a_search_that_the_checker_cannot_follow_is_not_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    instance, path = load("hand-spread"), tmp_path / "bound.jsonl"
    false = searched_bound(Fraction(7), "a search", "")
    assert not write_certificate(instance, [false], path)
    assert not path.exists()
    assert "that all jobs end before 7" in capsys.readouterr().err
    assert write_certificate(instance, [false, best_bound(instance)], path)
    assert '"at_least": "4"' in path.read_text()


@pytest.mark.parametrize(
    ("maximize", "value", "said"),
    [
        (False, 9, "optimal"),
        (False, 10, "not proved optimal: 10.00 %"),
        (False, 8, "CONTRADICTION"),
        (True, 9, "optimal"),
        (True, 8, "not proved optimal"),
        (True, 10, "CONTRADICTION"),
    ],
)
def test_a_schedule_beside_a_claim_of_9(maximize: bool, value: int, said: str) -> None:
    claim = Certificate(digest="", family="", maximize=maximize, claim=Fraction(9), steps=())
    assert met(claim, Fraction(value)).startswith(said)


def test_a_claim_beyond_what_follows_is_refused(ringyard: Callable[..., Any], proof: Path) -> None:
    claiming(proof, 10)
    done = ringyard("check", "hand-lpt", proof)
    assert done.code == 1
    assert "REFUSED at line 1: it claims at least 10, and from the steps follows at least 9" in (
        done.out
    )
    row = ringyard("check", "hand-lpt", proof, "--json").json["certificate"]
    assert not row["accepted"]
    assert row["refused"]["line"] == 1


def test_another_instance_is_refused(ringyard: Callable[..., Any], proof: Path) -> None:
    done = ringyard("check", "hand-exclusion", proof)
    assert done.code == 1
    assert "about another instance" in done.out


def test_a_broken_file_is_an_error_of_input(ringyard: Callable[..., Any], proof: Path) -> None:
    proof.write_text(proof.read_text()[:-5])
    done = ringyard("check", "hand-lpt", proof)
    assert done.code == 2
    assert "bound.jsonl: 1 problem\n  line 2 column" in done.err


def test_two_certificates_are_refused(ringyard: Callable[..., Any], proof: Path) -> None:
    done = ringyard("check", "hand-lpt", proof, proof)
    assert done.code == 2
    assert "expected" in done.err


def test_the_best_bound_that_has_a_proof_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    instance, path = load("hand-lpt"), tmp_path / "bound.jsonl"
    kind = BoundKind.SEARCHED
    searched = Bound(value=Fraction(99), kind=kind, name="a search", argument="")
    assert not write_certificate(instance, [searched], path)
    assert (
        "no certificate is written, because a search has no certificate" in capsys.readouterr().err
    )
    assert not path.exists()
    assert write_certificate(instance, [searched, best_bound(instance)], path)
    assert (
        "a search has no certificate. The best bound with a certificate is area"
        in capsys.readouterr().err
    )
    assert '"at_least": "9"' in path.read_text()


def test_the_makespan_of_a_trace_has_a_bound_of_its_own(
    ringyard: Callable[..., Any], tmp_path: Path
) -> None:
    plan, proof = tmp_path / "plan.json", tmp_path / "proof.jsonl"
    words = ("bound", "tiresias-example", "--metric", "makespan_s")
    found = ringyard(*words, "--certificate", proof)
    assert found.code == 0
    assert found.out.startswith("tiresias-example: makespan_s at least 12 s\n")
    assert ringyard(*words, "--json").json["bound"] == 12
    ringyard("solve", "tiresias-example", "--out", plan)
    done = ringyard("check", "tiresias-example", plan, proof)
    assert done.code == 0
    assert "accepted: makespan_s at least 12 s\n  line 2, last end: at least 12\n" in done.out
    gap = 1 - 12 / ringyard("solve", "tiresias-example", "--json").json["makespan_s"]
    assert f"not proved optimal: {100 * gap:.2f} %" in done.out


def test_metrics_without_bounds_and_options_without_sense_are_refused(
    ringyard: Callable[..., Any],
) -> None:
    unknown = ringyard("bound", "tiresias-example", "--metric", "utilisation", "--time-limit", "1")
    assert unknown.code == 2
    assert "--metric: found 'utilisation', expected one of makespan_s" in unknown.err
    assert "--time-limit: found 1" in unknown.err
    nowhere = ringyard("bound", "hand-lpt", "--metric", "makespan_s")
    assert nowhere.code == 2
    assert "no metric of `makespan` has bounds" in nowhere.err
