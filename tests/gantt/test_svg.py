"""The picture, read back from the SVG file."""

from dataclasses import replace
from fractions import Fraction
from xml.etree import ElementTree

import pytest
from gantt.drawing import (
    NAMESPACE,
    RINGS,
    TOGETHER,
    boxes,
    drawn,
    job,
    make_instance,
    of_job,
    overlaps,
    plan,
    ring,
    shift_work,
    slot_at,
    svg_text,
)
from gantt.drawing import with_class as elements
from hypothesis import given
from hypothesis import strategies as st
from strategies import makespan_instances, makespan_schedules

from ringyard.analysis.check import check
from ringyard.analysis.drawing.colours import quiet_colour, ring_colour
from ringyard.instances import MakespanInstance, Schedule, Server

HOSTILE = ("<&\"'>", "]]></svg>", "$x^2_{$", "&amp;", "--><!--", "机 器", "مرحبا", "x" * 100)


@st.composite
def cases(draw: st.DrawFn) -> tuple[MakespanInstance, Schedule]:
    """Draw an instance and a schedule that may overfill servers or leave jobs out."""
    instance = draw(makespan_instances())
    schedule = draw(makespan_schedules(instance, latest=2))
    kept = draw(st.integers(0, len(schedule.assignments)))
    return instance, replace(schedule, assignments=schedule.assignments[:kept])


@given(cases(), st.none() | st.fractions(0, 50))
def test_any_schedule_gives_one_bar_for_each_piece(
    case: tuple[MakespanInstance, Schedule], bound: Fraction | None
) -> None:
    instance, schedule = case
    text = svg_text(instance, schedule, bound)
    root = ElementTree.fromstring(text)
    bars = elements(root, "piece")
    assert len(bars) == sum(len(entry.gpus) for entry in schedule.assignments)
    assert not list(overlaps([box for bar in bars for box in boxes(bar)]))
    assert text == svg_text(instance, schedule, bound)


@given(cases())
def test_excess_is_marked_if_and_only_if_capacity_is_broken(
    case: tuple[MakespanInstance, Schedule],
) -> None:
    root = drawn(*case)
    broken = any(fault.rule == "capacity" for fault in check(*case).violations)
    assert bool(elements(root, "excess")) == broken
    assert bool(elements(root, "beyond")) == broken
    texts = {text.text for text in root.iter(f"{NAMESPACE}text")}
    assert ("more GPUs than the server has" in texts) == broken


def test_an_overfull_server_shows_what_is_too_much() -> None:
    root = drawn(RINGS, plan(("a", 0, {"s1": 2}), ("b", 0, {"s1": 2})))
    excess = [len(of_job(root, number, "excess")) for number in (0, 1)]
    assert excess == [0, 1]
    (beyond,) = elements(root, "beyond")
    (piece,) = of_job(root, 1, "piece")
    assert boxes(beyond)[0][1] == pytest.approx(boxes(piece)[0][1], abs=1)
    assert "more GPUs than the server has" in {text.text for text in root.iter(f"{NAMESPACE}text")}


def test_bars_stand_at_their_time() -> None:
    root = drawn(RINGS, TOGETHER)
    for number, start, end in ((0, 0, 24), (1, 0, 12), (2, 2, 7)):
        for bar in of_job(root, number, "piece"):
            left, _, right, _ = boxes(bar)[0]
            assert slot_at(root, left) == pytest.approx(start, abs=0.02)
            assert slot_at(root, right) == pytest.approx(end, abs=0.02)


def test_a_ring_has_one_colour_an_outline_and_a_tie() -> None:
    root = drawn(RINGS, TOGETHER)
    fills = [{bar.get("fill") for bar in of_job(root, number, "piece")} for number in range(3)]
    assert [len(fill) for fill in fills] == [1, 1, 1]
    assert len(set.union(*fills)) == 3
    assert [len(of_job(root, number, "outline")) for number in range(3)] == [2, 2, 0]
    ties = elements(root, "tie")
    assert [tie.get("data-job") for tie in ties] == ["0", "1"]
    for tie in ties:
        line = next(iter(tie))
        number = int(tie.attrib["data-job"])
        bars = of_job(root, number, "piece")
        assert line.get("stroke") == of_job(root, number, "outline")[0].get("stroke")
        ends = [float(line.attrib[key]) for key in ("y1", "y2")]
        for bar, y in zip(bars, ends, strict=True):
            left, top, right, bottom = boxes(bar)[0]
            assert top < y < bottom
            assert left < float(line.attrib["x1"]) < right < float(line.attrib["x1"]) + 10


