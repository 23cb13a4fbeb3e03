"""Transfers on the page: a band for each node, a bar for each flow, and waiting."""

from fractions import Fraction
from typing import Any

from transfers_small import link, pending, plan, together, update

from ringyard.analysis.check import check
from ringyard.analysis.figures.comparisons import completion_times, item_of, unit_of
from ringyard.analysis.report.schedules import shown_schedules
from ringyard.analysis.timeline.transfers import TransferTimeline

from .made import row

CASE = pending(
    (
        *(link(f"w-{name}", "rack", 1) for name in "abc"),
        link("rack", "server", 1),
        link("server", "replica", "0.5"),
    ),
    [update("a", 1), update("b", 1), update("c", 1, ready_s="0.5"), update("<d>", 1, "w-a")],
    aggregators=("rack",),
    replica="replica",
    divergence=1,
)
PLAN = plan(together("rack", "a", "b", to="both"), "c")
"""c goes ahead and arrives at 1.5; a and b do at 2.5 and wait for their copy."""


def lives() -> Any:
    return TransferTimeline(CASE, PLAN, check(CASE, PLAN)).lives()


def test_bars_are_flows_on_the_nodes_they_go_to() -> None:
    drawn = lives()
    names = [name for name, _ in drawn.machines]
    bars = {
        (names[bar.machine], bar.what, bar.start, bar.end) for job in drawn.jobs for bar in job.bars
    }
    assert names == ["rack", "server", "replica"]
    assert {("rack", "a to its aggregator", 0, 1), ("rack", "b to its aggregator", 0, 1)} <= bars
    assert len(bars) == 5


def test_a_send_that_arrives_early_waits_to_be_applied() -> None:
    jobs = {job.name: job for job in lives().jobs}
    assert set(jobs) == {"c", "a, b"}
    *_, flows, waits = jobs["a, b"].spans
    assert flows.contention == "to the server"
    assert (waits.start, waits.end) == (flows.end, jobs["a, b"].end)
    assert (waits.contention, waits.rate) == ("waits to be applied", 0)


def test_rates_of_members_that_flow_at_once_add_up() -> None:
    first, *_ = next(job.spans for job in lives().jobs if job.name == "a, b")
    assert (first.start, first.end, first.rate) == (0, 1, 2.0)
    assert first.contention == "to its aggregator"


def test_the_page_names_sends_and_nodes() -> None:
    some = {"schedule": "a.json.gz", "valid": True, "bound": None}
    rows = [row(method="mlfabric", family="transfers", objective=2.5, **some)]
    (one,), words = shown_schedules(rows, lambda _: (CASE, PLAN), 5)
    assert one["title"] == "mlfabric · time 2.5 s"
    assert "2 sends to 3 nodes" in one["about"]
    assert words == ""


def test_updates_complete_when_they_are_applied() -> None:
    verdict = check(CASE, PLAN)
    times = completion_times(CASE, verdict)
    assert times[2] == float(verdict.applied["c"] - Fraction(1, 2))
    assert times[3] == float("inf"), "<d> is dropped"
    rows = [{"family": "transfers"}]
    assert (unit_of(rows), item_of(rows)) == ("s", "update")
