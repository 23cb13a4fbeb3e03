"""Baselines: what is drawn today is what was looked at; and a change would be noticed."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from figures.conftest import TOLERANCE
from figures.painted import difference, mixed, panel, png, series
from gantt.drawing import RINGS, TOGETHER
from gantt.slotted import INSTANCE, PLAN, picture_of

import ringyard
from ringyard.analysis.charts import Panel, lay_out
from ringyard.analysis.drawing.shapes import Curve, Picture, Stamps, TextLine
from ringyard.analysis.drawing.svg import to_svg
from ringyard.analysis.figures.convergence import convergence
from ringyard.analysis.figures.ecdf import ecdf
from ringyard.analysis.figures.tradeoff import tradeoff
from ringyard.analysis.gantt import gantt_picture


def eight() -> Panel:
    """Return eight curves over several orders of magnitude."""
    times = {f"method {i}": [(1 + i) * 1.7**k for k in range(12)] for i in range(8)}
    return ecdf(times, notes=("over the 12 of 14 cases that all methods answered",))


@pytest.mark.parametrize(
    ("name", "drawn"),
    [
        ("mixed", lambda: lay_out(mixed())),
        ("eight", lambda: lay_out(eight())),
        ("slots", lambda: picture_of(INSTANCE, PLAN)),
        ("rings", lambda: gantt_picture(RINGS, TOGETHER, ringyard.check(RINGS, TOGETHER))),
    ],
)
def test_pictures_are_as_before(
    name: str, drawn: Callable[[], Picture], baseline: Callable[[str, Picture], None]
) -> None:
    baseline(name, drawn())


@pytest.mark.parametrize(
    ("name", "drawn"),
    [
        ("mixed.svg", mixed()),
        ("tradeoff.svg", tradeoff({"a": [(1, 9), (20, 2)], "b": [(5, 5)]}, across="s", up="%")),
        ("nothing.svg", convergence([])),
    ],
)
def test_svg_is_as_before(name: str, drawn: Panel, golden: Callable[[str, str], None]) -> None:
    golden(name, to_svg(lay_out(drawn)))


def test_the_svg_of_slots_is_as_before(golden: Callable[[str, str], None]) -> None:
    golden("slots.svg", to_svg(picture_of(INSTANCE, PLAN)))


def changed(kind: str) -> Picture:
    """Return the mixed picture with one thing changed."""
    picture = lay_out(mixed())
    found = list(picture.shapes)
    for i, shape in enumerate(found):
        if kind == "mark" and isinstance(shape, Stamps) and shape.role == "mark":
            (x, y), *others = shape.at
            found[i] = replace(shape, at=((x + 8, y), *others))
            break
        if kind == "colour" and isinstance(shape, Curve):
            found[i] = replace(shape, colour="#e06000")
            break
        if kind == "word" and isinstance(shape, TextLine) and shape.role == "name":
            found[i] = replace(shape, text="stops")
            break
        if kind == "dash" and isinstance(shape, Curve):
            found[i] = replace(shape, dash=None)
            break
    assert kind == "size" or found != list(picture.shapes)
    height = picture.height + (8 if kind == "size" else 0)
    return replace(picture, shapes=tuple(found), height=height)


@pytest.mark.parametrize("kind", ["mark", "colour", "word", "dash", "size"])
def test_a_change_is_noticed(kind: str) -> None:
    before = png(lay_out(mixed()))
    assert difference(before, before) == 0
    assert difference(before, png(changed(kind))) > TOLERANCE


def test_a_missing_point_is_noticed() -> None:
    some = [(float(x), float(x % 3)) for x in range(9)]
    one, other = (panel(series("a", *p, way="points")) for p in (some, [*some[:4], *some[5:]]))
    assert difference(png(lay_out(one)), png(lay_out(other))) > TOLERANCE