def test_a_job_inside_one_server_has_the_quiet_tone_of_its_hue() -> None:
    root = drawn(RINGS, plan(("a", 0, {"s0": 2}), ("b", 0, {"s0": 1, "s1": 1})))
    assert [bar.get("fill") for bar in of_job(root, 0, "piece")] == [quiet_colour(0)]
    assert {bar.get("fill") for bar in of_job(root, 1, "piece")} == {ring_colour(1)}


def test_ties_of_different_rings_do_not_lie_on_each_other() -> None:
    servers = {"s0": 1, "s1": 1}
    instance_of_five = make_instance([ring(name, 2, 5) for name in "abcde"], [5, 5])
    root = drawn(instance_of_five, plan(*((name, 0, servers) for name in "abcde")))
    places = [float(next(iter(tie)).attrib["x1"]) for tie in elements(root, "tie")]
    assert len(set(places)) == 5


def test_a_job_keeps_its_colour_in_other_schedules() -> None:
    alone = plan(("b", 3, {"s0": 1, "s1": 1}))
    one, other = drawn(RINGS, TOGETHER), drawn(RINGS, alone)
    colour = {bar.get("fill") for root in (one, other) for bar in of_job(root, 1, "piece")}
    assert len(colour) == 1


def test_the_legend_explains_shades_and_hues() -> None:
    texts = [text.text for text in drawn(RINGS, TOGETHER).iter(f"{NAMESPACE}text")]
    assert texts[texts.index("slowdown of the exchange:") :][:4] == [
        "slowdown of the exchange:",
        "x1",
        "x1.5",
        "x2",
    ]
    assert "colour only tells jobs apart" in texts
    alone = [text.text for text in drawn(RINGS, plan()).iter(f"{NAMESPACE}text")]
    assert "slowdown of the exchange:" not in alone


def test_contention_is_shaded_while_it_lasts() -> None:
    root = drawn(RINGS, TOGETHER)
    for number in (0, 1):
        for shade in of_job(root, number, "shade"):
            left, _, right, _ = boxes(shade)[0]
            assert slot_at(root, left) == pytest.approx(0, abs=0.02)
            assert slot_at(root, right) == pytest.approx(12, abs=0.02)
        assert len(of_job(root, number, "shade")) == 2
    assert not of_job(root, 2, "shade")


def test_more_contention_is_darker() -> None:
    jobs = [ring("a", 2, 10), ring("b", 2, 4), ring("c", 2, 2)]
    servers = {"s0": 1, "s1": 1}
    root = drawn(make_instance(jobs, [3, 3]), plan(*((name, 0, servers) for name in "abc")))
    shades = [
        (boxes(shade)[0][0], float(shade.attrib["fill-opacity"]))
        for shade in of_job(root, 0, "shade")
    ]
    by_time = [opacity for _, opacity in sorted(shades)]
    assert by_time == sorted(by_time, reverse=True)
    assert len(set(by_time)) == 2


def test_shades_that_look_alike_are_one() -> None:
    servers = {"s0": 1, "s1": 1}
    jobs = [ring(f"r{i}", 2, 5 + (i > 0)) for i in range(12)]
    root = drawn(make_instance(jobs, [12, 12]), plan(*((job.name, 0, servers) for job in jobs)))
    assert [len(boxes(shade)) for shade in of_job(root, 1, "shade")] == [1, 1]


def test_tooltips_tell_job_gpus_times_and_slowdown() -> None:
    groups = elements(drawn(RINGS, TOGETHER), "job")
    told = {group.attrib["data-job"]: str(group[0].text) for group in groups}
    assert told["0"].splitlines() == [
        "a: 2 GPUs",
        "s0: 1 GPU, s1: 1 GPU",
        "start 0, end 24",
        "slowdown 1.5 on average, at most 2",
    ]
    assert "start 2, end 7\nslowdown 1" in told["2"]


