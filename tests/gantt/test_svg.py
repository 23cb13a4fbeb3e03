"""The picture, read back from the SVG file."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from xml.etree import ElementTree

import pytest
from gantt.drawing import (
    RINGS,
    TOGETHER,
    boxes,
    drawn,
    job,
    of_job,
    overlaps,
    plan,
    ring,
    slot_at,
    svg_text,
    yard,
)
from gantt.drawing import with_class as elements
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import makespan_instances, makespan_schedules

from ringyard.analysis.check import check
from ringyard.instances import MakespanInstance, Schedule, Server

HOSTILE = ("<&\"'>", "]]></svg>", "$x^2_{$", "&amp;", "--><!--", "机 器", "مرحبا", "x" * 100)


@st.composite
def cases(draw: st.DrawFn) -> tuple[MakespanInstance, Schedule]:
    """Draw an instance and a schedule that may overfill servers or leave jobs out."""
    instance = draw(makespan_instances())
    schedule = draw(makespan_schedules(instance))
    kept = draw(st.integers(0, len(schedule.assignments)))
    return instance, replace(schedule, assignments=schedule.assignments[:kept])


@settings(max_examples=60)
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


@settings(max_examples=60)
@given(cases())
def test_excess_is_marked_if_and_only_if_capacity_is_broken(
    case: tuple[MakespanInstance, Schedule],
) -> None:
    root = drawn(*case)
    broken = any(fault.rule == "capacity" for fault in check(*case).violations)
    assert bool(elements(root, "excess")) == broken
    assert bool(elements(root, "beyond")) == broken


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
        bars = of_job(root, int(tie.attrib["data-job"]), "piece")
        ends = [float(line.attrib[key]) for key in ("y1", "y2")]
        for bar, y in zip(bars, ends, strict=True):
            left, top, right, bottom = boxes(bar)[0]
            assert top < y < bottom
            assert left < float(line.attrib["x1"]) < right


def test_ties_of_different_rings_do_not_lie_on_each_other() -> None:
    servers = {"s0": 1, "s1": 1}
    yard_of_five = yard([ring(name, 2, 5) for name in "abcde"], [5, 5])
    root = drawn(yard_of_five, plan(*((name, 0, servers) for name in "abcde")))
    places = [float(next(iter(tie)).attrib["x1"]) for tie in elements(root, "tie")]
    assert len(set(places)) == 5


def test_a_job_keeps_its_colour_in_other_schedules() -> None:
    alone = plan(("b", 3, {"s0": 1, "s1": 1}))
    one, other = drawn(RINGS, TOGETHER), drawn(RINGS, alone)
    colour = {bar.get("fill") for root in (one, other) for bar in of_job(root, 1, "piece")}
    assert len(colour) == 1


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
    root = drawn(yard(jobs, [3, 3]), plan(*((name, 0, servers) for name in "abc")))
    shades = [
        (boxes(shade)[0][0], float(shade.attrib["fill-opacity"]))
        for shade in of_job(root, 0, "shade")
    ]
    by_time = [opacity for _, opacity in sorted(shades)]
    assert by_time == sorted(by_time, reverse=True)
    assert len(set(by_time)) == 2


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


def test_an_empty_schedule_shows_the_servers() -> None:
    root = drawn(RINGS, plan())
    assert not elements(root, "piece")
    assert [label.text for label in elements(root, "server")] == ["s0 · 4", "s1 · 2"]


def test_a_job_without_end_is_drawn_to_the_edge() -> None:
    stuck = yard([job("a", 1, 5, seconds=3), job("b", 1, 5)], [2], progress="floor")
    root = drawn(stuck, plan(("a", 0, {"s0": 1}), ("b", 0, {"s0": 1})))
    ends = [boxes(of_job(root, number, "piece")[0])[0][2] for number in (0, 1)]
    assert ends[0] > ends[1]
    assert of_job(root, 0, "endless")
    assert not of_job(root, 1, "endless")
    assert not elements(root, "makespan")


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_come_out_as_they_are(name: str) -> None:
    instance = yard([job(name, 1, 9)], [1])
    server = Server(name=name, gpus=1)
    instance = replace(instance, name=name, cluster=replace(instance.cluster, servers=(server,)))
    root = drawn(instance, plan((name, 0, {name: 1}), method=name))
    (group,) = elements(root, "job")
    assert str(group[0].text).startswith(f"{name}: 1 GPU\n{name}: 1 GPU\n")
    assert str(elements(root, "server")[0].text).startswith(name[:12])


def test_control_characters_are_shown_escaped() -> None:
    root = drawn(RINGS, replace(TOGETHER, method="a\x00b\ud800\nc"))
    assert "a\\x00b\\ud800\\nc" in str(elements(root, "headline")[0].text)


def shift_work(jobs: int, servers: int, gpus: int) -> tuple[MakespanInstance, Schedule]:
    """Make jobs of one GPU that follow each other on every server."""
    instance = yard([job(f"j{i}", 1, 10) for i in range(jobs)], [gpus] * servers)
    rows = [(f"j{i}", 10 * (i // servers), {f"s{i % servers}": 1}) for i in range(jobs)]
    return instance, plan(*rows)


@pytest.mark.parametrize(("servers", "gpus"), [(1, 1), (7, 3), (200, 16), (380, 4), (3, 900)])
def test_size_and_server_labels_stay_within_reason(servers: int, gpus: int) -> None:
    root = drawn(*shift_work(servers, servers, gpus))
    assert float(root.attrib["height"]) < 3500
    labels = elements(root, "server")
    rows = [float(label.attrib["y"]) for label in labels]
    sizes = [float(label.attrib["font-size"]) for label in labels]
    assert len(labels) >= min(servers, 100)
    assert all(b - a >= size for a, b, size in zip(rows, rows[1:], sizes, strict=False))


def test_two_thousand_jobs_are_all_drawn_in_a_small_file() -> None:
    text = svg_text(*shift_work(2000, 200, 15))
    assert len(elements(ElementTree.fromstring(text), "piece")) == 2000
    assert len(text.encode()) < 2_000_000


def test_of_very_many_servers_the_longest_at_work_are_drawn() -> None:
    instance, schedule = shift_work(1001, 500, 1)
    root = drawn(instance, schedule)
    assert of_job(root, 1000, "piece")
    assert len(elements(root, "piece")) == 401 + 400
    (note,) = elements(root, "note")
    assert note.text == "Drawn are the 400 servers that work longest, of 500."


def test_very_many_changes_of_contention_stay_a_small_file() -> None:
    many = 120
    jobs = [ring(f"r{i}", 40, 400 + 7 * i) for i in range(many)]
    instance = yard(jobs, [many] * 40, progress="continuous")
    everywhere = {f"s{s}": 1 for s in range(40)}
    schedule = plan(*((f"r{i}", Decimal(i) / 8, everywhere) for i in range(many)))
    assert len(check(instance, schedule).spans) > 10_000
    assert len(svg_text(instance, schedule).encode()) < 4_000_000
