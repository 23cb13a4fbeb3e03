"""`ringyard reproduce federated`: rounds and their seconds, put together by share."""

from typing import Any

import pytest

from ringyard.campaigns.reproductions import Settings
from ringyard.campaigns.runs import Run
from ringyard.papers import federated

ROUNDS = {"0.04": 40, "0.125": 30, "0.25": 25, "0.5": 21, "1": 20}


def made_up(run: Run) -> dict[str, Any]:
    """Return a row of a round that takes two seconds for each client."""
    row = {"instance": run.instance.name, "method": run.method, "valid": True}
    row |= {"certificate": "made up", "bound_kind": "combinatorial"}
    return {**row, "objective": 2 * len(run.instance.jobs), "bound": len(run.instance.jobs)}


def test_time_to_the_aim_is_rounds_by_their_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(federated, "rounds_to_aim", lambda share, *_: ROUNDS[share])
    found = federated.report(Settings(seeds=3, points=5), made_up)
    rows = found.tables["participation"].rows
    assert [row[2] for row in rows] == [1, 3, 6, 12, 24]
    assert [row[6].mean for row in rows] == [
        2 * n * r for n, r in zip((1, 3, 6, 12, 24), ROUNDS.values(), strict=True)
    ]
    assert [row[7] for row in rows] == [row[6].mean for row in rows], "two models for each client"
    assert {row[5] for row in rows} == {2}
    assert [row[9].mean for row in rows[:4]] == pytest.approx([2, 1.5, 1.25, 1.05])
    assert [row[10].low for row in rows[:4]] == pytest.approx([n / 24 for n in (1, 3, 6, 12)])
    assert rows[4][9:] == (None, None)
    assert found.statements == (
        "as it is: up to 2.00 (2.00 to 2.00) times as many rounds as with all clients",
        "as it is, step / 4: up to 2.00 (2.00 to 2.00) times as many",
        "as it is: soonest at the aim with 4 % of the clients",
    )


def test_a_training_with_all_clients_is_over_within_rounds() -> None:
    assert federated.HELD <= federated.rounds_to_aim("1", 1) < federated.MOST
