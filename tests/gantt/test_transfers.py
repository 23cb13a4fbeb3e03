"""The chart of a `transfers` plan: a row for each update, and when it is applied."""

from fractions import Fraction
from typing import Any
from xml.etree import ElementTree

import pytest
from gantt.drawing import boxes, of_job, with_class
from transfers_small import link, pending, plan, together, update

from ringyard.analysis.check import check
from ringyard.analysis.drawing.svg import to_svg
from ringyard.analysis.gantt import transfers as transfers_chart
from ringyard.analysis.gantt.transfers import lay_out_transfers, to_transfers_page
from ringyard.analysis.timeline.transfers import TransferTimeline
from ringyard.instances import TransferPlan, TransfersInstance

CASE = pending(
    (
        *(link(f"w-{name}", "rack", 1) for name in "abc"),
        link("rack", "server", 1),
        link("server", "replica", "0.5"),
    ),
    [update("a", 1), update("b", 1), update("c", 1), update("<d>", 1, worker="w-a")],
    aggregators=("rack",),
    replica="replica",
    divergence=1,
)
PLAN = plan(together("rack", "a", "b", to="both"), "c")
"""c goes ahead and arrives at 1; a and b do at 2 and wait for their copy."""


def facts_of(case: TransfersInstance = CASE, made: TransferPlan = PLAN) -> Any:
    return TransferTimeline(case, made, check(case, made), Fraction(1))


def drawn(case: TransfersInstance = CASE, made: TransferPlan = PLAN) -> Any:
    return ElementTree.fromstring(to_svg(lay_out_transfers(facts_of(case, made))))


def test_rows_are_in_the_order_of_applying() -> None:
    facts = facts_of()
    assert [send.number for send in facts.sends] == [1, 0]
    assert [name.text for name in with_class(drawn(), "name")] == ["c", "a", "b"]


def test_bars_are_where_flows_are_and_waiting_shows() -> None:
    root = drawn()
    (waiting,), (applied,) = of_job(root, 0, "waiting"), of_job(root, 0, "applied")
    assert not of_job(root, 1, "waiting")
    ((left, _, right, _),) = boxes(waiting)
    pieces = [box for piece in of_job(root, 0, "piece") for box in boxes(piece)]
    start, end = min(box[0] for box in pieces), max(box[2] for box in pieces)
    assert left == pytest.approx((start + end) / 2, abs=0.2), "from 2 s of 4 s on"
    assert float(applied.attrib["x1"]) == pytest.approx(right, abs=0.2)


def test_what_waits_for_ever_has_no_tick() -> None:
    made = plan(together("rack", "a", "b"), "c")
    assert not of_job(drawn(CASE, made), 0, "applied")
    assert of_job(drawn(CASE, made), 1, "applied")


def test_dropped_updates_are_named_and_nothing_is_markup() -> None:
    (note,) = with_class(drawn(), "note")
    assert note.text == "dropped (1): <d>"
    facts = facts_of()
    page = to_transfers_page(facts, lay_out_transfers(facts))
    assert "<d>" not in page
    assert "1 dropped" in page


def test_a_plan_that_names_what_is_not_there_is_drawn_as_far_as_it_can_be() -> None:
    wrong = plan(together("nobody", "a", "b"), "a", "who")
    facts = facts_of(CASE, wrong)
    assert [len(send.updates) for send in facts.sends] == [2]
    assert "not valid" in "".join(
        text.text or "" for text in with_class(drawn(CASE, wrong), "faults")
    )


def test_an_empty_plan_and_very_many_updates_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    assert drawn(CASE, plan()) is not None
    monkeypatch.setattr(transfers_chart, "MOST_ROWS", 1)
    assert "the last 1 sends" in [note.text for note in with_class(drawn(), "note")][-1]
