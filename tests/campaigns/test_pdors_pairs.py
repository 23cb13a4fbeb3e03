"""Differences of utilities are taken on the same jobs, with the sign that the table says."""

from typing import Any

import pytest

from ringyard.campaigns.reproductions import Settings
from ringyard.campaigns.runs import Run
from ringyard.papers.pdors_pairs import BEHIND, NAMES, PAIRS, report, runs

SETTINGS = Settings(seeds=3, points=1)


def made_up(run: Run) -> dict[str, Any]:
    """Return a row in which OASiS is one behind PD-ORS, but two ahead on seed 0."""
    value = 10.0 + run.seed
    if run.method == "oasis":
        value += 2 if run.seed == 0 else -1
    if run.method in ("fifo", "drf", "dorm"):
        value = 0.0
    known = {"instance": run.instance.name, "method": run.method, "valid": True}
    return {**known, "objective": value, "bound": 100, "certificate": "area"}


def test_each_pair_is_subtracted_seed_by_seed() -> None:
    rows = {tuple(row[1:3]): row for row in report(SETTINGS, made_up).tables["pairs"].rows}
    assert set(rows) == set(PAIRS)
    more: Any = rows["PD-ORS", "OASiS"][3]
    assert more.mean == pytest.approx((-2 + 1 + 1) / 3)
    assert more.low < 0 < more.high
    assert rows["PD-ORS", "OASiS"][4] == 67
    sure: Any = rows["PD-ORS", BEHIND[1]][3]
    assert (sure.mean, sure.low > 0) == (11, True)


def test_every_method_runs_on_every_seed() -> None:
    assert len({run.key for run in runs(SETTINGS)}) == len(NAMES) * SETTINGS.seeds
