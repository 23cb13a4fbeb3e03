"""The chart of a `fleet` log: what is leased and held over time, and a row for each job."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from gantt.drawing import Element, boxes, of_job, slot_at, with_class

from ringyard.analysis.check import check
from ringyard.analysis.drawing.shapes import Boxes, TextLine
from ringyard.analysis.drawing.svg import to_svg
from ringyard.analysis.gantt import chart_of, draw_gantt, gantt_picture
from ringyard.analysis.gantt import fleet as fleet_chart
from ringyard.analysis.gantt.fleet import lay_out_fleet, to_fleet_page
from ringyard.analysis.timeline.fleet import FleetTimeline
from ringyard.instances import (
    Epoch,
    FleetInstance,
    FleetJob,
    FleetJobRuns,
    FleetLog,
    FleetRun,
    JobType,
    Lease,
    PowerLaw,
    RefusedError,
)
from ringyard.instances.catalogue import load


def kind(name: str) -> JobType:
    """Make a type of jobs that are twice as fast on two GPUs."""
    law = PowerLaw(exponent=Decimal(1))
    epoch = Epoch(work_h=Decimal(1), speedup=law)
    return JobType(name=name, rate_per_h=Decimal(1), epochs=(epoch,))


def job(name: str, of: str, arrival: int, work: int) -> FleetJob:
    return FleetJob(name=name, type=of, arrival_s=Decimal(arrival), work_s=(Decimal(work),))


def run(start: int, gpus: int, stop: int | None = None) -> FleetRun:
    end = None if stop is None else Decimal(stop)
    return FleetRun(start_s=Decimal(start), stop_s=end, gpus=Decimal(gpus))


def lease(gpus: int, start: int, stop: int) -> Lease:
    return Lease(gpus=Decimal(gpus), start_s=Decimal(start), stop_s=Decimal(stop))


PATH = FleetInstance(
    name="path",
    types=(kind("small"), kind("large")),
    jobs=(job("a", "small", 0, 600), job("b", "large", 100, 1200)),
    span_s=Decimal(1000),
    budget_gpus=Decimal(6),
    rescale_s=Decimal(100),
    provision_s=Decimal(100),
)
LOG = FleetLog(
    instance="path",
    method="hand",
    leases=(lease(4, 0, 900), lease(2, 0, 500)),
    jobs=(
        FleetJobRuns(job="a", runs=(run(100, 2),)),
        FleetJobRuns(job="b", runs=(run(200, 1, stop=400), run(400, 4))),
    ),
)
"""Job a ends at 400; b does 200 s of work on one GPU, stands still, and ends at 750."""


def drawn(instance: FleetInstance = PATH, log: FleetLog = LOG) -> Element:
    return ElementTree.fromstring(to_svg(gantt_picture(instance, log, check(instance, log))))


def facts_of(instance: FleetInstance, log: FleetLog, bound: Fraction | None = None) -> Any:
    return FleetTimeline(instance, log, check(instance, log), bound)


def times(root: Element, number: int, role: str) -> list[tuple[float, float]]:
    found = [box for part in of_job(root, number, role) for box in boxes(part)]
    return sorted((slot_at(root, left), slot_at(root, right)) for left, _, right, _ in found)


def test_the_judge_accepts_the_log_that_is_drawn() -> None:
    verdict = check(PATH, LOG)
    assert verdict.violations == ()
    assert verdict.ends == {"a": 400, "b": 750}


def test_the_headline_says_mean_gap_and_spend() -> None:
    picture = lay_out_fleet(facts_of(PATH, LOG, Fraction(21, 160)))
    # (400 + 650) / 2 s; 4 x 900 + 2 x 500 of 6 x 1000 GPU-seconds.
    words = "mean completion time 0.1458 h · bound 0.1313 h · gap 10.0 % · 76.7 % of the budget"
    assert picture.about == f"path · hand · {words}"


def test_bars_are_as_long_as_runs_and_as_high_as_they_have_gpus() -> None:
    root = drawn()
    (one, four) = times(root, 1, "piece")
    assert one == pytest.approx((200, 400), abs=2)
    assert four == pytest.approx((400, 750), abs=2)
    heights = [box[3] - box[1] for part in of_job(root, 1, "piece") for box in boxes(part)]
    assert heights[1] == pytest.approx(4 * heights[0], rel=0.01)


def test_a_change_of_gpus_is_hatched_and_a_first_start_is_not() -> None:
    root = drawn()
    stripes = times(root, 1, "restart")
    assert min(start for start, _ in stripes) == pytest.approx(400, abs=2)
    assert 490 < max(end for _, end in stripes) <= 501
    assert not of_job(root, 0, "restart")


def test_gpus_over_time_add_up_to_what_is_leased() -> None:
    picture = lay_out_fleet(facts_of(PATH, LOG))
    layers = [s for s in picture.flat() if isinstance(s, Boxes) and s.role == "layer"]
    (scale,) = [s for s in picture.flat() if isinstance(s, Boxes) and s.role == "band"][:1]
    pixels = sum(width * height for layer in layers for _, _, width, height in layer.at)
    _, _, width, height = scale.at[0]
    # The panel is 900 s long and 1.06 x 6 GPUs high.
    assert pixels / (width * height) * 900 * 6.36 == pytest.approx(4 * 900 + 2 * 500, rel=0.03)


def test_the_budget_is_a_line_with_its_value() -> None:
    root = drawn()
    assert len(with_class(root, "budget")) == 1
    assert "budget: 6 on average over the span" in "".join(root.itertext())


def test_the_legend_names_types_and_what_occurs() -> None:
    text = "".join(drawn().itertext())
    assert "small" in text
    assert "leased but not ready" in text
    at_once = replace(PATH, provision_s=Decimal(0))
    assert "leased but not ready" not in "".join(drawn(at_once).itertext())


def test_many_jobs_take_rows_again() -> None:
    jobs = tuple(job(f"j{i}", "small", 10 * i, 10) for i in range(60))
    path = replace(PATH, jobs=jobs, provision_s=Decimal(0))
    runs = tuple(FleetJobRuns(job=one.name, runs=(run(10 * i, 1),)) for i, one in enumerate(jobs))
    log = replace(LOG, leases=(lease(1, 0, 600),), jobs=runs)
    tops = {box[1] for i in range(60) for part in of_job(drawn(path, log), i, "piece")
            for box in boxes(part)}  # fmt: skip
    assert len(tops) == 1, "no two of them are there at the same time"


def test_of_very_many_runs_only_sums_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet_chart, "MOST_BARS", 2)
    root = drawn()
    assert not with_class(root, "job")
    assert "running jobs, with waiting jobs above them" in "".join(root.itertext())


def test_a_log_with_faults_is_drawn_with_them() -> None:
    log = replace(LOG, leases=LOG.leases[1:], jobs=LOG.jobs[:1])
    about = lay_out_fleet(facts_of(PATH, log)).about
    assert "1 of 2 jobs end" in about
    assert "not valid: " in "".join(drawn(PATH, log).itertext())


def test_long_names_are_cut() -> None:
    long = replace(PATH.jobs[0], name="a" * 100)
    path = replace(PATH, jobs=(long, PATH.jobs[1]))
    log = replace(LOG, jobs=(replace(LOG.jobs[0], job=long.name), LOG.jobs[1]))
    names = [s.text for s in lay_out_fleet(facts_of(path, log)).flat()
             if isinstance(s, TextLine) and s.role == "name"]  # fmt: skip
    assert names[0].endswith("…")
    assert len(names[0]) < 60


def test_the_page_lists_jobs_with_their_times() -> None:
    facts = facts_of(PATH, LOG)
    text = to_fleet_page(facts, lay_out_fleet(facts))
    assert "<td>b</td><td>2</td><td>large</td>" in text
    assert '<td data-value="4.0">1, 4</td>' in text
    assert '<td data-value="0.208333">0.208</td>' in text


def test_every_format_is_written(tmp_path: Path) -> None:
    for form, start in (("svg", b"<svg"), ("html", b"<!DOCTYPE"), ("png", b"\x89PNG")):
        out = tmp_path / f"chart.{form}"
        draw_gantt(PATH, LOG, check(PATH, LOG), out)
        assert out.read_bytes().startswith(start)


def test_plans_of_widths_are_refused() -> None:
    with pytest.raises(RefusedError, match=r"has no times to draw.*ringyard rent boa-two-types"):
        chart_of(load("boa-two-types"))
    chart_of(PATH)
