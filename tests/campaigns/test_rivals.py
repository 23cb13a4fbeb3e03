"""Optimus against a fair share, and Gandiva without its parts: ratios and their sides."""

from typing import Any

import pytest

from ringyard.campaigns.reproductions import Settings
from ringyard.campaigns.runs import Run
from ringyard.methods import find_method
from ringyard.papers.tiresias.rivals import FIFO, SHARING, report, runs

SETTINGS = Settings(seeds=3, points=1)
MEANS = {"optimus": 100, "share=equal": 150, "gandiva": 100, "packing=no": 120, "yarn-cs": 400}


def made_up(run: Run) -> dict[str, Any]:
    """Return a row with the mean of the last word of the method that has one."""
    value = next(mean for word, mean in reversed(MEANS.items()) if word in run.method)
    known = {"instance": run.instance.name, "method": run.method, "valid": True, "bound": 1}
    starts = {"objective": value, "makespan_s": 2 * value, "mean_queueing_s": value / 2}
    return {**known, **starts, "certificate": "made up"}


def test_a_ratio_above_one_is_good_for_optimus_and_bad_for_gandivas_parts() -> None:
    tables = report(SETTINGS, made_up).tables
    ratios: Any = [row[2:] for row in tables["optimus"].rows]
    assert [[one.mean for one in row] for row in ratios] == [pytest.approx([1.5, 1.5])] * 2
    rows: Any = {row[0]: [one.mean for one in row[1:]] for row in tables["gandiva"].rows}
    assert FIFO not in rows
    assert rows["Gandiva"] == pytest.approx([0.25, 0.25, 1, 1])
    assert rows["no packing"] == pytest.approx([0.3, 0.3, 1.2, 1.2])


def test_every_method_is_known_and_no_run_comes_twice() -> None:
    found = list(runs(SETTINGS))
    assert len({run.key for run in found}) == len(found) == 3 * (2 * 2 + len(SHARING))
    for run in found:
        find_method(run.method, "trace")
