"""Campaigns in Python: the rows that count now, what chooses among them, and what they make."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pandas
import polars
import pytest
from campaigns.runs_at_hand import Here, some_runs

import ringyard
from ringyard.analysis.rows import BOUND
from ringyard.analysis.table_kinds.solvers import overview
from ringyard.campaigns.drive import drive
from ringyard.campaigns.store import keep_plan, prepared
from ringyard.cli import main

METHODS = ("gang-lpt", "random")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a campaign that asks for fewer runs now than were done."""
    store, runs = prepared(tmp_path / "few"), some_runs(3)
    drive(store, runs, Here(), lambda state: None)
    keep_plan(store, 'format = "ringyard-campaign/1"\nname = "few"\n', runs[:2])
    return store.folder


@cache
def answers() -> ringyard.Campaign:
    instances = [ringyard.load(name) for name in ("hand-contend", "hand-lpt")]
    return ringyard.collect(
        ringyard.solve(instance, method, seed=seed)
        for instance in instances
        for method in METHODS
        for seed in (0, 1)
    )


def test_rows_that_count_no_more_are_left_out(folder: Path) -> None:
    campaign = ringyard.load_campaign(folder)
    assert [row["seed"] for row in campaign.rows] == [0, 1]
    assert "1 row is left out: the campaign now has other runs" in campaign.notes
    assert repr(campaign).splitlines()[0] == "Campaign('few': 2 runs of 1 method on 1 instance)"
    assert len(repr(campaign).splitlines()) == 1 + len(campaign.notes)


def test_the_table_is_that_of_the_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["table", str(folder), "--kind", "runs"]) == 0
    printed = capsys.readouterr().out
    assert ringyard.load_campaign(folder).table("runs").markdown().strip() == printed.strip()


def test_a_damaged_schedule_is_a_warning(folder: Path) -> None:
    campaign = ringyard.load_campaign(folder)
    for row in campaign.rows:
        (folder / row["schedule"]).write_bytes(b"")
    with (
        pytest.warns(UserWarning, match="left out: "),
        pytest.raises(ringyard.InputError, match="schedule: found none"),
    ):
        campaign.read(campaign.rows[0])


def test_a_folder_without_rows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ringyard.InputError, match="Create it: `ringyard run"):
        ringyard.load_campaign(tmp_path / "nothing")


def test_answers_are_runs() -> None:
    campaign = answers()
    assert repr(campaign) == "Campaign('answers': 8 runs of 2 methods on 2 instances)"
    assert len({row["key"] for row in campaign.rows}) == len(campaign) == 8
    frame = campaign.to_frame("pandas")
    assert isinstance(frame, pandas.DataFrame)
    best = frame.groupby("instance")["objective"].min().to_dict()
    assert best == {"hand-contend": 7, "hand-lpt": 11}
    assert isinstance(campaign.to_frame("polars"), polars.DataFrame)


def test_the_same_answer_again_is_a_repetition() -> None:
    instance = ringyard.load("hand-lpt")
    again = ringyard.collect(ringyard.solve(instance, "gang-lpt") for _ in range(3))
    assert [row["repetition"] for row in again.rows] == [0, 1, 2]
    assert len({row["key"] for row in again.rows}) == 3


def test_the_schedule_of_a_row_is_that_of_its_answer() -> None:
    row = answers().where(instance="hand-lpt", method="gang-lpt", seed=1).rows[0]
    instance, schedule = answers().read(row)
    assert ringyard.check(instance, schedule).objective == row["objective"]


@pytest.mark.parametrize(
    ("where", "count"),
    [({}, 8), ({"method": "gang*"}, 4), ({"seed": [0, 1], "instance": "hand-lpt"}, 4)],
)
def test_columns_choose_runs(where: dict[str, object], count: int) -> None:
    assert len(answers().where(**where)) == count


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ({"methode": "x"}, "methode: found 'methode', .*. Did you mean 'method'"),
        ({"method": "lpt"}, "method: found 'lpt', expected one of gang-lpt, random. Choose"),
    ],
)
def test_what_is_not_there_cannot_be_chosen(where: dict[str, object], message: str) -> None:
    with pytest.raises(ringyard.InputError, match=message):
        answers().where(**where)


def test_a_method_without_random_steps_stands_for_every_seed() -> None:
    sources = answers().sources
    assert sources.seedless(answers().rows) == {"gang-lpt"}


def test_a_table_is_written_as_its_suffix_says(tmp_path: Path) -> None:
    table = answers().table("ratios")
    for suffix, beginning in ((".tex", "%"), (".md", "|"), (".csv", "instances,"), (".html", "<t")):
        table.save(tmp_path / f"ratios{suffix}")
        assert (tmp_path / f"ratios{suffix}").read_text().startswith(beginning), suffix
    assert table._repr_html_() == table.html()
    assert repr(table).startswith("Ratios of objectives to proved bounds")
    assert "\\documentclass" in table.latex(document=True)
    assert len(table.to_frame("pandas")) == len(table.table.rows)
    with pytest.raises(ringyard.InputError, match=r"Name the file table\.tex"):
        table.save(tmp_path / "ratios.pdf")


def test_another_kind_of_table_is_refused() -> None:
    with pytest.raises(ringyard.InputError, match="Did you mean 'solvers'"):
        answers().table("solver")


def test_a_table_is_arranged_as_by_the_command(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--columns", "instances,mean", "--rename", "random=RND", "--transpose"]
    assert main(["table", str(folder), "--kind", "ratios", *words]) == 0
    runs = ringyard.load_campaign(folder)
    made = runs.table(
        "ratios", columns=["instances", "mean"], rename={"random": "RND"}, transpose=True
    )
    assert made.markdown() == capsys.readouterr().out
    assert "RND" in made.markdown()
    with pytest.raises(ringyard.InputError, match="columns: found 'tme'"):
        runs.table(columns="tme")


def test_its_rows_can_be_gone_through(folder: Path) -> None:
    runs = ringyard.load_campaign(folder)
    assert list(runs) == list(runs.rows)


def test_a_campaign_counts_its_bounds_and_shows_its_methods() -> None:
    campaign = answers()
    bound = {**campaign[0], "method": BOUND, "key": "b", "objective": None, "valid": False}
    whole = replace(campaign, rows=(*campaign, bound), notes=("a < b",))
    assert campaign[0] is campaign.rows[0]
    assert whole[-1] is bound
    counted = "8 runs of 2 methods on 2 instances, 1 bound; 9 rows"
    assert repr(whole) == f"Campaign('answers': {counted})\n  a < b"
    assert len(whole) == 9
    table = overview(whole.rows, "")
    gaps = [row["gap"] for row in campaign if row["method"] == "gang-lpt"]
    assert table.rows[0] == ("gang-lpt", 4, 4, 0, pytest.approx(100 * sum(gaps) / 4))
    assert [row[0] for row in table.rows] == ["gang-lpt", "random"]
    page = whole._repr_html_()
    assert "9 rows" in page
    assert "a &lt; b" in page


def test_the_same_run_again_has_no_interval() -> None:
    instance = ringyard.load("hand-lpt")
    campaign = ringyard.collect(
        ringyard.solve(instance, method, seed=seed) for method in METHODS for seed in (0, 1, 2, 3)
    )
    lpt, chance = campaign.table("policies").table.rows
    assert (lpt[3], lpt[4].mean, lpt[4].bounded, lpt[5].bounded) == (4, 11, False, False)
    assert chance[4].bounded
    known = replace(campaign.sources, random=lambda row: True)
    assert replace(campaign, sources=known).table("policies").table.rows[0][4].bounded
