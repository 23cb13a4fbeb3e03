"""One line per method, over the same cases, and a reason for every number that is missing."""

from typing import Any

from ringyard.analysis.report.summary import summaries

from .made import many_rows, row


def lines(rows: list[Any]) -> tuple[dict[str, dict[str, Any]], tuple[str, ...]]:
    """Return the lines by method, and the remarks."""
    grid, remarks = summaries(rows)
    table = [{c.name: c.values[i] for c in grid.columns} for i in range(grid.count)]
    return {line["method"]: line for line in table}, remarks


def test_counts_and_means_of_every_method() -> None:
    found, _ = lines(list(many_rows(500)))
    assert len(found) == 5
    for line in found.values():
        assert line["runs"] == 100
        assert line["valid"] + line["failed"] == 100
        assert line["cases"] == 100
        assert 0 < line["seconds"] <= 60
        assert line["ratio"] >= 1
    assert min(line["scaled"] for line in found.values()) == 1


def test_without_common_cases_there_are_counts_and_a_reason() -> None:
    rows = [row(), row(method="other", digest="e" * 64)]
    found, remarks = lines(rows)
    assert {line["runs"] for line in found.values()} == {1}
    assert {line["seconds"] for line in found.values()} == {None}
    assert any("makespan: no means, since" in remark for remark in remarks)


def test_cases_that_a_method_did_not_run_are_counted_as_left_out() -> None:
    rows = [row(), row(method="other"), row(seed=1)]
    _, remarks = lines(rows)
    assert any("1 cases that some method did not run are left out" in text for text in remarks)


def test_families_are_not_mixed() -> None:
    rows = [row(), row(method="fifo", family="online", sense="max", digest="e" * 64)]
    found, _ = lines(rows)
    assert [found[name]["family"] for name in ("sjf-bco", "fifo")] == ["makespan", "online"]
    assert {line["cases"] for line in found.values()} == {1}


def test_a_campaign_of_bounds_alone_has_no_lines() -> None:
    found, _ = lines([row(method="bound", valid=False, objective=None)])
    assert found == {}
