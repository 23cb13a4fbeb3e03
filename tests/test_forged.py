"""A sample of `benchmarks/forged.py`, and that it notices a rule which proves too much."""

import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from ringyard.analysis.check.certificates import checking
from ringyard.families import FAMILIES

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))

import forged
from forged_instances import SOURCES
from forgeries import FORGERIES

KINDS = list(SOURCES)


@pytest.mark.parametrize(
    "kind", [pytest.param(k, marks=[pytest.mark.slow] if k == "fleet" else []) for k in KINDS]
)
@pytest.mark.parametrize("index", [4, pytest.param(5, marks=pytest.mark.slow)])
def test_nothing_follows_beyond_the_best(kind: str, index: int) -> None:
    row = forged.examine(kind, 7, index, 60)
    assert row["faults"] == []
    assert row["counts"].total() == 60
    assert row["proofs"]


def beyond(rule: Callable[..., Fraction], by: int) -> Callable[..., Fraction]:
    """Return a rule from which more follows than does."""
    return lambda instance, step: rule(instance, step) + by


@pytest.mark.parametrize(("kind", "by"), [("makespan", 1), ("reserved", -1)])
def test_a_rule_that_proves_too_much_is_found(
    kind: str, by: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    family = FAMILIES[kind]
    wrong = {name: beyond(rule, by) for name, rule in (family.proofs or {}).items()}
    monkeypatch.setattr(
        checking, "family_of", lambda _: SimpleNamespace(proofs=wrong, maximize=family.maximize)
    )
    monkeypatch.setattr(forged, "OUT", tmp_path)
    row = forged.examine(kind, 0, 0, 40)
    assert any("beyond" in fault for fault in row["faults"])
    assert [path.name for path in tmp_path.iterdir()] == [f"forged-{kind}-0-0.json"]


def test_what_a_rule_raises_is_a_fault(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls = iter(range(100))
    right = forged.check_certificate

    def broken(*given: Any) -> Any:
        if next(calls) > 10:
            raise ZeroDivisionError
        return right(*given)

    monkeypatch.setattr(forged, "OUT", tmp_path)
    monkeypatch.setattr(forged, "check_certificate", broken)
    row = forged.examine("coded", 0, 0, 30)
    assert any("ZeroDivisionError" in fault for fault in row["faults"])
    assert any(key.endswith("|false|raised") for key in row["counts"])


def test_no_forgery_changes_the_proofs_that_are_at_hand() -> None:
    proved = forged.of("shuffle", 3, 1)
    own = [forged._lines(text) for text in proved.proofs]
    by = forged.Forger(
        rng=Random(1),
        best=proved.best,
        side=1,
        names=(),
        rules=("orders",),
        own=own,
        others=own,
    )
    for _ in range(300):
        forged.forged(by.rng.choice(own), by)
    assert own == [forged._lines(text) for text in proved.proofs]


def test_the_tables_count_every_forgery_once() -> None:
    rows = [forged.examine(kind, 3, 0, 20) for kind in ("coded", "shuffle")]
    lines = list(forged.tables(rows))
    assert lines[4].startswith("| all | | 2 |")
    assert "| 40 |" in lines[4]
    by_forgery = lines[8 : 8 + len(FORGERIES)]
    assert sum(int(line.split("|")[2]) for line in by_forgery) == 40


def test_case_k_of_a_seed_is_the_same_everywhere() -> None:
    first = forged.examine("shuffle", 3, 1, 30)
    forged.of.__globals__["_of"].cache_clear()
    second = forged.examine("shuffle", 3, 1, 30)
    assert first["counts"] == second["counts"]
