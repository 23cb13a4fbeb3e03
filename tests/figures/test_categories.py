"""Figures over categories: lengths stand for values, and words can be read."""

from typing import Any

import pytest
from figures.painted import assert_readable, names, points

from ringyard.analysis.figures.canvas import finished, svg_text
from ringyard.analysis.figures.categories import (
    CHANGES,
    Kind,
    Value,
    by_name,
    category_figure,
    over,
)
from ringyard.analysis.intervals import Interval, student

WORDS = ("small", "large <&>", "huge")


def chart(kind: Kind, *values: Value, panels: int = 1) -> Any:
    made, row = category_figure("values", *[("size", WORDS, "slots")] * panels)
    for axes in row:
        over(axes, kind, values, kind)
    return finished(made)


def intervals(axes: Any) -> list[Any]:
    """Return the ends of each interval."""
    return [line.get_segments()[0] for one in axes.containers[1:] for line in one.lines[2]]


def test_bars_are_as_long_as_their_values() -> None:
    (axes,) = chart("bars", 10.0, 20.0, 35.0).axes
    assert [bar.get_height() for bar in axes.patches] == [10, 20, 35]
    assert {bar.get_y() for bar in axes.patches} == {0}
    assert [text.get_text() for text in axes.texts] == ["10", "20", "35"]


def test_intervals_are_drawn_to_scale_and_fit() -> None:
    value = student([1, 2, 3])
    (axes,) = chart("bars", value, 2.0, None).axes
    ((low, high),) = intervals(axes)
    # The lower end, -0.5, is cut at 0; the upper one is 4.484.
    assert tuple(low) == (0, 0)
    assert tuple(high) == pytest.approx((0, value.high))
    assert axes.get_ylim()[0] == 0
    assert axes.get_ylim()[1] > value.high


def test_what_is_missing_is_not_drawn() -> None:
    assert points(chart("marks", None, 5.0, None), "marks") == [(1, 5)]


@pytest.mark.parametrize("kind", CHANGES)
@pytest.mark.parametrize("panels", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_words_can_be_read(kind: Kind, panels: int) -> None:
    made = chart(kind, 1.0, 3.0, 2.0, panels=panels)
    assert names(made) == [kind]
    assert_readable(made)
    assert "large &lt;&amp;&gt;" in svg_text(made)


@pytest.mark.parametrize("panels", [1, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 3))])
@pytest.mark.parametrize("kind", ["bars", "line"])
def test_many_long_names_lean_instead_of_touching(kind: Kind, panels: int) -> None:
    long = [f"a policy with a rather long name {i}" for i in range(9)]
    made, row = category_figure("values", *[("policy", long, "mean completion time, s")] * panels)
    for axes in row:
        over(axes, kind, [1e4 * (i + 1) for i in range(9)], kind)
    assert_readable(finished(made))
    assert {label.get_rotation() for label in row[0].get_xticklabels()} == {30}
    assert row[0].get_xticklabels()[0].get_text() == "a policy with a rather …"


def test_uncertain_lines_stand_side_by_side() -> None:
    made, [axes] = category_figure("values", ("size", WORDS, "slots"))
    same: list[Interval] = [student([1, 2, 3])] * 3
    by_name(axes, dict.fromkeys(WORDS, same), "line")
    places = {x for name in WORDS for x, _ in points(made, name)}
    assert len(places) == 9
    assert all(abs(x - round(x)) < 0.3 for x in places)


def test_a_level_line_runs_across() -> None:
    made, [axes] = category_figure("values", ("size", WORDS, "slots"))
    over(axes, "least", [4.0, 4.0, 4.0], "dashed")
    over(axes, "bars", [9.0, 9.0, 9.0], "bars")
    assert points(made, "least") == [(-0.5, 4), (2.5, 4)]
    assert axes.lines[0].get_linestyle() == "--"


def test_panels_share_one_scale_from_0() -> None:
    _, row = category_figure("values", *[("size", ["a"], "slots")] * 2)
    for axes, value in zip(row, (40.0, 10.0), strict=True):
        over(axes, "bars", [value], "bars")
    assert row[0].get_ylim() == row[1].get_ylim()
    assert row[0].get_ylim()[0] == 0
    assert row[0].get_ylim()[1] >= 40


def test_the_legend_counts_series_that_are_not_shown() -> None:
    made, [axes] = category_figure("values", ("size", WORDS, "slots"))
    by_name(axes, {f"policy {i}": [1.0, 2.0, i] for i in range(10)}, "line")
    assert names(finished(made)) == [*(f"policy {i}" for i in range(8)), "2 more not shown"]
