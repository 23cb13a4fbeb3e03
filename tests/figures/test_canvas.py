"""Figures on paper: lines are what was given, words neither touch nor leave the page."""

import re
import sys
from collections.abc import Iterable
from math import inf, nan
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
import pytest
from figures.painted import assert_readable, names, notes, points
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.textpath import TextPath

from ringyard.analysis.figures.canvas import (
    Look,
    Point,
    blank,
    draw,
    figure_bytes,
    finished,
    guide,
    label,
    new_figure,
    renamed,
    svg_text,
    tick_text,
    write_figure,
)
from ringyard.analysis.figures.style import BARE, LOOKS, POINTS, STEPS, STYLE, THIN
from ringyard.instances.errors import InputError

HOSTILE = ('<&">', "x" * 200, "line\nfeed\x00", "名前" * 40, "", "$x$ and $y$", "_hidden")
Line = tuple[str, list[Point], Look]


def figure(*lines: Line, log: str = "", title: str = "up", said: Iterable[str] = ()) -> Any:
    made, axes = new_figure("a figure", across="across", up=title, log=log)
    for name, some, look in lines:
        draw(axes, some, name, look)
    return finished(made, said)


def mixed() -> Any:
    """Return a figure with one of each kind of line."""
    made, axes = new_figure("a figure", across="across", up="up")
    guide(axes, [(1, 1), (9, 9)], "equal")
    draw(axes, [(1, 1), (3, 4), (8, 6), (9, 6)], "steps", LOOKS[0] | STEPS)
    draw(axes, [(1, 2), (5, 6), (9, 10)], "line", LOOKS[1])
    draw(axes, [(2, 8), (4, 9), (6, 2)], "points", LOOKS[6] | POINTS)
    draw(axes, [(1, 1.5), (9, 3)], "", LOOKS[1] | THIN)
    draw(axes, [(1, 3), (9, 3)], "bare", LOOKS[2] | BARE)
    return finished(made, ("a note",))


def test_lines_are_what_was_given() -> None:
    some = [(0.0, 0.0), (3.0, 50.0), (10.0, 20.0)]
    assert points(figure(("a", some, LOOKS[0] | POINTS)), "a") == some


def test_steps_hold_until_the_next_point() -> None:
    (line, *_) = (one for one in mixed().axes[0].lines if one.get_label() == "steps")
    assert line.get_drawstyle() == "steps-post"


def test_many_points_make_a_short_text() -> None:
    some = [(float(i), float(i % 7)) for i in range(100_000)]
    steps = [(float(i), i / 1e5) for i in range(100_000)]
    drawn = figure(("a", some, LOOKS[0] | POINTS), ("b", steps, LOOKS[1] | STEPS))
    assert len(svg_text(drawn)) < 400_000


@pytest.mark.parametrize("log", ["", "xy"])
def test_twelve_orders_of_magnitude(log: str) -> None:
    some = [(10.0**k, 10.0**-k) for k in range(-6, 7)]
    assert_readable(figure(("a", some, LOOKS[0] | POINTS), log=log))


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(one, marks=[pytest.mark.slow] if place % 2 else [])
        for place, one in enumerate(HOSTILE)
    ],
)
def test_any_name_is_written(name: str) -> None:
    lines = [(f"{name}{i}", [(1, i), (2, i + 1)], LOOKS[i]) for i in range(8)]
    drawn = figure(*lines, title=name, said=(name,))
    if name.isascii():  # How wide others are is up to the fonts of the machine.
        assert_readable(drawn)
    shown = names(drawn)
    assert len(shown) == 8
    whole = [text.encode("unicode_escape").decode() for text, _, _ in lines]
    kept = [(a, b, c) for a, (b, _, _), c in zip(shown, lines, whole, strict=True) if "…" not in a]
    assert all(a in (b, c) for a, b, c in kept)
    root = ElementTree.fromstring(svg_text(drawn))
    assert {*shown} <= {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}


@pytest.mark.parametrize(
    ("some", "look", "log"),
    [
        ([], LOOKS[0], ""),
        ([], LOOKS[0], "xy"),
        ([(3, 4)], LOOKS[0], ""),
        ([(3, 4)], LOOKS[0], "xy"),
        ([(3, 4)], LOOKS[0] | STEPS, ""),
        ([(3, 4), (3, 4)], LOOKS[0] | POINTS, ""),
        ([(1, 0), (2, 0)], LOOKS[0], ""),
        ([(1, 1e99), (2, -1e99)], LOOKS[0], ""),
        ([(1e9, 1), (1e9 + 1, 2)], LOOKS[0], ""),
        ([(1, 1), (1.4, 3)], LOOKS[0], "xy"),
        ([(1e-7, 0.8), (1e5, 120)], LOOKS[0], "xy"),
    ],
)
def test_anything_finite_is_drawn(some: list[Point], look: Look, log: str) -> None:
    assert_readable(figure(("one", some, look), log=log))


