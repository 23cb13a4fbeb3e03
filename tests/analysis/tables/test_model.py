"""Which numbers are best, in which rows, and what a table refuses."""

import pytest

from ringyard.analysis.intervals import Interval, student
from ringyard.analysis.tables.model import Cell, Column, Table, cell_text, decimals, value_decimals


def best(*numbers: Cell, direction: str = "min", digits: int = 1) -> list[int]:
    """Return which rows of a column are best."""
    column = Column(head="x", digits=digits, best=direction)  # type: ignore[arg-type]
    table = Table(caption="", columns=(column,), rows=tuple((number,) for number in numbers))
    return sorted(i for i, _ in table.best())


def test_the_least_or_the_greatest_is_best() -> None:
    assert best(3, 1, 2) == [1]
    assert best(3, 1, 2, direction="max") == [0]


def test_numbers_that_are_shown_equal_are_equally_best() -> None:
    assert best(1.04, 1.01, 1.06) == [0, 1]
    assert best(1.04, 1.01, 1.06, digits=2) == [1]


def test_nothing_is_best_where_all_are_equal_or_alone() -> None:
    assert best(1, 1) == best(1) == best() == best(1, None, "killed") == []


def test_texts_gaps_and_infinities_are_never_best() -> None:
    assert best(None, "0", float("-inf"), float("nan"), 7, 8) == [4]


def test_an_interval_counts_by_its_mean() -> None:
    assert best(student([1, 3]), 2.5) == [0]


def test_the_best_is_sought_in_each_group() -> None:
    rows = (("a", 1), ("a", 2), ("b", 5), ("b", 4))
    columns = (Column(head="g", digits=None), Column(head="x", best="min"))
    grouped = Table(caption="", columns=columns, rows=rows, shared=1)
    assert list(grouped.groups()) == [[0, 1], [2, 3]]
    assert grouped.best() == {(0, 1), (3, 1)}
    assert Table(caption="", columns=columns, rows=rows).best() == {(0, 1)}


@pytest.mark.parametrize(
    ("value", "text"),
    [(-0.4, "0"), (-0.6, "-1"), (1234567, "1234567"), (0.5, "0"), (1e22, "1e+22"), (None, "-")],
)
def test_numbers_are_rounded_without_a_minus_before_zero(value: Cell, text: str) -> None:
    assert cell_text(value, 0) == text


def test_an_interval_keeps_its_order() -> None:
    found = Interval(mean=-1.0, low=-2.0, high=-0.2, count=3)
    assert cell_text(found, 0) == "-1 (-2 to 0)"
    assert cell_text(student([2.25]), 1) == "2.2"


def test_a_row_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="2 cells for 1"):
        Table(caption="", columns=(Column(head="x"),), rows=((1, 2),))


@pytest.mark.parametrize(
    ("cells", "digits"),
    [
        ([], 0),
        ([3, 4.0, None, "none", student([5.0]), student([2, 2])], 0),
        ([3, 4.5], 1),
        ([student([1, 3])], 1),
        ([float("inf"), 2], 1),
    ],
)
def test_whole_numbers_have_no_decimals(cells: list[Cell], digits: int) -> None:
    assert decimals(cells, 1) == digits


def test_small_objectives_have_four_digits() -> None:
    assert value_decimals([0.3049, 0.3046, None]) == 4
    assert value_decimals([0.0778]) == 5
    assert value_decimals([1.2422, 0.3, 2.5]) == 3
    assert value_decimals([120.25, 0.3, 98.5]) == 1, "most are large"
    assert value_decimals([3, 1]) == value_decimals([]) == value_decimals(["killed"]) == 0
