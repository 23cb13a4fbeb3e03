"""Charts: lengths stand for values, names do not touch, and SVG needs no plotting library."""

import sys
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from gantt.test_colours import VISIONS, lab

from ringyard.analysis.charts import PALETTE, Axis, Panel, Series, draw_figure, lay_out, over
from ringyard.analysis.charts.panel import WAYS, Kind
from ringyard.analysis.drawing.colours import INK
from ringyard.analysis.drawing.shapes import Boxes, Line, Picture, TextLine, text_width
from ringyard.analysis.intervals import Interval, student
from ringyard.instances.errors import MissingError

WORDS = ("small", "large <&>", "huge")


def series(kind: Kind, *values: Interval | float | None, name: str = "") -> Series:
    return over(name or kind, values, kind)


def chart(*some: Series, panels: int = 1, over: tuple[str, ...] = WORDS) -> list[Panel]:
    x = Axis(title="size", categories=over)
    return [Panel(about="values", x=x, y=Axis(title="slots"), series=some)] * panels


def shapes(picture: Picture, kind: type, role: str) -> list:
    return [shape for shape in picture.flat() if isinstance(shape, kind) and shape.role == role]


def test_bars_are_as_long_as_their_values() -> None:
    bars = shapes(lay_out(chart(series("bars", 10.0, 20.0, 35.0))), Boxes, "bars")
    heights = [bar.at[0][3] for bar in bars]
    assert heights == pytest.approx([heights[0], 2 * heights[0], 3.5 * heights[0]])
    assert len({bar.at[0][1] + bar.at[0][3] for bar in bars}) == 1


def test_intervals_are_drawn_to_scale_and_fit() -> None:
    value = student([1, 2, 3])
    picture = lay_out(chart(series("bars", value, 2.0, None)))
    (whisker,) = shapes(picture, Line, "interval")
    bar = shapes(picture, Boxes, "bars")[0].at[0]
    middle = (whisker.start[1] + whisker.end[1]) / 2
    length = abs(whisker.start[1] - whisker.end[1])
    # The lower end, -0.5, is cut at 0; the upper one is 4.484.
    assert length == pytest.approx(bar[3] * value.high / value.mean)
    assert middle == pytest.approx(bar[1] + bar[3] - length / 2)
    assert min(whisker.start[1], whisker.end[1]) > 20


def test_what_is_missing_is_not_drawn() -> None:
    picture = lay_out(chart(series("marks", None, 5.0, None), series("points")))
    assert len(shapes(picture, Boxes, "marks")) == 1
    assert not shapes(picture, Boxes, "points")


@pytest.mark.parametrize("count", [1, 2])
def test_names_stand_apart_and_inside(count: int) -> None:
    many = [series("line", 1.0, 2.0, 30.0 + 0.01 * i, name=f"series {i}") for i in range(12)]
    many.append(series("dashed", 0.0, 0.0, 0.0))
    picture = lay_out(chart(*many, panels=count))
    names = shapes(picture, TextLine, "name")
    assert len(names) == count * len(many)
    for panel in range(count):
        heights = sorted(name.at[1] for name in names[panel * len(many) :][: len(many)])
        assert min(b - a for a, b in pairwise(heights)) >= 12
    for name in names:
        assert 0 < name.at[1] < picture.height
        assert name.at[0] + text_width(name.text, name.size) <= picture.width


def test_a_name_stands_beside_the_end_of_its_series() -> None:
    picture = lay_out(chart(series("line", 1.0, 2.0, 30.0), series("line", 3.0, 3.0, 10.0)))
    marks = shapes(picture, Boxes, "line")
    ends = [marks[2].at[0][1] + 2.5, marks[5].at[0][1] + 2.5]
    assert [name.at[1] - 3.5 for name in shapes(picture, TextLine, "name")] == pytest.approx(ends)


def test_uncertain_lines_stand_side_by_side() -> None:
    same = student([1, 2, 3])
    picture = lay_out(chart(*(series("line", same, same, same, name=name) for name in WORDS)))
    whiskers = shapes(picture, Line, "interval")
    assert len({round(whisker.start[0], 3) for whisker in whiskers}) == 9


def test_a_level_line_runs_across() -> None:
    picture = lay_out(chart(series("dashed", 4.0, 4.0, 4.0), series("bars", 9.0, 9.0, 9.0)))
    (line,) = shapes(picture, Line, "dashed")
    bars = shapes(picture, Boxes, "bars")
    assert line.start[0] < bars[0].at[0][0]
    assert line.end[0] > bars[-1].at[0][0] + bars[-1].at[0][2]
    assert line.dash


def test_panels_share_one_scale() -> None:
    panels = [*chart(series("bars", 10.0), over=("a",)), *chart(series("bars", 40.0), over=("a",))]
    picture = lay_out(panels)
    low, high = shapes(picture, Boxes, "bars")
    assert 4 * low.at[0][3] == pytest.approx(high.at[0][3])


@pytest.mark.parametrize("kind", WAYS)
def test_svg_needs_no_plotting_library(
    kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    draw_figure(chart(series(kind, 1.0, 3.0, 2.0)), tmp_path / "chart.svg")
    text = (tmp_path / "chart.svg").read_text(encoding="utf-8")
    assert "large &lt;&amp;&gt;" in text
    assert text.rstrip().endswith("</svg>")


def test_without_the_library_a_pdf_names_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingError, match=r"pip install 'ringyard\[plot\]'"):
        draw_figure(chart(series("bars", 1.0, 2.0, 3.0)), tmp_path / "chart.pdf")


@pytest.mark.parametrize(("suffix", "start"), [("pdf", b"%PDF-"), ("png", b"\x89PNG")])
def test_the_library_paints_the_same(suffix: str, start: bytes, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / f"chart.{suffix}"
    draw_figure(chart(*(series(kind, 1.0, 3.0, 2.0) for kind in WAYS)), path)
    assert path.read_bytes().startswith(start)


@pytest.mark.parametrize("vision", VISIONS)
def test_colours_are_told_apart(vision: str) -> None:
    seen = [lab(colour, vision) for colour in (*PALETTE, INK)]
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) >= 19
