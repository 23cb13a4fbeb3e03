"""Graphs of steps: who stands where, which lines meet whom, and what is written."""

import re
from pathlib import Path

import pytest

from ringyard.analysis.drawing.shapes import Boxes, Stamps, TextLine
from ringyard.analysis.figures.flow import FlowGraph, FlowStep, arrange, to_dot, to_text
from ringyard.analysis.figures.flow_picture import WIDE, draw_flow, lay_out_flow


def step(name: str, *needs: str, state: str = "done", type: str = "solve") -> FlowStep:
    return FlowStep(name=name, type=type, state=state, needs=needs, about="2 of 2 runs")


DRAW, QUICK, CHECK = step("draw"), step("quick", "draw"), step("check", "draw", "quick")
FLOW = FlowGraph(about="graph of try", layers=((DRAW,), (step("more", "draw"), QUICK), (CHECK,)))
DRAWN = """\
draw ─┬─> more   ┌─┬─> check
      │          │ │
      ├─> quick ─┘ │
      │            │
      └────────────┘
"""
ALONE = FlowGraph(about="one", layers=((DRAW,),))


def test_every_need_is_a_way_through_the_columns() -> None:
    columns = arrange(FLOW)
    found = set()
    for c, links in enumerate(columns.links):
        for i, j in links:
            start, end = columns.slots[c][i], columns.slots[c + 1][j]
            if not end.passing:
                found.add((start.step.name, end.step.name))
    assert found == {(need, one.name) for one in FLOW.steps for need in one.needs}
    assert [slot.step.name for slot in columns.slots[1] if slot.passing] == ["draw"]


def test_the_text_draws_lines_from_name_to_name() -> None:
    assert to_text(FLOW) == DRAWN
    assert to_text(ALONE) == "draw\n"


def test_a_picture_has_a_box_for_each_step_and_a_tip_for_each_need() -> None:
    shapes = lay_out_flow(FLOW).shapes
    boxes = [shape for shape in shapes if isinstance(shape, Boxes) and "step" in shape.role]
    (tips,) = [shape for shape in shapes if isinstance(shape, Stamps)]
    assert (len(boxes), len(tips.at)) == (4, 4)
    assert "solve: done" in [shape.text for shape in shapes if isinstance(shape, TextLine)]


def test_boxes_stay_apart_and_on_the_paper() -> None:
    long = step("n" * 100, "draw", state="failed")
    picture = lay_out_flow(FlowGraph(about="long", layers=((DRAW,), (long, QUICK))))
    boxes = [s.at[0] for s in picture.shapes if isinstance(s, Boxes) and "step" in s.role]
    for x, y, width, height in boxes:
        assert 0 <= x <= x + width <= picture.width
        assert 0 <= y <= y + height <= picture.height
        assert width <= WIDE
    (_, top, _, height), (_, below, _, _) = boxes[1:]
    assert top + height < below


def test_what_went_wrong_is_told_by_words_and_colour() -> None:
    picture = lay_out_flow(FlowGraph(about="", layers=((step("draw", state="failed"),),)))
    (text,) = [s for s in picture.shapes if isinstance(s, TextLine) and "failed" in s.text]
    (plain,) = [s for s in lay_out_flow(ALONE).shapes if isinstance(s, TextLine) and ":" in s.text]
    assert text.colour != plain.colour


@pytest.mark.parametrize("flow", [FLOW, ALONE])
def test_graphviz_gets_every_step_and_need(flow: FlowGraph) -> None:
    text = to_dot(flow)
    assert len(re.findall(r"label=", text)) == len(flow.steps)
    assert text.count(" -> ") == sum(len(one.needs) for one in flow.steps)
    assert '"a\\"b"' in to_dot(FlowGraph(about="", layers=((step('a"b'),),)))


@pytest.mark.parametrize(
    ("end", "start"), [("svg", b"<svg "), ("png", b"\x89PNG"), ("pdf", b"%PDF")]
)
def test_formats(end: str, start: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"graph.{end}"
    draw_flow(FLOW, path)
    assert path.read_bytes().startswith(start)
