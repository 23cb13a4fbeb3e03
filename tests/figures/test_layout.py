"""Panels on paper: points stand where their values are, words neither touch nor leave the page."""

from itertools import combinations, pairwise
from math import inf, nan
from pathlib import Path
from xml.etree import ElementTree

import pytest
from figures.painted import mixed, panel, series, shapes

from ringyard.analysis.charts import Axis, Panel, draw_figure, lay_out, svg_text
from ringyard.analysis.charts.looks import LOOKS
from ringyard.analysis.drawing.shapes import Curve, Line, Picture, Stamps, TextLine, text_width
from ringyard.instances.errors import InputError

HOSTILE = ('<&">', "x" * 200, "line\nfeed\x00", "名前" * 40, "")


def boxes(picture: Picture) -> list[tuple[float, float, float, float, str]]:
    """Return left, right, top and bottom of every word."""
    found = []
    for text in picture.flat():
        if isinstance(text, TextLine):
            width = text_width(text.text, text.size)
            left = text.at[0] - {"start": 0.0, "middle": 0.5, "end": 1.0}[text.anchor] * width
            bottom = text.at[1]
            found.append((left, left + width, bottom - 0.75 * text.size, bottom, text.text))
    return found


def assert_readable(picture: Picture) -> None:
    words = boxes(picture)
    for left, right, top, bottom, text in words:
        assert left >= 0, text
        assert right <= picture.width, text
        assert top >= 0, text
        assert bottom <= picture.height, text
    for a, b in combinations(words, 2):
        wide = min(a[1], b[1]) - max(a[0], b[0])
        high = min(a[3], b[3]) - max(a[2], b[2])
        assert wide <= 0 or high <= 0, (a[4], b[4])


def place_of(picture: Picture, x: float, y: float) -> tuple[float, float]:
    """Return where a point stands, as the numbers on the (linear) axes have it."""
    found = []
    for anchor, axis, value in (("middle", 0, x), ("end", 1, y)):
        ticks = [t for t in shapes(picture, TextLine, "tick") if t.anchor == anchor]
        (a, b) = ticks[0], ticks[-1]
        low, high = (float(t.text.replace(",", "")) for t in (a, b))
        part = (value - low) / (high - low)
        shift = 0.0 if axis == 0 else 3.6
        found.append(a.at[axis] - shift + part * (b.at[axis] - a.at[axis]))
    return found[0], found[1]


def test_marks_stand_where_their_values_are() -> None:
    points = ((0.0, 0.0), (3.0, 50.0), (10.0, 20.0))
    picture = lay_out(panel(series("a", *points, way="points")))
    (marks,) = (s for s in shapes(picture, Stamps, "mark") if len(s.at) == 3)
    for mark, (x, y) in zip(marks.at, points, strict=True):
        assert mark == pytest.approx(place_of(picture, x, y), abs=0.1)


def test_steps_hold_until_the_next_point() -> None:
    drawn = panel(series("a", (0, 1), (4, 3), (10, 2), way="steps"))
    (curve,) = shapes(drawn, Curve, "curve")
    (x0, y0), (x1, y1), (x2, y2), (x3, y3), (x4, y4) = curve.through
    assert (y0, x1, y2, x3) == (y1, x2, y3, x4)
    assert x0 < x1 < x3
    assert y2 < y4 < y0


def test_many_points_make_a_short_text() -> None:
    points = [(float(i), float(i % 7)) for i in range(100_000)]
    steps = [(float(i), i / 1e5) for i in range(100_000)]
    drawn = panel(series("a", *points, way="points"), series("b", *steps, number=1, way="steps"))
    assert len(svg_text(drawn)) < 400_000


def test_a_line_that_comes_back_is_drawn_whole() -> None:
    points = [(0.0, 0.0), (0.001, 9.0), (0.002, 0.0), (10.0, 0.0)]
    (curve,) = shapes(panel(series("a", *points)), Curve, "curve")
    assert len(curve.through) == 4


@pytest.mark.parametrize("log", [False, True])
def test_twelve_orders_of_magnitude(log: bool) -> None:
    points = [(10.0**k, 10.0**-k) for k in range(-6, 7)]
    drawn = panel(series("a", *points, way="points"), log_x=log, log_y=log)
    picture = lay_out(drawn)
    assert_readable(picture)
    (marks, _) = shapes(picture, Stamps, "mark")
    if log:
        steps = [b[0] - a[0] for a, b in pairwise(marks.at)]
        assert steps == pytest.approx([steps[0]] * 12)


