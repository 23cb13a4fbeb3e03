"""Rented GPUs on the page: logs band by band, and no plans of widths."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

from gantt.test_fleet import LOG, PATH

from ringyard.analysis.check import check
from ringyard.analysis.report.schedules import plain, shown_schedules
from ringyard.analysis.timeline.fleet import FleetTimeline, Lives

from .made import row


def lives(log: Any = LOG) -> Lives:
    return FleetTimeline(PATH, log, check(PATH, log)).lives()


def test_a_bar_has_the_times_and_gpus_of_its_run() -> None:
    made = lives()
    hour = 3600 * made.tick
    bars = [
        (i, bar.machine, hour * bar.start, hour * (bar.end or 0), bar.what)
        for i, job in enumerate(made.jobs)
        for bar in job.bars
    ]
    assert bars == [
        (0, 0, 100, 400, "2 GPUs"),
        (1, 1, 200, 400, "1 GPU"),
        (1, 1, 400, 750, "4 GPUs"),
    ]


def test_a_job_restarts_after_a_change_and_works_else() -> None:
    made = lives()
    _, job = made.jobs
    spans = [(3600 * made.tick * one.start, one.rate, one.contention) for one in job.spans]
    assert spans == [(200, 1.0, "works"), (400, 0.0, "restarts"), (500, 4.0, "works")]
    assert "2 runs, took 0.181 h" in job.about


def test_lanes_are_as_many_as_gpus_at_once_in_tenths() -> None:
    assert [band["lanes"] for band in plain(lives())["bands"]] == [20, 40]


def test_lanes_of_many_gpus_stay_few() -> None:
    much = replace(LOG, leases=tuple(replace(o, gpus=Decimal(5000)) for o in LOG.leases))
    assert [band["lanes"] for band in plain(lives(much))["bands"]] == [2, 4]


def test_a_plan_of_widths_is_counted_and_not_shown() -> None:
    some = {"schedule": "a.json.gz", "valid": True, "bound": None}
    rows = [
        row(method="boa", family="fleet", objective=0.14583333, **some),
        row(method="boa", family="rental", objective=0.3, digest="e" * 64, **some),
    ]
    (one,), words = shown_schedules(rows, lambda _: (PATH, LOG), 5)
    assert one["title"] == "boa · mean completion time 0.1458 h"
    assert "2 jobs of 2 types" in one["about"]
    assert words.startswith("1 of 2 schedules are on this page")
    assert "Plans without a timeline: 1" in words
