"""One line per method, over the same cases, and a reason for every number that is missing."""

from typing import Any

from ringyard.analysis.report.tables import comparable, summaries
from ringyard.analysis.sources import Sources

from .made import many_rows, report_of, row


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


def test_a_method_that_shares_no_case_has_counts_and_the_page_says_so() -> None:
    rows = [row(), row(seed=1), row(method="alike"), row(method="other", digest="e" * 64)]
    found, remarks = lines(rows)
    assert {name: line["runs"] for name, line in found.items()} == {
        "sjf-bco": 2, "alike": 1, "other": 1,
    }  # fmt: skip
    assert found["other"]["seconds"] is None
    assert found["alike"]["own"] is not None
    assert found["sjf-bco"]["cases"] == 1
    assert "makespan: no means of other: no case in common with the other methods" in remarks


def test_a_run_that_was_made_again_counts_once() -> None:
    old = row(key="old", code="before", status="optimal", seconds=1.0)
    new = row(key="new", code="after", seconds=2.0, started="2026-02-02T00:00:00.000Z")
    for rows in ([old, new], [new, old]):
        found, remarks = lines(rows)
        assert (found["sjf-bco"]["runs"], found["sjf-bco"]["solved"]) == (1, 0)
        assert "makespan: 1 runs that were repeated later are left out" in remarks


def test_methods_with_different_limits_have_counts_and_a_reason() -> None:
    rows = [row(), row(method="other", time_limit=5.0)]
    found, remarks = lines(rows)
    assert {line["runs"] for line in found.values()} == {1}
    assert {line["seconds"] for line in found.values()} == {None}
    assert any(text.startswith("makespan: no means: ") for text in remarks)


def test_cases_that_a_method_did_not_run_are_counted_as_left_out() -> None:
    rows = [row(), row(method="other"), row(seed=1)]
    _, remarks = lines(rows)
    assert any("(1 left out)" in text for text in remarks)


def test_families_are_not_mixed() -> None:
    rows = [row(), row(method="fifo", family="online", sense="max", digest="e" * 64)]
    found, _ = lines(rows)
    assert [found[name]["family"] for name in ("sjf-bco", "fifo")] == ["makespan", "online"]
    assert {line["cases"] for line in found.values()} == {1}


def test_a_campaign_of_bounds_alone_has_no_lines() -> None:
    found, _ = lines([row(method="bound", valid=False, objective=None)])
    assert found == {}


def test_means_and_profiles_use_all_seeds_beside_a_method_that_draws_no_lots() -> None:
    lots = [row(method="lots", seed=seed, status="optimal") for seed in range(3)]
    rows = [*lots, row(method="plain", status="optimal")]
    report = report_of(rows, Sources(random=lambda run: run["method"] == "lots"))
    (cases,) = [one.values for one in report.methods.columns if one.name == "cases"]
    assert cases == [3, 3]
    assert not report.remarks
    profiles = [one.svg for one in report.figures if "share of cases" in one.caption]
    assert len(profiles) == 2
    assert all("over the 3 of 3 cases" in svg for svg in profiles)


def test_a_method_that_draws_no_lots_shares_the_seeds_of_the_others() -> None:
    rows = [row(method="lots", seed=1), row(method="lots", seed=2), row(method="plain")]
    assert comparable(rows, {"plain"}) == (rows, [])
    assert comparable(rows, ()) == (rows[:2], ["plain"])


def test_a_run_that_only_bounds_counts_for_the_ratio() -> None:
    alone = row(bound=None, bound_kind="none", objective=24)
    bounds = row(method="bound", status="unknown", valid=False, objective=None, bound=12)
    found, remarks = lines([alone, bounds])
    assert found["sjf-bco"]["ratio"] == 2
    assert not remarks
