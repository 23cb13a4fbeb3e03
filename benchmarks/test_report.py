"""The page of a campaign with 50,000 runs: made, opened, sorted, filtered, scrolled, zoomed."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ringyard.analysis.report import to_page
from ringyard.analysis.report.schedules import plain
from ringyard.analysis.timeline import Bar, Life, Lives, RateSpan

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from report.browser import Browser, found_browser
from report.made import many_rows, report_of

RUNS = 50_000
GRID = "grids.get('runs')"
ACTS = {
    "sort numbers": f"{GRID}.heads[8].firstChild.click()",
    "sort texts": f"{GRID}.heads[0].firstChild.click()",
    "filter": f"{GRID}.words.value = 'random-03 gap>0.1'; {GRID}.refresh()",
    "scroll a screen": f"{GRID}.scroller.scrollTop += 600; {GRID}.paint();"
    f" {GRID}.body.offsetHeight",
    "zoom 5,000 bars": "gantt.zoom(gantt.from ? 1 / 1.01 : 1.01)",
    "hover over a bar": "gantt.choose((gantt.job + 1) % 2500, gantt.from, 300, 300)",
}


def large_schedule() -> dict[str, Any]:
    """Return a schedule of 2,500 jobs, each on two servers and with five rates in its life."""
    jobs = []
    for i in range(2500):
        start, server = 50 * (i // 50), 2 * (i % 50)
        spans = tuple(
            RateSpan(start=t, end=t + 10, rate=1.0, contention="", lost=(t + i) % 7 / 10)
            for t in range(start, start + 50, 10)
        )
        end = start + 50
        bars = tuple(
            Bar(machine=machine, start=start, end=end, units=4, what="4 GPUs")
            for machine in (server, server + 1)
        )
        name = f"job{i}"
        jobs.append(Life(name=name, about="", start=start, end=end, bars=bars, spans=spans))
    machines = tuple((f"server-{i}", 8) for i in range(100))
    lives = Lives(machines=machines, jobs=tuple(jobs), unit="slots", rate="per slot")
    return {"instance": "large", "title": "made up", "about": "", **plain(lives)}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory, size: Callable[[int], int]) -> Path:
    path = tmp_path_factory.mktemp("report") / "page.html"
    report = replace(report_of(list(many_rows(size(RUNS)))), schedules=[large_schedule()])
    path.write_text(to_page(report), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Any:
    found = found_browser()
    if found is None:
        pytest.skip("no Chromium is installed")
    one = Browser(found, tmp_path_factory.mktemp("browser"))
    yield one
    one.close()


@pytest.mark.benchmark(group="make the page")
def test_make(benchmark: Any, size: Callable[[int], int]) -> None:
    rows = list(many_rows(size(RUNS)))
    page = benchmark.pedantic(lambda: to_page(report_of(rows)), rounds=1)
    benchmark.extra_info["megabytes"] = len(page) / 1e6


@pytest.mark.benchmark(group="use the page")
def test_open(benchmark: Any, browser: Browser, page: Path) -> None:
    benchmark.pedantic(lambda: browser.open(page), rounds=5)


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.benchmark(group="use the page")
def test_use(benchmark: Any, browser: Browser, page: Path, act: str) -> None:
    browser.open(page)
    benchmark.pedantic(lambda: browser.run(ACTS[act]), rounds=10)
