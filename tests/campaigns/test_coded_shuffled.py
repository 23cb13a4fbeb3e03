"""`ringyard reproduce coded` and `shuffle`: what is said follows from what was computed."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from ringyard.analysis.coded.simulated import Decoded
from ringyard.analysis.shuffle import Tried
from ringyard.analysis.tables import to_markdown
from ringyard.campaigns.reproductions import Settings
from ringyard.papers import coded, shuffle
from ringyard.papers.claims.measured import MeasuredParts
from ringyard.papers.claims.other_papers import CODED
from ringyard.papers.claims.verdicts import ClaimVerdict

FEW = Settings(seeds=1, points=2)


def ruled(folder: Path) -> ClaimVerdict:
    """Return the verdict on expected times by what a small report left."""
    (folder / "coded").mkdir(exist_ok=True)
    table = to_markdown(coded.report(FEW).tables["times"])
    (folder / "coded" / "times.md").write_text(table, encoding="utf-8")
    decider = CODED[0][2]
    return decider.ruled(MeasuredParts(out=folder)).verdict


@pytest.mark.parametrize(("factor", "coded_too"), [(1.02, True), (1.02, False)])
def test_simulated_times_decide_the_claim(
    factor: float, coded_too: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A formula that is 2 % off is found, be it the one with codes or the one without."""
    assert ruled(tmp_path) is ClaimVerdict.REPRODUCED
    exact = coded.times_by_parts

    def wrong(one: Any) -> Any:
        times = exact(one).copy()
        times[None if coded_too else -1] *= factor
        return times

    monkeypatch.setattr(coded, "times_by_parts", wrong)
    assert ruled(tmp_path) is ClaimVerdict.DIFFERS


@pytest.mark.parametrize("whole", [True, False])
def test_the_simulated_mean_is_near_the_formula(whole: bool) -> None:
    """Within two intervals: the expected time of what is simulated is the exact one."""
    for point in map(coded.CodedPoint, (10, 100)):
        parts = point.workers if whole else point.parts
        found = point.simulated(parts)
        assert found is not None
        assert abs(found.mean - point.times[parts - 1]) < 2 * (found.high - found.low)
        assert 1 < point.gain < point.most


def test_codes_are_fine_where_their_error_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    def made(k: int, _: int) -> dict[str, Decoded]:
        fine, lost = Decoded(error=1e-7, condition=1.0, same=False), k > 5
        return {"a": replace(fine, error=1e-5) if lost else fine, "b": fine}

    monkeypatch.setattr(coded, "_decoded", made)
    *_, said = coded.report(FEW).statements
    assert said.endswith(", not with every code: a only for k = 5, b for every k")
    *_, said = coded.report(replace(FEW, points=1)).statements
    assert "at most 1e-06, with every code: a for every k" in said


def test_rows_that_are_not_decoded_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    first, _, good = shuffle.report(FEW).statements
    assert first.endswith("at all points")
    assert "all rows decoded, in 2 of 2 epochs, with 1." in good

    def wrong(*given: Any) -> list[Tried]:
        return [
            replace(one, executed=replace(one.executed, wrong=("w0",))) for one in tried(*given)
        ]

    tried = shuffle.tried
    monkeypatch.setattr(shuffle, "tried", wrong)
    *_, bad = shuffle.report(FEW).statements
    assert "not all rows decoded, in 0 of 2 epochs" in bad


def test_a_wrong_closed_form_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = shuffle.coded_rate
    monkeypatch.setattr(shuffle, "coded_rate", lambda one: exact(one) * Fraction(1000, 1001))
    first, *_ = shuffle.report(FEW).statements
    assert first.endswith("at 0 of 4 points")
