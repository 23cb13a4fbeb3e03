"""`ringyard report`: from the folder of a campaign to a page, and what it refuses."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ringyard.campaigns.drive import drive
from ringyard.campaigns.runs import Run
from ringyard.campaigns.store import prepared
from ringyard.cli import main
from ringyard.instances.catalogue import load

from ..campaigns.runs_at_hand import Here
from .browser import Browser

METHODS = {
    "hand-theorem5": ("list-scheduling", "sjf-bco", "bound", "enumeration"),
    "small-10x3": ("list-scheduling", "enumeration"),
    "hand-online-trap": ("fifo", "pd-ors-corrected", "bound"),
    "hand-gadget-later": ("ring-fifo", "bound"),
}
PLAN = 'format = "ringyard-campaign/1"\nname = "trial <b>"\nabout = "One of each."\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run a small campaign of all families, one run of it refused."""
    made = tmp_path_factory.mktemp("campaign")
    runs = [
        Run(instance=load(name), method=method)
        for name, methods in METHODS.items()
        for method in methods
    ]
    drive(prepared(made), runs, Here(), lambda _: None)
    (made / "campaign.toml").write_text(PLAN, encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def page(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the page of the whole campaign."""
    made = tmp_path_factory.mktemp("page") / "page.html"
    assert main(["report", str(folder), "--out", str(made)]) == 0
    return made


ONLINE = ("--family", "online")
"""Words that leave few rows, with which a page has few figures to draw."""

Command = Callable[..., tuple[int, str]]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Return a function that runs `ringyard report WORDS...` and gives code and all it said."""

    def run(*words: object) -> tuple[int, str]:
        code = main(["report", *map(str, words)])
        streams = capsys.readouterr()
        return code, streams.out + streams.err

    return run


def data_of(page: Path) -> Any:
    """Return the data in a page."""
    text = page.read_text(encoding="utf-8")
    return json.loads(text.partition('id="data">')[2].partition("</script>")[0])


def column(data: Any, grid: str, name: str) -> list[Any]:
    """Return the different values of a column."""
    found = next(one for one in data["grids"][grid]["columns"] if one["name"] == name)
    return found.get("of") or found.get("values") or [found["all"]]


def test_a_campaign_becomes_a_page_with_all_its_parts(page: Path) -> None:
    text, data = page.read_text(encoding="utf-8"), data_of(page)
    assert "<title>trial &lt;b&gt;</title>" in text
    assert "One of each." in text
    assert data["grids"]["runs"]["count"] == 11
    families = {schedule["instance"]: schedule["rate"] for schedule in data["schedules"]}
    assert families == {
        "hand-theorem5": "iterations per slot",
        "small-10x3": "iterations per slot",
        "hand-online-trap": "samples per slot",
        "hand-gadget-later": "progress per slot",
    }
    assert "refused" in column(data, "runs", "status")
    assert set(column(data, "verdicts", "verdict")) >= {"holds", "violated"}
    assert "theorem-5" in column(data, "verdicts", "theorem")
    assert text.count("<figure>") > 2


def test_the_page_is_the_same_whenever_it_is_made(
    command: Command, folder: Path, page: Path, tmp_path: Path
) -> None:
    out = tmp_path / "page.html"
    assert command(folder, "--out", out) == (0, f"{out}: 11 runs, 0.1 MB\n")
    assert out.read_bytes() == page.read_bytes()


def test_schedules_are_as_many_as_asked_for(command: Command, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    command(folder, *ONLINE, "--out", out, "--schedules", 1)
    assert len(data_of(out)["schedules"]) == 1
    assert "1 of 2 schedules are on this page" in out.read_text(encoding="utf-8")
    command(folder, *ONLINE, "--out", out, "--schedules", 0)
    assert '<section id="schedules">' not in out.read_text(encoding="utf-8")


def test_a_part_of_the_rows_can_be_chosen_and_the_page_says_so(
    command: Command, folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "page.html"
    code, said = command(folder, "--out", out, "--family", "online", "--method", "fifo")
    assert (code, said.partition(", ")[0]) == (0, f"{out}: 2 runs")
    # The other run is a bound, which counts whatever methods are chosen.
    assert "One of each. This page has 2 of 11 runs of the campaign." in out.read_text(
        encoding="utf-8"
    )


def test_a_browser_shows_the_page_without_a_fault(browser: Browser, page: Path) -> None:
    browser.open(page)
    for place in range(4):
        browser.run(f"gantt.instances.selectedIndex = {place}; gantt.pick(); gantt.step(0)")
        assert "rate: " in browser.run("gantt.tip.innerText")
    assert not browser.faults()


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (("--out", "page.txt"), "expected a name that ends in .html"),
        (("--out", "page.html", "--schedules", "-1"), "expected 0 or more"),
        (("--out", "none/page.html"), "a file in a writable folder"),
        ((), "--out"),
    ],
)
def test_bad_options_are_said(command: Command, folder: Path, words: Any, fault: str) -> None:
    code, said = command(folder, *words)
    assert code == 2
    assert fault in said


def test_a_folder_without_rows_is_no_campaign(command: Command, tmp_path: Path) -> None:
    code, said = command(tmp_path, "--out", tmp_path / "page.html")
    assert code == 2
    assert "expected the folder of a campaign" in said


def test_a_broken_campaign_file_is_named(command: Command, folder: Path, tmp_path: Path) -> None:
    plan = folder / "campaign.toml"
    plan.write_text("name = ", encoding="utf-8")
    code, said = command(folder, *ONLINE, "--out", tmp_path / "page.html")
    assert code == 0
    assert "campaign.toml" in said
    plan.unlink()
    assert command(folder, *ONLINE, "--out", tmp_path / "page.html")[0] == 0
    assert f"<title>{folder.name}</title>" in (tmp_path / "page.html").read_text(encoding="utf-8")
    plan.write_text(PLAN, encoding="utf-8")
