"""`ringyard reproduce oasis`: sums over sums, and points with intervals in the paper's range."""

from typing import Any

import pytest

from ringyard.campaigns.reproductions import Settings
from ringyard.campaigns.runs import Run
from ringyard.papers.oasis import METHOD, report

SETTINGS = Settings(seeds=3, points=1)


def rows_of(worth: list[float], best: float) -> Any:
    """Return rows in which OASiS is worth so much on each seed."""

    def row(run: Run) -> dict[str, Any]:
        value = best if run.method != METHOD else worth[int(run.instance.name[-1])]
        return {"valid": True, "objective": value, "status": "optimal"}

    return row


@pytest.mark.parametrize(("worth", "near"), [(90, 1), (91, 0), (67, 1), (66, 0)])
def test_points_in_the_range_of_the_paper_are_found(worth: float, near: int) -> None:
    """Without chance the interval is the ratio: 100 / 91 is below 1.1, and 100 / 66 above 1.5."""
    found = report(SETTINGS, rows_of([worth] * 3, 100.0))
    (line,) = found.tables["ratio"].rows
    assert line[2].low == pytest.approx(100 / worth)
    (said,) = found.statements
    assert f"at {near} of 1 settings" in said
    assert said.endswith(": 2 machines and 1 epochs") == bool(near)


def test_an_instance_that_is_worth_nothing_counts_and_a_wide_interval_is_not_in_the_range() -> None:
    """300 / 240 is 1.25, but from 0, 120 and 120 the sum may be anything."""
    found = report(SETTINGS, rows_of([0.0, 120.0, 120.0], 100.0))
    (line,) = found.tables["ratio"].rows
    assert line[2].mean == pytest.approx(300 / 240)
    assert line[3:] == (pytest.approx(100 / 120), 1.0, 3.0)
    assert "at 0 of 1 settings" in found.statements[0]