def test_bound_and_makespan_are_lines_with_their_values() -> None:
    root = drawn(RINGS, TOGETHER, Fraction(37, 2))
    for role, value in (("bound", 18.5), ("makespan", 24)):
        (line,) = elements(root, role)
        assert slot_at(root, float(line.attrib["x1"])) == pytest.approx(value, abs=0.02)
    assert [text.text for text in elements(root, "value")] == ["makespan 24", "bound 18.5"]
    (headline,) = elements(root, "headline")
    assert headline.text == "yard · hand · makespan 24 · bound 18.5 · gap 22.9 %"


def test_an_optimal_schedule_has_one_line_for_both() -> None:
    root = drawn(RINGS, TOGETHER, Fraction(24))
    assert not elements(root, "bound")
    assert [text.text for text in elements(root, "value")] == ["makespan = bound 24"]


def test_an_invalid_schedule_says_so_and_has_no_gap() -> None:
    schedule = plan(("a", 0, {"s0": 1, "s1": 1}), ("zz", 0, {"s0": 1}), ("c", 0, {"s9": 1}))
    root = drawn(RINGS, schedule, Fraction(5))
    (faults,) = elements(root, "faults")
    assert faults.text == "not valid: known_names 2, every_job_once 1"
    assert len(elements(root, "piece")) == 2
    assert "2 entries of the schedule" in str(elements(root, "note")[0].text)
    (headline,) = elements(root, "headline")
    assert headline.text == "yard · 1 of 3 jobs complete · bound 5"


def test_a_makespan_that_breaks_rules_has_no_gap() -> None:
    schedule = plan(*((name, 0, {"s1": 2}) for name in "ab"), ("c", 0, {"s0": 1}))
    (headline,) = elements(drawn(RINGS, schedule, Fraction(2)), "headline")
    assert "makespan" in str(headline.text)
    assert "gap" not in str(headline.text)


def test_numbers_of_ticks_make_room_for_the_lines() -> None:
    root = drawn(*shift_work(40, 20, 4), Fraction(11))
    (line,) = elements(root, "makespan")
    beside = [
        float(tick.attrib["y"])
        for tick in elements(root, "tick")
        if abs(float(tick.attrib["x"]) - float(line.attrib["x1"])) < 20
    ]
    assert len({tick.attrib["y"] for tick in elements(root, "tick")}) == 2
    assert beside == [max(float(tick.attrib["y"]) for tick in elements(root, "tick"))]


def test_a_small_server_is_seen_beside_a_huge_one() -> None:
    root = drawn(make_instance([job("a", 1, 1)], [100_000, 4]), plan())
    (bands,) = elements(root, "band")
    heights = [bottom - top for _, top, _, bottom in boxes(bands)]
    assert heights[1] > 12


def test_an_empty_schedule_shows_the_servers() -> None:
    root = drawn(RINGS, plan())
    assert not elements(root, "piece")
    assert [label.text for label in elements(root, "server")] == ["s0 · 4", "s1 · 2"]


def test_a_job_without_end_is_drawn_to_the_edge() -> None:
    stuck = make_instance([job("a", 1, 5, seconds=3), job("b", 1, 5)], [2], progress="floor")
    root = drawn(stuck, plan(("a", 0, {"s0": 1}), ("b", 0, {"s0": 1})))
    ends = [boxes(of_job(root, number, "piece")[0])[0][2] for number in (0, 1)]
    assert ends[0] > ends[1]
    assert of_job(root, 0, "endless")
    assert not of_job(root, 1, "endless")
    assert not elements(root, "makespan")


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_come_out_as_they_are(name: str) -> None:
    instance = make_instance([job(name, 1, 9)], [1])
    server = Server(name=name, gpus=1)
    instance = replace(instance, name=name, cluster=replace(instance.cluster, servers=(server,)))
    root = drawn(instance, plan((name, 0, {name: 1}), method=name))
    (group,) = elements(root, "job")
    assert str(group[0].text).startswith(f"{name}: 1 GPU\n{name}: 1 GPU\n")
    assert str(elements(root, "server")[0].text).startswith(name[:12])


def test_control_characters_are_shown_escaped() -> None:
    root = drawn(RINGS, replace(TOGETHER, method="a\x00b\ud800\nc"))
    assert "a\\x00b\\ud800\\nc" in str(elements(root, "headline")[0].text)