@pytest.mark.parametrize(("log", "end"), [("", 9e5), ("x", 5e5)])
def test_numbers_of_narrow_axes_do_not_touch(log: str, end: float) -> None:
    made, [row] = blank("two panels", (340, 236), 1, 2)
    for axes in row:
        label(axes, across="nonzeros", up="seconds", log=log)
        draw(axes, [(1e5, 1), (end, 5)], "line", LOOKS[0])
    assert_readable(finished(made))


def test_words_are_as_wide_as_in_a_browser() -> None:
    """The width without hinting: the advances of the font's glyphs, which a browser adds up."""
    text = "derandomised and repaired demands"
    made = figure((text, [(1, 1), (2, 2)], LOOKS[0]))
    (word,) = made.legends[0].get_texts()
    path = TextPath((0, 0), text, prop=word.get_fontproperties())
    with mpl.rc_context(STYLE):
        wide = word.get_window_extent(FigureCanvasAgg(made).get_renderer()).width
    assert wide * 72 / made.dpi == pytest.approx(path.get_extents().width, rel=0.02)


def test_a_mixture_is_readable() -> None:
    assert_readable(mixed())


@pytest.mark.parametrize("bad", [inf, -inf, nan, 1e101])
def test_what_is_not_finite_is_refused(bad: float) -> None:
    for point in ((bad, 1.0), (1.0, bad)):
        with pytest.raises(InputError, match="finite numbers"):
            figure(("a", [(1, 1), point], LOOKS[0]))


def test_a_logarithmic_axis_begins_above_0() -> None:
    with pytest.raises(InputError, match=r"sly: found \(0, 1\), expected .*above 0 for 'across'"):
        figure(("sly", [(0, 1)], LOOKS[0]), log="x")


def test_the_legend_names_each_line_once_and_guides_last() -> None:
    assert names(mixed()) == ["steps", "line", "points", "bare", "equal"]
    assert notes(mixed()) == "a note"


def test_names_can_be_changed() -> None:
    made = mixed()
    renamed(made, {"line": "a line"})
    assert names(made) == ["steps", "a line", "points", "bare", "equal"]
    assert notes(made) == "a note"
    with pytest.raises(InputError, match="rename: found 'curve', expected a name in the legend"):
        renamed(made, {"curve": "x"})


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.1 + 0.2, "0.3"),
        (1500.0, "1,500"),
        (0.001, "0.001"),
        (1e-7, "10⁻⁷"),
        (-1e6, "-1·10⁶"),
        (2.5e6, "2.5·10⁶"),
    ],
)
def test_ticks_are_what_they_say(value: float, text: str) -> None:
    assert tick_text(value) == text


@pytest.mark.parametrize("form", ["svg", "png", "pdf"])
def test_the_same_figure_makes_the_same_bytes(form: str, tmp_path: Path) -> None:
    made = [figure_bytes(one, form) for one in (mixed(), mixed())]
    assert made[0] == made[1]
    assert made[0].startswith({"svg": b"<svg ", "png": b"\x89PNG", "pdf": b"%PDF-"}[form])
    assert not re.search(rb"20\d\d-\d\d-\d\d|/CreationDate|Matplotlib v", made[0])


def test_figures_leave_the_settings_of_matplotlib_alone() -> None:
    before = dict(mpl.rcParams)
    figure_bytes(mixed(), "svg")
    assert dict(mpl.rcParams) == before
    assert "matplotlib.pyplot" not in sys.modules or not mpl.pyplot.get_fignums()


def test_two_figures_can_stand_on_a_page() -> None:
    text = svg_text(mixed())
    assert "<style" not in text
    assert not re.search(r'<g [^>]*id="', text)
    assert 'aria-label="a figure"' in text


def test_a_pdf_has_no_font_that_publishers_refuse(tmp_path: Path) -> None:
    made = figure_bytes(mixed(), "pdf")
    assert b"/FontFile2" in made
    assert b"/Type3" not in made


def test_a_suffix_without_a_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected one of \.svg, \.pdf, \.png"):
        write_figure(mixed(), tmp_path / "a.gif")