@pytest.mark.parametrize("name", HOSTILE)
def test_any_name_is_written(name: str) -> None:
    some = [series(name + str(i), (1, i), (2, i + 1), number=i) for i in range(8)]
    drawn = panel(*some, x=Axis(title=name), y=Axis(title=name), about=name, notes=(name,))
    assert_readable(lay_out(drawn))
    root = ElementTree.fromstring(svg_text(drawn))
    written = [text.text or "" for text in root.iter() if text.get("class") == "name"]
    assert len(written) == 8
    shown = [(a, b) for a, b in zip(written, some, strict=True) if "…" not in a]
    assert all(a == b.name.encode("unicode_escape").decode() or a == b.name for a, b in shown)


@pytest.mark.parametrize(
    "drawn",
    [
        panel(),
        panel(log_x=True, log_y=True),
        panel(series("nothing")),
        panel(series("one", (3, 4))),
        panel(series("one", (3, 4)), log_x=True, log_y=True),
        panel(series("one", (3, 4), way="steps")),
        panel(series("same", (3, 4), (3, 4), way="points")),
        panel(series("flat", (1, 0), (2, 0)), series("huge", (1, 1e250), (2, -1e250))),
        panel(series("near", (1e9, 1), (1e9 + 1, 2))),
        mixed(),
    ],
)
def test_anything_finite_is_drawn(drawn: Panel) -> None:
    assert_readable(lay_out(drawn))
    assert len(shapes(drawn, Line, "axis")) == 1


@pytest.mark.parametrize("bad", [inf, -inf, nan, 1e251])
def test_what_is_not_finite_is_refused(bad: float) -> None:
    for point in ((bad, 1.0), (1.0, bad)):
        with pytest.raises(InputError, match="finite numbers"):
            lay_out(panel(series("a", (1, 1), point)))
    with pytest.raises(InputError, match="expected finite"):
        lay_out(panel(series("a", (1, 1), band=((1, 0, bad),))))


def test_a_logarithmic_axis_begins_above_0() -> None:
    drawn = panel(series("sly", (0, 1)), log_x=True)
    with pytest.raises(InputError, match=r"sly: found \(0, 1\); expected .*above 0 for 'across'"):
        lay_out(drawn)


def test_the_legend_names_each_series_once_and_guides_last() -> None:
    names = [text.text for text in shapes(mixed(), TextLine, "name")]
    assert names == ["steps", "line", "points", "equal"]


def test_marks_of_lines_that_coincide_stand_apart() -> None:
    points = [(float(i), 1.0) for i in range(200)]
    some = [series(str(i), *points, number=i, way="steps") for i in range(8)]
    marks = [one for one in shapes(panel(*some), Stamps, "mark") if len(one.at) > 1]
    places = [x for one in marks for x, _ in one.at]
    assert len(marks) == 8
    assert min(b - a for a, b in pairwise(sorted(places))) > 2


@pytest.mark.parametrize("form", ["svg", "png", "pdf"])
def test_the_same_panel_makes_the_same_bytes(form: str, tmp_path: Path) -> None:
    for name in ("a", "b"):
        draw_figure(mixed(), tmp_path / f"{name}.{form}")
    made = (tmp_path / f"a.{form}").read_bytes()
    assert made == (tmp_path / f"b.{form}").read_bytes()
    assert made.startswith({"svg": b"<svg ", "png": b"\x89PNG", "pdf": b"%PDF-"}[form])


def test_a_pdf_has_no_font_that_publishers_refuse(tmp_path: Path) -> None:
    draw_figure(mixed(), tmp_path / "a.pdf")
    made = (tmp_path / "a.pdf").read_bytes()
    assert b"/FontFile2" in made
    assert b"/Type3" not in made


def test_a_suffix_without_a_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected one of \.svg, \.pdf, \.png"):
        draw_figure(mixed(), tmp_path / "a.gif")


def test_every_look_is_painted() -> None:
    some = [series(f"m{i}", (0, i), (1, i + 1), number=i) for i in range(8)]
    text = svg_text(panel(*some))
    assert all(look.colour in text for look in LOOKS)
