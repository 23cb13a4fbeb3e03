"""The one run of an own method without random steps is for every seed, in a stored campaign too."""

from dataclasses import replace
from pathlib import Path

import pytest
from campaigns.runs_at_hand import Here
from figures.painted import notes

import ringyard
from ringyard.analysis.figures.comparisons import figure_of
from ringyard.campaigns.drive import drive
from ringyard.campaigns.plan import read_plan
from ringyard.campaigns.store import keep_plan, prepared

METHODS = '''
def det(instance):
    """Each job where the method of the catalogue puts it."""
    import ringyard
    return ringyard.solve(instance, "gang-lpt").schedule


def rnd(instance, rng):
    """The same at random."""
    import ringyard
    return ringyard.solve(instance, "random", seed=int(rng.integers(1000))).schedule
'''

PLAN = """
format = "ringyard-campaign/1"
name = "seeds"
instances = ["hand-lpt", "hand-contend"]
methods = ["seeds.py:det", "seeds.py:rnd", "random"]
seeds = 5
time_limit = 20
"""


@pytest.fixture
def campaign(tmp_path: Path) -> ringyard.Campaign:
    """Return three methods on two instances, two of them with five seeds."""
    (tmp_path / "seeds.py").write_text(METHODS)
    (tmp_path / "seeds.toml").write_text(PLAN)
    plan = read_plan(tmp_path / "seeds.toml")
    store = prepared(tmp_path / "rows")
    drive(store, plan.runs, Here(), lambda state: None)
    keep_plan(store, plan.text, plan.runs)
    return ringyard.load_campaign(store.folder)


def test_it_takes_no_seed_from_the_others(campaign: ringyard.Campaign) -> None:
    table = campaign.table("solvers").table
    assert [row[1:3] for row in table.rows] == [
        ("random", 10),
        ("seeds.py:det", 10),
        ("seeds.py:rnd", 10),
    ]
    assert not any("Left out" in note for note in table.notes)


def test_figures_are_over_all_seeds(campaign: ringyard.Campaign) -> None:
    figure = figure_of("profile-ratio", campaign.rows, campaign.sources)
    note = " ".join(notes(figure).split())
    assert note.startswith("over the 10 of 10 cases")


def test_rows_of_before_know_only_methods_of_this_package(campaign: ringyard.Campaign) -> None:
    rows = tuple({**row, "random": None} for row in campaign.rows)
    old = replace(campaign, rows=rows)
    assert old.sources.seedless(old.rows) == set()
    assert campaign.sources.seedless(campaign.rows) == {"seeds.py:det"}
