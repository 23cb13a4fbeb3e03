"""The chart of a `trace` schedule: runs, restarts, stops and halves of GPUs, to scale."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from gantt.drawing import Element, boxes, of_job, overlaps, slot_at, with_class
from gantt.test_page import Reader

from ringyard import plot
from ringyard.analysis.check import check
from ringyard.analysis.drawing.shapes import TextLine
from ringyard.analysis.drawing.svg import to_svg
from ringyard.analysis.gantt import draw_gantt, gantt_picture
from ringyard.analysis.gantt.totals import HEIGHT
from ringyard.analysis.gantt.trace import NARROW, lay_out_trace, to_trace_page
from ringyard.analysis.timeline.trace import TraceTimeline
from ringyard.instances import (
    JobGroup,
    JobRuns,
    Outage,
    RackServer,
    RefusedError,
    TraceInstance,
    TraceJob,
    TraceRun,
    TraceSchedule,
)

HALF = Decimal("0.5")


def job(name: str, gpus: int, duration: int, arrival: int = 0) -> TraceJob:
    return TraceJob(
        name=name,
        gpus=gpus,
        duration_s=Decimal(duration),
        arrival_s=Decimal(arrival),
        packed_speed=HALF,
    )


def run(
    start: int, gpus: dict[str, int], stop: int | None = None, share: Any = "whole"
) -> TraceRun:
    return TraceRun(
        start_s=Decimal(start),
        stop_s=None if stop is None else Decimal(stop),
        gpus=tuple(gpus.items()),
        share=share,
    )


INSTANCE = TraceInstance(
    name="yard",
    servers=(RackServer(name="s0", gpus=2), RackServer(name="s1", gpus=2)),
    jobs=(job("a", 2, 4), job("b", 1, 3), job("c", 3, 2, arrival=2), job("d", 1, 1, arrival=2)),
    restart_s=Decimal(2),
)
"""Job a runs from 0 to 3 and, after a restart of 2 s, from 12 to 13."""
PLAN = TraceSchedule(
    instance="yard",
    method="hand",
    jobs=(
        JobRuns(job="a", runs=(run(0, {"s0": 2}, stop=3), run(10, {"s1": 2}))),
        JobRuns(job="b", runs=(run(0, {"s1": 1}, share="half"),)),
        JobRuns(job="c", runs=(run(6, {"s0": 2, "s1": 1}),)),
        JobRuns(job="d", runs=(run(2, {"s1": 1}),)),
    ),
)


def facts_of(instance: TraceInstance, plan: TraceSchedule, bound: Fraction | None = None) -> Any:
    return TraceTimeline(instance, plan, check(instance, plan), bound)


def drawn(instance: TraceInstance, plan: TraceSchedule) -> Element:
    return ElementTree.fromstring(to_svg(gantt_picture(instance, plan, check(instance, plan))))


def times(root: Element, number: int, role: str) -> list[tuple[float, float]]:
    """Return from when to when the boxes of a job reach."""
    found = [box for part in of_job(root, number, role) for box in boxes(part)]
    return sorted((slot_at(root, left), slot_at(root, right)) for left, _, right, _ in found)


def test_the_judge_accepts_the_schedule_that_is_drawn() -> None:
    verdict = check(INSTANCE, PLAN)
    assert verdict.violations == ()
    assert verdict.ends == {"a": 13, "b": 6, "c": 8, "d": 3}


def test_the_headline_says_the_mean_and_the_gap() -> None:
    picture = lay_out_trace(facts_of(INSTANCE, PLAN, Fraction(13, 4)))
    assert picture.about == "yard · hand · mean completion time 6.5 s · bound 3.25 s · gap 50.0 %"


def test_bars_are_as_long_as_runs() -> None:
    root = drawn(INSTANCE, PLAN)
    assert times(root, 0, "piece") == [
        pytest.approx((0, 3), abs=0.02),
        pytest.approx((10, 13), abs=0.02),
    ]
    assert times(root, 2, "piece") == [pytest.approx((6, 8), abs=0.02)] * 2


def test_restarts_are_hatched_and_stops_are_marked() -> None:
    root = drawn(INSTANCE, PLAN)
    stripes = times(root, 0, "restart")
    assert min(start for start, _ in stripes) == pytest.approx(10, abs=0.05)
    assert 11.7 < max(end for _, end in stripes) <= 12
    ((start, end),) = times(root, 0, "stop")
    assert start < 3
    assert end == pytest.approx(3, abs=0.02)
    assert not of_job(root, 1, "restart")
    assert not of_job(root, 1, "stop")


def test_servers_out_of_service_are_shaded_to_the_end_of_the_chart() -> None:
    spans = [("s0", 9, 11), ("s1", 13, 20), ("s0", 12, 40)]
    outages = tuple(
        Outage(server=server, from_s=Decimal(start), until_s=Decimal(end))
        for server, start, end in spans
    )
    root = drawn(replace(INSTANCE, outages=outages), PLAN)
    (part,) = with_class(root, "outage")
    found = [(slot_at(root, left), slot_at(root, right)) for left, _, right, _ in boxes(part)]
    assert found == [pytest.approx((9, 11), abs=0.02), pytest.approx((12, 13), abs=0.02)]
    assert not with_class(drawn(INSTANCE, PLAN), "outage")


def test_a_half_is_half_as_high() -> None:
    root = drawn(INSTANCE, PLAN)
    (_, top, _, bottom), (_, start, _, end) = (
        boxes(of_job(root, number, "piece")[0])[0] for number in (1, 3)
    )
    assert bottom - top == pytest.approx((end - start) / 2, abs=1)


def test_bars_do_not_overlap() -> None:
    root = drawn(INSTANCE, PLAN)
    pieces = [box for piece in with_class(root, "piece") for box in boxes(piece)]
    assert len(pieces) == 6
    assert list(overlaps(pieces)) == []


def test_jobs_spread_over_servers_are_outlined() -> None:
    root = drawn(INSTANCE, PLAN)
    assert all(piece.get("stroke") for piece in of_job(root, 2, "piece"))
    assert not any(piece.get("stroke") for piece in of_job(root, 0, "piece"))


def in_groups(instance: TraceInstance, *names: str | None) -> TraceInstance:
    named = (names[i] if i < len(names) else None for i in range(len(instance.jobs)))
    jobs = zip(instance.jobs, named, strict=True)
    return replace(instance, jobs=tuple(replace(one, group=name) for one, name in jobs))


def test_jobs_of_a_group_have_its_colour() -> None:
    """Of a, b and d inside servers, a and d belong to one group. The legend names both."""
    root = drawn(in_groups(INSTANCE, "red", "blue", "blue", "red"), PLAN)
    fills = [{piece.get("fill") for piece in of_job(root, n, "piece")} for n in range(4)]
    assert fills[0] == fills[3] != fills[1]
    words = [str(text.text) for text in root.iter() if text.text]
    assert {"red", "blue"} <= set(words)
    assert "colour only tells jobs apart" not in words
    assert "colour only tells jobs apart" in [str(one.text) for one in drawn(INSTANCE, PLAN).iter()]


def test_sums_are_by_group_where_jobs_have_groups() -> None:
    """Of the 200 jobs at first, red has 80, blue 50, and 70 have no group. Most work is lowest."""
    instance, plan = crowd(200)
    few = in_groups(instance, *["red"] * 80, *["blue"] * 50)
    layers = with_class(drawn(few, plan), "layer")
    heights = [max(low - high for _, high, _, low in boxes(layer)) for layer in layers[:3]]
    assert heights[0] / heights[1] == pytest.approx(80 / 70, rel=0.01)
    assert heights[0] / heights[2] == pytest.approx(80 / 50, rel=0.01)
    many = in_groups(instance, *["red"] * 80, *(f"g{k}" for k in range(120)))
    words = [str(text.text) for text in drawn(many, plan).iter() if text.text]
    assert {"red", "other groups", "restarts"} <= set(words)
    assert sum(word.startswith("g") and word[1:].isdigit() for word in words) == 2


def test_servers_are_named_with_the_kind_of_their_gpus() -> None:
    kinds = zip(INSTANCE.servers, ("v100", "k80"), strict=True)
    servers = tuple(replace(server, gpu=kind) for server, kind in kinds)
    jobs = tuple(one for one in INSTANCE.jobs if one.gpus < 3)
    plans = tuple(one for one in PLAN.jobs if one.job != "c")
    root = drawn(replace(INSTANCE, servers=servers, jobs=jobs), replace(PLAN, jobs=plans))
    assert {"s0 · 2 v100", "s1 · 2 k80"} <= {str(text.text) for text in root.iter()}


def test_sums_are_by_kind_of_gpus_where_there_are_several() -> None:
    """Of the 200 servers with a job each, 150 have v100."""
    instance, plan = crowd(200)
    kinds = ["v100"] * 150 + ["k80"] * (len(instance.servers) - 150)
    pairs = zip(instance.servers, kinds, strict=True)
    typed = replace(instance, servers=tuple(replace(one, gpu=kind) for one, kind in pairs))
    root = drawn(typed, plan)
    heights = [
        max(low - high for _, high, _, low in boxes(layer))
        for layer in with_class(root, "layer")[:2]
    ]
    assert heights[0] / heights[1] == pytest.approx(3, rel=0.01)
    assert {"v100", "k80"} <= {str(text.text) for text in root.iter()}


def test_the_gpus_of_groups_are_stacked_and_have_panels_with_their_limits(tmp_path: Path) -> None:
    """Of the work, red has 9, blue 3. Job b holds half a GPU, and a is stopped from 3 to 10."""
    groups = (JobGroup(name="red", quota=2, most=3), JobGroup(name="blue", most=9))
    instance = replace(in_groups(INSTANCE, "red", "blue", "red", "red"), groups=groups)
    figure = plot.groups(instance, PLAN)
    root = ElementTree.fromstring(figure.svg())
    red, blue, alone, last = with_class(root, "layer")
    assert (red.get("fill"), blue.get("fill")) == (alone.get("fill"), last.get("fill"))
    stack, panel = (max(low - high for _, high, _, low in boxes(one)) for one in (red, alone))
    assert stack / HEIGHT == pytest.approx(3 / 4, abs=0.01)
    assert panel / NARROW == pytest.approx(1, abs=0.01)
    lines = [float(line.get("y1", "")) for line in with_class(root, "limit")]
    assert (lines[0] - lines[1]) / NARROW == pytest.approx(1 / 3, abs=0.01)
    assert len(lines) == 2, "a limit beyond the cluster is none"
    figure.save(tmp_path / "groups.csv")
    text = "time_s,red,blue\n0.0,2.0,0.5\n2.0,3.0,0.5\n3.0,0.0,0.5\n6.0,3.0,0.0\n8.0,0.0,0.0\n"
    assert (tmp_path / "groups.csv").read_text() == text + "10.0,2.0,0.0\n13.0,0.0,0.0\n"


def test_groups_without_a_colour_share_a_panel() -> None:
    instance, plan = crowd(200)
    many = in_groups(instance, *["red"] * 80, *(f"g{k}" for k in range(120)))
    figure = plot.groups(many, plan)
    words = [str(text.text) for text in ElementTree.fromstring(figure.svg()).iter() if text.text]
    assert words.count("other groups") == 2
    layers = with_class(ElementTree.fromstring(figure.svg()), "layer")
    assert len(layers) == 2 * 4
    with pytest.raises(RefusedError, match="no job has a group"):
        plot.groups(INSTANCE, PLAN)


def test_arrivals_stand_beside_each_other() -> None:
    root = drawn(INSTANCE, PLAN)
    marks = [boxes(of_job(root, number, "arrival")[0])[0] for number in range(4)]
    assert list(overlaps(marks)) == []
    assert [round(slot_at(root, mark[0])) for mark in marks] == [0, 0, 2, 2]


def test_more_than_a_server_has_is_red() -> None:
    plan = replace(PLAN, jobs=(JobRuns(job="c", runs=(run(2, {"s0": 3}),)),))
    root = drawn(INSTANCE, plan)
    assert of_job(root, 2, "excess")
    assert "capacity 1" in str(with_class(root, "faults")[0].text)


def test_a_job_that_never_ends_is_told() -> None:
    plan = replace(PLAN, jobs=(JobRuns(job="a", runs=(run(0, {"s0": 2}, stop=3),)),))
    facts = facts_of(INSTANCE, plan)
    assert "0 of 4 jobs end" in lay_out_trace(facts).about
    assert any(
        "never ends" in str(title.text) for title in drawn(INSTANCE, plan).iter() if title.text
    )


def test_time_is_told_in_a_unit_that_suits_it() -> None:
    for factor, unit in ((1, "s"), (3600, "hours"), (86_400, "days")):
        slow = replace(
            INSTANCE,
            tick_s=Decimal(factor),
            restart_s=Decimal(0),
            jobs=(replace(INSTANCE.jobs[1], duration_s=Decimal(9 * factor)),),
        )
        runs = (TraceRun(start_s=Decimal(0), gpus=(("s0", 1),)),)
        picture = lay_out_trace(facts_of(slow, replace(PLAN, jobs=(JobRuns(job="b", runs=runs),))))
        texts = [shape.text for shape in picture.flat() if isinstance(shape, TextLine)]
        assert f"time in {unit}" in texts


def crowd(servers: int) -> tuple[TraceInstance, TraceSchedule]:
    """Make a job of 4 GPUs on each server, and one that comes at 5 and waits until 10."""
    instance = replace(
        INSTANCE,
        servers=tuple(RackServer(name=f"s{i}", gpus=4) for i in range(servers)),
        jobs=(*(job(f"j{i}", 4, 10) for i in range(servers)), job("late", 4, 5, arrival=5)),
    )
    runs = [JobRuns(job=f"j{i}", runs=(run(0, {f"s{i}": 4}),)) for i in range(servers)]
    return instance, replace(PLAN, jobs=(*runs, JobRuns(job="late", runs=(run(10, {"s0": 4}),))))


def test_of_very_many_servers_sums_are_drawn() -> None:
    root = drawn(*crowd(200))
    assert not with_class(root, "piece")
    layer, waiting = with_class(root, "layer")
    full = with_class(root, "band")[0]
    ((_, top, _, bottom),) = boxes(full)
    whole = [box for box in boxes(layer) if slot_at(root, box[2]) < 10]
    assert slot_at(root, whole[-1][2]) > 9.9
    for _, high, _, low in whole:
        assert (high, low) == (pytest.approx(top, abs=0.1), pytest.approx(bottom, abs=0.1))
    held = [(slot_at(root, left), slot_at(root, right)) for left, _, right, _ in boxes(waiting)]
    assert held[0][0] == pytest.approx(5, abs=0.05)
    assert held[-1][1] == pytest.approx(10, abs=0.05)
    assert float(root.attrib["height"]) < 700


def test_a_long_end_in_which_hardly_anything_runs_is_left_out() -> None:
    instance, plan = crowd(200)
    slow = replace(instance, jobs=(*instance.jobs[:-1], job("late", 4, 1000, arrival=5)))
    root = drawn(slow, plan)
    (note,) = with_class(root, "note")
    assert str(note.text).startswith("Later, less than 2 % of the GPUs are in use, until 1,010 s")
    assert max(slot_at(root, box[2]) for box in boxes(with_class(root, "band")[0])) < 15


def test_words_stay_on_the_page() -> None:
    servers = tuple(replace(server, name=server.name + "<&>" * 30) for server in INSTANCE.servers)
    jobs = tuple(
        replace(one, name=one.name + '"<' * 45, group=one.name * 99) for one in INSTANCE.jobs
    )
    instance = replace(INSTANCE, name="&" * 100, servers=servers, jobs=jobs)
    plan = replace(PLAN, method="m" * 300, jobs=())
    picture = gantt_picture(instance, plan, check(instance, plan))
    for text in picture.flat():
        if isinstance(text, TextLine):
            assert 0 <= text.at[0] <= picture.width
            assert len(text.text) < 160
    assert len(with_class(drawn(instance, plan), "arrival")) == 4


def test_the_page_lists_all_jobs() -> None:
    facts = facts_of(INSTANCE, PLAN)
    reader = Reader()
    reader.feed(to_trace_page(facts, lay_out_trace(facts)))
    assert reader.open == []
    assert [cells for cells in reader.rows if cells] == [
        ["a", "2", "s0, s1", "0", "0", "13", "13", "2"],
        ["b", "1", "s1", "0", "0", "6", "6", "1"],
        ["c", "3", "s0, s1", "2", "6", "8", "6", "1"],
        ["d", "1", "s1", "2", "2", "3", "1", "1"],
    ]
    assert reader.jobs["tr"] == reader.jobs["g"] == {"0", "1", "2", "3"}


@pytest.mark.parametrize(
    ("form", "start"), [("svg", b"<svg"), ("html", b"<!DOC"), ("pdf", b"%PDF")]
)
def test_every_format(form: str, start: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"chart.{form}"
    draw_gantt(INSTANCE, PLAN, check(INSTANCE, PLAN), path, Fraction(3))
    assert path.read_bytes().startswith(start)
