"""Baselines: what is drawn today is what was looked at; and a change would be noticed."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from figures.conftest import TOLERANCE
from figures.painted import difference, png
from gantt.drawing import RINGS, TOGETHER
from gantt.slotted import INSTANCE, PLAN, picture_of

import ringyard
from ringyard.analysis.drawing.shapes import Boxes, Picture, TextLine
from ringyard.analysis.drawing.svg import to_svg
from ringyard.analysis.gantt import gantt_picture


@pytest.mark.parametrize(
    ("name", "drawn"),
    [
        ("slots", lambda: picture_of(INSTANCE, PLAN)),
        ("rings", lambda: gantt_picture(RINGS, TOGETHER, ringyard.check(RINGS, TOGETHER))),
    ],
)
def test_pictures_are_as_before(
    name: str, drawn: Callable[[], Picture], baseline: Callable[[str, Picture], None]
) -> None:
    baseline(name, drawn())


def test_the_svg_of_slots_is_as_before(golden: Callable[[str, str], None]) -> None:
    golden("slots.svg", to_svg(picture_of(INSTANCE, PLAN)))


def changed(kind: str) -> Picture:
    """Return the picture of slots with one thing changed."""
    picture = picture_of(INSTANCE, PLAN)
    found = list(picture.flat())
    for i, shape in enumerate(found):
        if kind == "place" and isinstance(shape, Boxes) and shape.role == "piece":
            (x, y, width, height), *others = shape.at
            found[i] = replace(shape, at=((x + 8, y, width, height), *others))
            break
        if kind == "colour" and isinstance(shape, Boxes) and shape.role == "piece":
            found[i] = replace(shape, fill="#202020")
            break
        if kind == "word" and isinstance(shape, TextLine):
            found[i] = replace(shape, text="stops")
            break
    assert kind == "size" or found != list(picture.flat())
    height = picture.height + (8 if kind == "size" else 0)
    return replace(picture, shapes=tuple(found), height=height)


@pytest.mark.parametrize(
    "kind",
    ["word", *(pytest.param(one, marks=pytest.mark.slow) for one in ("place", "colour", "size"))],
)
def test_a_change_is_noticed(kind: str) -> None:
    before = png(picture_of(INSTANCE, PLAN))
    assert difference(before, before) == 0
    assert difference(before, png(changed(kind))) > TOLERANCE
