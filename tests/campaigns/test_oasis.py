"""`ringyard reproduce oasis`: sums over sums, and points in the range of the paper are named."""

from typing import Any

import pytest

from ringyard.campaigns.reproductions import Settings
from ringyard.campaigns.runs import Run
from ringyard.papers.oasis import METHOD, report


def rows_of(worth: float, best: float) -> Any:
    """Return rows in which OASiS is worth so much, and nothing on the first seed."""

    def row(run: Run) -> dict[str, Any]:
        value = best if run.method != METHOD else 0.0 if run.instance.name.endswith("s0") else worth
        return {"valid": True, "objective": value, "status": "optimal"}

    return row


@pytest.mark.parametrize(("worth", "near"), [(100, 1), (99, 0), (136, 1), (137, 0)])
def test_points_in_the_range_of_the_paper_are_found(worth: float, near: int) -> None:
    """On three seeds, one of which is worth nothing: 300 / 200 is 1.5, 300 / 274 is below 1.1."""
    settings = Settings(seeds=3, points=1)
    found = report(settings, rows_of(worth, 100.0))
    (line,) = found.tables["ratio"].rows
    assert line[2] == pytest.approx(3 * 100 / (2 * worth))
    assert line[3:] == (pytest.approx(100 / worth), 1.0, 3.0)
    (said,) = found.statements
    assert f"at {near} of 1 settings" in said
    assert said.endswith(": 2 machines and 1 epochs") == bool(near)
