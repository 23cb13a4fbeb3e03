"""The chart of a schedule in slots: what is held when and where, to scale."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from gantt.drawing import NAMESPACE, boxes, of_job, overlaps, slot_at, with_class
from gantt.slotted import (
    INSTANCE,
    OVERFULL,
    PLAN,
    RING_PLAN,
    RINGS,
    drawn,
    facts_of,
    picture_of,
    slot,
)
from gantt.test_page import Reader

from ringyard.analysis.check import check
from ringyard.analysis.drawing.shapes import TextLine
from ringyard.analysis.gantt import draw_gantt
from ringyard.analysis.gantt.slots import lay_out_slots, to_slots_page
from ringyard.analysis.timeline import Holding
from ringyard.instances import AnySchedule, Instance


def hold(machine: int, start: int, end: int, units: int, *, spread: bool) -> Holding:
    return Holding(machine=machine, start=start, end=end, units=units, spread=spread)


def test_slots_that_follow_each_other_are_one_hold() -> None:
    facts = facts_of(INSTANCE, PLAN)
    a, b, c = facts.jobs
    assert set(a.holds) == {hold(0, 0, 2, 3, spread=False), hold(0, 3, 4, 3, spread=False)}
    assert set(b.holds) == {hold(i, 2, 4, units, spread=True) for i, units in enumerate((1, 1, 0))}
    assert (c.holds, facts.last(c)) == ((), "never completes")
    assert (a.worker_slots, facts.last(a)) == (9, "completes in slot 3")


def test_the_headline_counts() -> None:
    facts = facts_of(INSTANCE, PLAN, Fraction(25))
    assert (facts.admitted, facts.value, facts.gap) == (2, 20, 0.2)
    about = lay_out_slots(facts).about
    assert about == "small · hand · utility 20 · bound 25 · gap 20.0 %"


def test_bars_are_as_long_as_slots_and_as_high_as_gpus() -> None:
    root = drawn(INSTANCE, PLAN)
    (piece,) = (piece for piece in of_job(root, 0, "piece"))
    (band,) = with_class(root, "band")
    tall = [bottom - top for _, top, _, bottom in boxes(band)]
    spans = [(slot_at(root, left), slot_at(root, right)) for left, _, right, _ in boxes(piece)]
    assert sorted(spans) == [pytest.approx((0, 2), abs=0.01), pytest.approx((3, 4), abs=0.01)]
    heights = [bottom - top for _, top, _, bottom in boxes(piece)]
    assert heights == pytest.approx([0.75 * tall[0]] * 2, abs=1)


def test_bars_do_not_overlap_and_stay_in_their_machines() -> None:
    root = drawn(INSTANCE, PLAN)
    pieces = [box for piece in with_class(root, "piece") for box in boxes(piece)]
    assert len(pieces) == 4
    assert list(overlaps(pieces)) == []
    strips = [box for band in with_class(root, "band") for box in boxes(band)]
    for _, top, _, bottom in pieces:
        assert any(a <= top and bottom <= b for _, a, _, b in strips)


def test_jobs_spread_over_machines_are_outlined() -> None:
    root = drawn(INSTANCE, PLAN)
    assert all(piece.get("stroke") for piece in of_job(root, 1, "piece"))
    assert not any(piece.get("stroke") for piece in of_job(root, 0, "piece"))


def test_arrivals_say_who_is_rejected() -> None:
    root = drawn(INSTANCE, PLAN)
    rows = {row.text: float(row.attrib["y"]) for row in with_class(root, "row")}
    assert list(rows) == ["admitted · 2", "rejected · 1"]
    marks = [of_job(root, number, "arrival")[0] for number in range(3)]
    (a, b, c) = (boxes(mark)[0] for mark in marks)
    assert a[1] == b[1] < rows["admitted · 2"] < c[1] < rows["rejected · 1"]
    assert [int(slot_at(root, box[0])) for box in (a, b, c)] == [0, 1, 1]


def test_the_legend_counts_rejected_jobs() -> None:
    texts = {text.text for text in drawn(INSTANCE, PLAN).iter(f"{NAMESPACE}text")}
    assert {"rejected: 1 of 3 jobs", "colour only tells jobs apart"} <= texts
    everyone = replace(INSTANCE, jobs=INSTANCE.jobs[:2])
    texts = {text.text for text in drawn(everyone, PLAN).iter(f"{NAMESPACE}text")}
    assert not any("rejected:" in str(text) for text in texts)


def test_more_than_a_machine_has_is_red() -> None:
    root = drawn(INSTANCE, OVERFULL)
    (excess,) = with_class(root, "excess")
    (_, top, _, bottom), (_, start, _, end) = (
        boxes(excess)[0],
        boxes(of_job(root, 0, "piece")[0])[0],
    )
    assert end - start == pytest.approx(2 * (bottom - top), rel=0.05)
    assert "capacity 1" in str(with_class(root, "faults")[0].text)


def test_what_takes_none_of_the_resource_is_said() -> None:
    notes = [str(note.text) for note in with_class(drawn(INSTANCE, PLAN), "note")]
    assert notes == ["Not drawn: workers and parameter servers that use no gpu."]


def test_a_resource_is_chosen_that_shows_all_jobs() -> None:
    assert facts_of(INSTANCE, PLAN).resource == "gpu"
    frugal = replace(INSTANCE.jobs[0], worker=INSTANCE.jobs[0].worker[:1])
    assert frugal.worker[0][0] == "cpu"
    assert facts_of(replace(INSTANCE, jobs=(frugal, *INSTANCE.jobs[1:])), PLAN).resource == "cpu"


def test_parts_of_a_gpu_are_drawn_to_scale() -> None:
    facts = facts_of(RINGS, RING_PLAN)
    assert (facts.unit, facts.machines, facts.value) == (2, (("m0", 3),), 6)
    assert [h.units for h in facts.jobs[0].holds] == [1, 2, 3]
    root = drawn(RINGS, RING_PLAN)
    labels = [label.text for label in with_class(root, "server")]
    assert labels == ["m0 · 1.5"]
    assert [row.text for row in with_class(root, "row")] == ["at work · 1", "never at work · 1"]


def test_slots_behind_the_horizon_and_unknown_machines_do_not_break_it() -> None:
    admission = replace(PLAN.admissions[0], plan=(slot(9, {"m0": 1, "nowhere": 2}, {"m0": 1}),))
    root = drawn(INSTANCE, replace(PLAN, admissions=(admission,)))
    (piece,) = of_job(root, 0, "piece")
    assert slot_at(root, boxes(piece)[0][0]) == pytest.approx(9, abs=0.01)


def test_an_empty_schedule_shows_who_came() -> None:
    root = drawn(INSTANCE, replace(PLAN, admissions=()))
    assert len(with_class(root, "arrival")) == 3
    assert not with_class(root, "piece")


def test_words_stay_on_the_page() -> None:
    machines = tuple(replace(m, name=m.name + "<&>" * 30) for m in INSTANCE.machines)
    jobs = tuple(replace(job, name=job.name + '"<' * 45) for job in INSTANCE.jobs)
    instance = replace(INSTANCE, name="&" * 100, machines=machines, jobs=jobs)
    picture = picture_of(instance, replace(PLAN, admissions=(), method="m" * 300))
    for text in picture.flat():
        if isinstance(text, TextLine):
            assert 0 <= text.at[0] <= picture.width
            assert len(text.text) < 160
    assert drawn(instance, replace(PLAN, admissions=())).get("width") == "1280"


def test_of_very_many_machines_totals_are_drawn() -> None:
    machines = tuple(replace(INSTANCE.machines[0], name=f"m{i}") for i in range(300))
    last = replace(PLAN.admissions[0], plan=(slot(0, {"m299": 3}, {"m299": 1}),))
    root = drawn(replace(INSTANCE, machines=machines), replace(PLAN, admissions=(last,)))
    assert not with_class(root, "piece")
    assert float(root.attrib["height"]) < 720
    assert len(with_class(root, "arrival")) == 3
    (layer,) = with_class(root, "layer")  # Three of 4 * 300 GPUs in the first of six slots.
    held = boxes(layer)
    ((_, top, _, bottom),) = boxes(with_class(root, "band")[0])
    assert slot_at(root, held[-1][2]) == pytest.approx(1, abs=0.05)
    assert held[0][3] - held[0][1] == pytest.approx((bottom - top) * 3 / 1200, abs=0.01)


def test_the_page_lists_all_jobs() -> None:
    facts = facts_of(INSTANCE, PLAN)
    reader = Reader()
    reader.feed(to_slots_page(facts, lay_out_slots(facts)))
    assert reader.open == []
    assert [cells for cells in reader.rows if cells] == [
        ["a", "9", "m0", "0", "3", "10"],
        ["b", "4", "m0, m1, m2", "1", "3", "10"],
        ["c", "0", "", "1", "-", "-"],
    ]
    assert reader.jobs["tr"] == reader.jobs["g"] == {"0", "1", "2"}


@pytest.mark.parametrize(
    ("form", "start"), [("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF"), ("html", b"<!DOC")]
)
def test_every_format(form: str, start: bytes, tmp_path: Path) -> None:
    cases: list[tuple[Instance, AnySchedule]] = [(INSTANCE, PLAN), (RINGS, RING_PLAN)]
    for instance, schedule in cases if form == "svg" else cases[:1]:
        path = tmp_path / f"chart.{form}"
        draw_gantt(instance, schedule, check(instance, schedule), path, Fraction(Decimal("25.5")))
        assert path.read_bytes().startswith(start)
