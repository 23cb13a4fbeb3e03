"""`ringyard calibrate`: what it prints and writes, and what it refuses."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def times(tmp_path: Path) -> Path:
    """Times on a fair link of 1 GB/s between two servers."""
    path = tmp_path / "times.csv"
    lines = [f"{k},{size},{k * size / 1000}" for k in (1, 2, 4) for size in (1_000_000, 5_000_000)]
    path.write_text("\n".join(["jobs,bytes,us", *lines]))
    return path


def test_numbers_are_printed_and_files_written(
    ringyard: Callable[..., Any], times: Path, tmp_path: Path
) -> None:
    files = [tmp_path / name for name in ("a.svg", "a.tex", "a.csv")]
    options = zip(("--plot", "--latex", "--csv"), files, strict=True)
    words = [word for pair in options for word in pair]
    asked = ("--gpus", 2, "--columns", "rings=jobs,seconds=us", "--unit", "us", "--redraws", 20)
    done = ringyard("calibrate", "contention", times, *asked, *words)
    assert done.code == 0
    assert "best prediction: fluid, one link" in done.out
    assert "--set share=1 --set degradation=0 --set overhead=step" in done.out
    assert "inter_bandwidth_gb_s 1\n" in done.out
    assert all(path.stat().st_size for path in files)
    told = ringyard("calibrate", "contention", times, *asked, "--json").json
    fair = next(one for one in told["laws"] if one["law"] == "fluid, one link")
    assert fair["gb_per_s"] == pytest.approx(1)
    assert told["set"][:2] == ["share=1", "degradation=0"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["contention"], "at least one file of measurements"),
        (["contention", "nowhere.csv"], "an existing file"),
        (["contention", "TIMES", "--gpus", 1], "--gpus"),
        (["contention", "TIMES", "--redraws", -1], "--redraws"),
        (["contention", "TIMES", "--rack-servers", 0], "--rack-servers"),
        (["contention", "TIMES", "--plot", "x.doc"], "x.doc"),
        (["contention", "TIMES", "--csv", "TIMES"], "another file"),
        (["contention", "TIMES"], "a column rings"),
        (["speed"], "contention"),
        ([], "what"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    ringyard: Callable[..., Any], times: Path, words: list[object], said: str
) -> None:
    done = ringyard("calibrate", *[times if word == "TIMES" else word for word in words])
    assert done.code == 2
    assert said.lower() in done.err.lower()


def test_one_number_of_rings_is_not_enough(ringyard: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "alone.csv"
    path.write_text("rings,bytes,seconds,gpus\n" + "1,5,1,2\n" * 4)
    done = ringyard("calibrate", "contention", path)
    assert done.code == 2
    assert "2 or more different numbers of rings" in done.err
