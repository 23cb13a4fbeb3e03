"""Tables of the page as data: every value once, and nothing lost."""

from typing import Any

import pytest

from ringyard.analysis.report.grid import Grid, GridColumn, packed


def unpacked(column: dict[str, Any], count: int) -> list[Any]:
    """Return the values that the page's script reads from a packed column."""
    if "of" in column:
        return [column["of"][place] for place in column["at"]]
    return column.get("values", [column.get("all")] * count)


def pack(*values: Any, form: Any = "text") -> dict[str, Any]:
    """Pack one column."""
    columns = (GridColumn(name="c", values=values, form=form),)
    return packed(Grid(name="g", about="a grid", columns=columns))["columns"][0]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (("a",) * 5, "all"),
        (("a", "b", "a", "a", None, "b"), "of"),
        ((1, 2, 3, None, 5), "values"),
        ((None, None), "all"),
    ],
)
def test_the_smallest_form_is_taken_and_gives_the_values_back(
    values: tuple[Any, ...], kind: str
) -> None:
    column = pack(*values, form="number")
    assert kind in column
    assert unpacked(column, len(values)) == list(values)


def test_zero_and_no_value_are_told_apart() -> None:
    assert unpacked(pack(0, None, 0, None, form="number"), 4) == [0, None, 0, None]


def test_measured_times_lose_digits_and_objectives_do_not() -> None:
    value = 123.45678901234567
    assert pack(value, form="seconds")["all"] == 123.457
    assert pack(value, form="number")["all"] == value


def test_control_characters_are_shown_as_escapes() -> None:
    assert pack("a\nb\u2028c\x00")["all"] == r"a\nb\u2028c\x00"


def test_truth_is_written_in_words() -> None:
    assert unpacked(pack(True, False, True, True), 4) == ["yes", "no", "yes", "yes"]


def test_columns_that_are_empty_in_all_rows_are_left_out() -> None:
    columns = (
        GridColumn(name="method", values=["a", "b"]),
        GridColumn(name="gap", values=[None, None], form="percent"),
        GridColumn(name="remark", values=["", None]),
        GridColumn(name="zero", values=[0, 0], form="count"),
        GridColumn(name="note", values=[None, None], shown=False),
    )
    kept = packed(Grid(name="g", about="a grid", columns=columns))["columns"]
    assert [one["name"] for one in kept] == ["method", "zero", "note"]
