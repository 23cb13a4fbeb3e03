"""What a report says of theorems: counts from runs, and an error where a proof fails."""

from dataclasses import replace
from fractions import Fraction

import pytest

from ringyard.analysis.guarantees import FactorVerdict, all_guarantees
from ringyard.campaigns.reproductions import Settings
from ringyard.campaigns.verifying.theorems import VerifiedRuns, verify
from ringyard.instances.catalogue import load
from ringyard.papers import guarantees
from ringyard.run import ContradictionError


@pytest.mark.slow
def test_chunks_in_processes_are_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = guarantees.findings(["gang-lpt"], 4)
    monkeypatch.setattr(guarantees, "CHUNK", 2)
    parts = guarantees.findings(["gang-lpt"], 4)
    assert parts.ratios == whole.ratios
    assert parts.tallies["any-order"].points == whole.tallies["any-order"].points


def test_tables_count_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    found = VerifiedRuns()
    found.add(verify(load("hand-theorem5"), ["sjf-bco"]))
    monkeypatch.setattr(guarantees, "findings", lambda *_: found)
    report = guarantees.report(Settings(seeds=1))
    rows = {row[0]: row[1:] for row in report.tables["theorems"].rows}
    assert rows["theorem-5"][:3] == (0, 1, 0)
    assert rows["ascending"][:3] == (1, 0, 0)
    assert [row[:2] for row in report.tables["schedulers"].rows] == [("sjf-bco", 1)]
    assert report.statements[0].startswith("schedulers: 1 runs end with a schedule, some")


def test_a_proved_theorem_that_fails_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    proved = next(one for one in all_guarantees() if one.name == "ascending")
    row = verify(load("hand-theorem5"), ["sjf-bco"])[0]
    wrong = replace(row, guarantee=proved, factor=Fraction(1), verdict=FactorVerdict.VIOLATED)
    found = VerifiedRuns()
    found.add([wrong])
    monkeypatch.setattr(guarantees, "findings", lambda *_: found)
    with pytest.raises(ContradictionError, match="sjf-bco refutes ascending, which is proved"):
        guarantees.report(Settings(seeds=1))
