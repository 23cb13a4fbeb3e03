"""One browser for all tests of the page, and pages to look at."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ringyard.analysis.report import to_page

from .browser import Browser, found_browser
from .made import many_rows, report_of, small_campaign


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Start the browser, or skip and say what is missing."""
    path = found_browser()
    if path is None:
        pytest.skip("no Chromium is installed (Debian: apt-get install chromium)")
    found = Browser(path, tmp_path_factory.mktemp("browser"))
    yield found
    found.close()


@pytest.fixture(scope="session")
def small_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the page of a small campaign."""
    path = tmp_path_factory.mktemp("page") / "small.html"
    path.write_text(to_page(report_of(*small_campaign(), name="small")), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def large_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the page of 50,000 runs."""
    path = tmp_path_factory.mktemp("page") / "large.html"
    path.write_text(to_page(report_of(list(many_rows(50_000)))), encoding="utf-8")
    return path
