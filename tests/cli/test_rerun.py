"""`ringyard corpus rerun`: an engine's column again, beside the runs that are kept."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ringyard.cli.corpus import rerun
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
    assert found.json["newly_wrong"] == found.json["moved"] == []
    again = ringyard(*WORDS, "--out", out)
    assert again.code == 0
    assert "no answer is newly wrong" in again.out


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
    assert "newly WRONG: hand-area.linearised.h6, order 0: claims the bound" in found.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("corpus", "rerun", "glp"), "Did you mean"),
        (
            ("corpus", "rerun", "glop", "--only", "hand-area.linearised.h6"),
            "a pattern that matches",
        ),
        (("corpus", "rerun", "glpk", "--seeds", 0), "--seeds"),
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
