"""The matrix of instances and methods."""

from typing import Any

from ringyard.analysis.report.grid import GridColumn
from ringyard.analysis.report.tables import matrices

from .made import row


def columns(
    rows: list[dict[str, Any]], measure: str, family: str = "makespan"
) -> dict[str, GridColumn]:
    """Return the columns of a matrix by name."""
    grids = {grid.name: grid for grid in matrices(rows)[family]}
    return {column.name: column for column in grids[f"{family}-{measure}"].columns}


def test_a_cell_is_the_median_of_the_valid_runs() -> None:
    rows = [row(seed=i, objective=value) for i, value in enumerate([30, 10, 20])]
    rows.append(row(seed=3, valid=False, status="crashed", objective=None))
    assert columns(rows, "objective")["sjf-bco"].values == [20]


def test_a_cell_without_a_schedule_says_what_happened() -> None:
    lost = {"valid": False, "objective": None, "gap": None, "bound": None, "bound_kind": None}
    rows = [row(), row(method="other", status="timed out", **lost)]
    assert columns(rows, "objective")["other"].values == ["timed out"]
    assert columns(rows, "seconds")["other"].values == ["timed out"]


def test_what_was_not_run_is_left_blank() -> None:
    rows = [row(), row(method="other", instance="second", digest="e" * 64)]
    assert columns(rows, "objective")["other"].values == [None, 24]


def test_the_best_of_a_row_is_bold_ties_included_and_alone_is_not() -> None:
    rows = [
        row(method="a", objective=20),
        row(method="b", objective=20),
        row(method="c", objective=30),
        row(method="a", objective=5, digest="e" * 64),
    ]
    found = columns(rows, "objective")
    assert [found[name].best for name in "abc"] == [{0}, {0}, frozenset()]


def test_much_is_good_where_the_sense_says_so() -> None:
    rows = [row(method="a", objective=20, sense="max"), row(method="b", objective=30, sense="max")]
    found = columns(rows, "objective")
    assert [found[name].best for name in "ab"] == [frozenset(), {0}]


def test_the_gap_is_to_the_best_certified_bound_of_any_run() -> None:
    lost = {"valid": False, "objective": None, "gap": None}
    rows = [
        row(objective=24, bound=12),
        row(method="bound", bound=18, bound_kind="dual", status="unknown", **lost),
        row(method="liar", bound=24, bound_kind="solver", objective=24),
    ]
    found = columns(rows, "gap")
    assert found["sjf-bco"].values == [0.25]
    assert found["liar"].values == [0.25]
    assert "bound" not in found


def test_families_have_matrices_of_their_own() -> None:
    rows = [row(), row(family="online", method="fifo", sense="max", digest="e" * 64)]
    assert set(matrices(rows)) == {"makespan", "online"}
    assert "fifo" not in columns(rows, "objective")
