"""Damaged folders are read by every command; hundreds of them by a command of `benchmarks/`."""

import sys
from pathlib import Path
from random import Random

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import damage
from damages import DAMAGES


@pytest.mark.slow
@pytest.mark.parametrize("index", [1, 2, 3])
def test_a_damaged_folder_is_read_as_far_as_it_goes(index: int) -> None:
    assert damage.one(index)["faults"] == []


@pytest.mark.slow
def test_what_is_not_noticed_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where every digest is right, edited rows are handed over, and that is found."""
    damage.base()
    monkeypatch.setattr("ringyard.campaigns.journal.seal", lambda _: "")
    monkeypatch.setattr("ringyard.campaigns.journal._MARK", b"no such mark")
    monkeypatch.setattr(damage, "DAMAGES", {"one": DAMAGES["objective edited"]})
    monkeypatch.setattr(Random, "choice", lambda _, some: some[0])
    index = next(i for i in range(1, 99) if Random(i).randrange(3))
    assert "journal: hands over a row that was not written so" in damage.one(index)["faults"]
