"""`kill -9` at random moments; the whole campaign of kills is a command of `benchmarks/`."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import kills


@pytest.mark.slow
def test_killed_campaigns_lose_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kills._reference.cache_clear()
    monkeypatch.setattr(kills, "CAMPAIGN", kills.CAMPAIGN.replace("small-0*", "small-0[345]*"))
    monkeypatch.setattr(sys, "argv", ["kills.py", "3", "2"])
    assert kills.main() == 0
    said = capsys.readouterr().out
    assert said.startswith("3 kills")
    assert "none lost, doubled or unreadable" in said
