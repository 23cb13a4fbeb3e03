"""Every measured table and picture of the pages is made by a campaign; a small one of each runs."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from campaigns.runs_at_hand import engine_row

from ringyard.campaigns.plan import find_campaign, read_plan
from ringyard.campaigns.reproductions import Reproduction, Results, runs_of, write_report
from ringyard.campaigns.runs import BOUND, Run
from ringyard.campaigns.study_pages import read_records
from ringyard.engines.program_run import ProgramRun
from ringyard.families import FAMILIES
from ringyard.papers.mobihoc import runs as mobihoc_runs
from ringyard.papers.reproductions import REPRODUCTIONS

DOCS = Path(__file__).parents[2] / "docs"

BY_COMMANDS = {
    "cluster-goal.svg",
    "first-list-scheduling.svg",
    "groups-quotas.svg",
    "layers.svg",
    "rent-curve.png",
    "replan.svg",
    "report-first.png",
    "search-curve.svg",
    "tight-40x12-s1-gang-lpt.svg",
    "tight-40x12-s1-list-scheduling.svg",
    "tight-40x12-s1-portfolio.svg",
    "tiny-trace-2d-las.svg",
    "two-kinds.svg",
}
"""Pictures of single schedules, a curve, made by commands of the pages."""

DRAWN = {"walk-campaign.svg", "walk-instance.svg"}
"""Pictures of the architecture, drawn by hand."""

LICENSED = ("lp-licensed", "milp-licensed", "ip-licensed")
"""Parts about solvers that few machines have; a test of the kept runs holds them."""

KEPT = {
    (f"studies/{page}.md", part)
    for page, _, part in (name.partition("#") for name in read_records(DOCS))
    if part
}
"""Parts with a date of their own, which are no part of a reproduction."""

BY_OTHERS = (
    *KEPT,
    ("studies/certificates.md", "certificates-of-the-catalogue"),
    ("studies/contention.md", "files"),
    ("studies/torture.md", "trials"),
    ("reference/columns.md", "columns"),
    *(("reference/solvers.md", part) for part in ("solvers", "situations")),
    *(("studies/wrong-answers.md", part) for part in ("found", "contradicted")),
    *(
        ("studies/modelling-layers.md", part)
        for part in ("layers", "occupancy", "load-limit", "tickwise")
    ),
    *(("studies/solvers.md", part) for part in LICENSED),
)
"""Parts that are not measured here: tests of their own hold them, or a benchmark writes them."""


def made_up(run: Run) -> dict[str, Any]:
    """Return a row in which everything is proved optimal."""
    if isinstance(run, ProgramRun):
        return engine_row(run)
    return {
        "instance": run.instance.name,
        "digest": run.instance.name,
        "method": run.method,
        "sense": "max" if FAMILIES[run.instance.kind].maximize else "min",
        "status": "optimal",
        "termination": "done",
        "valid": run.method != BOUND,
        "objective": None if run.method == BOUND else 100,
        "bound": 100,
        "bound_kind": "dual",
        "certificate": "area",
        "seconds": 1.5,
        "mean_end": 50,
        "median_slots": 4,
        "median_jct_s": 40,
        "p95_jct_s": 300,
        "mean_queueing_s": 10,
        "mean_waiting_s": 20,
        "makespan_s": 900,
        "utilisation": 0.5,
        "preemptions": 3,
        "mean_gpus": 50,
        "trajectory": [[0.5, 110.0, None], [0.7, 100.0, 90.0], [1.5, 100.0, 100.0]],
    }


@cache
def reported(one: Reproduction) -> tuple[Results, set[str]]:
    """Return a small report, and the runs it asked for."""
    asked: set[str] = set()

    def note(run: Run) -> dict[str, Any]:
        asked.add(run.key)
        return made_up(run)

    return one.campaign.report(one.smoke, note), asked


def report(one: Reproduction) -> Results:
    return reported(one)[0]


def parts(one: Reproduction) -> set[str]:
    made = {*report(one).tables, *(["statements"] if report(one).statements else [])}
    return made - {*LICENSED}


def marks(page: str) -> Iterator[str]:
    text = (DOCS / page).read_text(encoding="utf-8")
    yield from re.findall(r"^<!-- (?!end -->)(\S+) -->$", text, re.MULTILINE)


def test_names_of_reproductions_differ() -> None:
    assert len({one.name for one in REPRODUCTIONS}) == len(REPRODUCTIONS)


@pytest.mark.slow
def test_every_part_and_picture_has_one_place_and_every_place_one_of_them() -> None:
    pages = [page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")]
    pages = [page for page in pages if "/text/" not in page]
    places = [(page, mark) for page in pages for mark in marks(page)]
    places.remove(("studies/index.md", "studies"))
    assert len(set(places)) == len(places)
    for place in BY_OTHERS:
        places.remove(place)
    for one in REPRODUCTIONS:
        for part in parts(one):
            page = next(page for page in one.pages if part in marks(page))
            places.remove((page, part))
    assert places == []

    charts = {
        f"{one.name}-{name}.svg"
        for one in REPRODUCTIONS
        for name in (*report(one).charts, *one.plots)
    }
    gallery = re.findall(r"--(?:gantt|plot) (gallery\S+)", (DOCS / "gallery.md").read_text("utf-8"))
    shown = {path.name for path in (DOCS / "pictures").iterdir()}
    assert shown == charts | BY_COMMANDS | DRAWN | set(gallery)


LONG = {"boa", "mlfabric", "relaxations", "sides", "sjf-bco-argument"}
"""Reproductions whose small report takes more than a second."""


@pytest.mark.parametrize(
    "one",
    [
        pytest.param(one, marks=[pytest.mark.slow] if one.name in LONG else [], id=one.name)
        for one in REPRODUCTIONS
        if not one.plots
    ],
)
def test_what_the_report_asks_for_is_run(one: Reproduction) -> None:
    assert reported(one)[1] == {run.key for run in runs_of(one.campaign, one.smoke, made_up)}


@pytest.mark.parametrize(
    "one",
    [
        pytest.param(
            one, marks=[pytest.mark.slow] if place % 8 or one.name == "mobihoc" else [], id=one.name
        )
        for place, one in enumerate(one for one in REPRODUCTIONS if not one.timed)
    ],
)
def test_the_same_rows_give_the_same_bytes(one: Reproduction, tmp_path: Path) -> None:
    first = {path: path.read_bytes() for path in write_report(report(one), tmp_path)}
    again = write_report(one.campaign.report(one.smoke, made_up), tmp_path)
    assert {path: path.read_bytes() for path in again} == first


def test_the_demo_is_the_named_campaign() -> None:
    one = next(one for one in REPRODUCTIONS if one.name == "demo")
    plan = read_plan(find_campaign("demo"))
    assert [run.key for run in one.campaign.runs(one.settings)] == [run.key for run in plan.runs]


def test_points_are_the_first_of_each_figure() -> None:
    smoke = REPRODUCTIONS[0].smoke
    some = {run.key for run in mobihoc_runs(replace(smoke, points=2))}
    assert {run.key for run in mobihoc_runs(smoke)} < some
    assert some < {run.key for run in mobihoc_runs(replace(smoke, points=None))}
