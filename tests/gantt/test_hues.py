"""Jobs whose bars touch have different hues, on real schedules."""

import pytest
from gantt.drawing import Element, boxes, with_class
from hypothesis import given
from hypothesis import strategies as st

import ringyard
from ringyard.analysis.drawing.colours import HUES, quiet_colour, ring_colour
from ringyard.analysis.drawing.svg import to_svg
from ringyard.analysis.gantt import gantt_picture
from ringyard.analysis.gantt.hues import choose_hues, touching

HUE = {colour(hue): hue for hue in range(7) for colour in (ring_colour, quiet_colour)}
"""Hue of each fill."""
Rectangle = tuple[float, float, float, float]

CASES = (
    ("mobihoc-20-s0", "gang-lpt"),
    ("mobihoc-20-s0", "list-scheduling"),
    ("tight-half-s0", "list-scheduling"),
    ("pdors-small-10x4x8", "pd-ors-corrected"),
    ("gadget-small-12x6x10", "ring-fifo"),
    ("tiny-trace-08x3", "tiresias-l"),
)


def bars_of(name: str, method: str) -> list[tuple[int, int, Rectangle]]:
    """Return job, hue and rectangle of each bar of a picture."""
    from xml.etree import ElementTree

    instance = ringyard.load(name)
    schedule = ringyard.solve(instance, method).schedule
    picture = gantt_picture(instance, schedule, ringyard.check(instance, schedule))
    root: Element = ElementTree.fromstring(to_svg(picture))
    return [
        (int(group.attrib["data-job"]), HUE[piece.attrib["fill"]], box)
        for group in with_class(root, "job")
        for piece in with_class(group, "piece")
        for box in boxes(piece)
    ]


def beside(one: Rectangle, other: Rectangle) -> bool:
    """Return True if two rectangles share a border, with less than two pixels in between."""
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return max(wide, high) > 0.1 and min(wide, high) > -2


@pytest.mark.parametrize(("name", "method"), CASES)
def test_jobs_that_touch_have_different_hues(name: str, method: str) -> None:
    bars = bars_of(name, method)
    pairs = 0
    for i, (job, hue, box) in enumerate(bars):
        for other, hue_there, there in bars[:i]:
            if job != other and beside(box, there):
                pairs += 1
                assert hue != hue_there, f"jobs {job} and {other}"
    assert pairs > 3


@pytest.mark.parametrize(("name", "method"), CASES)
def test_all_bars_of_a_job_have_one_hue(name: str, method: str) -> None:
    hues: dict[int, set[int]] = {}
    for job, hue, _ in bars_of(name, method):
        hues.setdefault(job, set()).add(hue)
    assert all(len(found) == 1 for found in hues.values())


def test_a_job_without_neighbours_has_the_hue_of_its_number() -> None:
    bars = [(job, (20.0 * job, 0.0, 9.0, 9.0)) for job in range(20)]
    assert choose_hues(bars) == {job: job % len(HUES) for job in range(20)}


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 9)), min_size=1, max_size=60))
def test_seven_hues_are_enough_for_jobs_with_one_bar_each(rows: list[tuple[int, int]]) -> None:
    ends, bars = [0.0] * 6, []
    for job, (row, length) in enumerate(rows):
        bars.append((job, (ends[row], 10.0 * row, 10.0 * length, 10.0)))
        ends[row] += 10 * length
    hues = choose_hues(bars)
    assert not [
        (job, other)
        for job, others in touching(bars).items()
        for other in others
        if hues[job] == hues[other]
    ]


def test_more_neighbours_than_hues_share_the_hue_of_the_shortest_border() -> None:
    bars = [
        (job, (0.0, 10.0 * 8 * a + 10 * b, 5.0 if {a, b} == {0, 7} else 50.0, 10.0))
        for a in range(8)
        for b, job in enumerate((a, *range(8)))
    ]
    hues = choose_hues(bars)
    assert len(set(hues.values())) == len(HUES)
