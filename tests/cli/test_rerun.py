"""`ringyard corpus rerun`: an engine's column again, beside the runs that are kept."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ringyard.cli.corpus import rerun
from ringyard.engines import kept
from ringyard.engines.engine import LIMIT_S, ORDERS
from ringyard.papers.reproductions import REPRODUCTIONS

Ringyard = Callable[..., Any]

WORDS = ("corpus", "rerun", "glpk", "--only", "hand-area.linearised.*", "--seeds", 1)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for the rows: a rerun goes on with what another has done."""
    return tmp_path_factory.mktemp("rerun")


def test_nothing_has_changed(ringyard: Ringyard, out: Path) -> None:
    found = ringyard(*WORDS, "--out", out, "--json")
    assert found.code == 0
    before, now = found.json["ends"]
    assert before["runs"] == now["runs"] == now["solved"] == 1
    assert found.json["newly_contradicted"] == found.json["moved"] == []
    again = ringyard(*WORDS, "--out", out)
    assert again.code == 0
    assert "no answer is newly contradicted" in again.out


def test_a_wrong_answer_is_an_exit_code(
    ringyard: Ringyard, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lied(solver: str, before: Any, now: list[dict[str, Any]], programs: Any) -> Any:
        wrong = [row | {"bound": row["objective"] + 1, "key": "other"} for row in now]
        return real(solver, before, wrong, programs)

    real = rerun.upgrade
    monkeypatch.setattr(rerun, "upgrade", lied)
    found = ringyard(*WORDS, "--out", out)
    assert found.code == 1
    assert "newly contradicted: hand-area.linearised.h6, order 0: claims the bound" in found.out


def test_runs_are_kept_in_the_place_of_older_ones(
    ringyard: Ringyard, out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here an older run that took 99 s, and one of another version in another order."""
    before = kept.kept_rows()
    (own,) = [row for row in before if case(row) == ("glpk", "hand-area.linearised.h6", 0)]
    others = [row for row in before if row["method"] == "scip"][:3]
    file = tmp_path / "runs.jsonl.gz"
    file.write_bytes(kept.packed([own | {"seconds": 99.0}, *others]))
    monkeypatch.setattr(kept, "KEPT", file)
    assert ringyard(*WORDS, "--out", out, "--keep").code == 0
    now = {case(row): row for row in kept.kept_rows()}
    assert now.keys() == {case(row) for row in (own, *others)}
    assert now[case(own)]["seconds"] < 99.0
    assert all(now[case(row)] == row for row in others)

    file.write_bytes(kept.packed([own | {"seed": 1, "solver_version": "0.1"}, *others]))
    text = file.read_bytes()
    refused = ringyard(*WORDS, "--out", out, "--keep")
    assert refused.code == 2
    assert "expected runs of one version" in refused.err
    assert file.read_bytes() == text


def case(row: dict[str, Any]) -> tuple[str, str, int]:
    return row["method"], row["instance"], row["seed"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("corpus", "rerun", "glp"), "Did you mean"),
        (
            ("corpus", "rerun", "glop", "--only", "hand-area.linearised.h6"),
            "a pattern that matches",
        ),
        (("corpus", "rerun", "glpk", "--seeds", 0), "--seeds"),
        ((*WORDS, "--keep", "--time-limit", 1), "no --time-limit"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    ringyard: Ringyard, words: tuple[Any, ...], said: str
) -> None:
    found = ringyard(*words)
    assert found.code == 2
    assert said in found.err


def test_a_rerun_asks_as_the_comparison_does() -> None:
    (solvers,) = (one for one in REPRODUCTIONS if one.name == "solvers")
    assert (solvers.settings.seeds, solvers.settings.time_limit) == (ORDERS, LIMIT_S)
