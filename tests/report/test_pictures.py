"""The figures of the page: a method has one colour in all of them."""

from collections import defaultdict
from typing import Any

import pytest

from ringyard.analysis.figures.style import LOOKS
from ringyard.analysis.report import pictures

from .made import report_of, small_campaign


def test_a_method_has_the_same_colour_in_all_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Any] = []
    draw = pictures.svg_text
    monkeypatch.setattr(pictures, "svg_text", lambda one: [drawn.append(one), draw(one)][1])
    rows, sources = small_campaign()
    report_of(rows[::-1], sources)
    assert len(drawn) > 2
    colours = defaultdict(set)
    for figure in drawn:
        for line in figure.axes[0].lines:
            if line.get_color() in {look["color"] for look in LOOKS} and line.get_label()[0] != "_":
                colours[line.get_label()].add(line.get_color())
    assert len(colours) > 2
    assert all(len(found) == 1 for found in colours.values())
