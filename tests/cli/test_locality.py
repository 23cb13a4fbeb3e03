"""`ringyard locality`: rows, files, exit codes, and what it refuses."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ringyard.campaigns import locality

DRAWN = ("--regions", 2, "--local", "0,1", "--seed", 1)


@pytest.fixture
def instance(ringyard: Callable[..., Any], tmp_path: Path) -> Path:
    """An instance without regions, of which bound jobs are worth less."""
    path = tmp_path / "made.json"
    sizes = [f"--set={size}" for size in ("jobs=4", "machines=3", "slots=4")]
    ringyard("generate", "pdors-small", "--seed", 5, "--name", "yard", *sizes, "--out", path)
    return path


def test_there_is_a_row_for_each_share(ringyard: Callable[..., Any], instance: Path) -> None:
    done = ringyard("locality", instance, *DRAWN, "--json")
    none, every = done.json["rows"]
    assert done.code == 0
    assert (none["bound_jobs"], every["bound_jobs"], every["jobs"]) == (0, 4, 4)
    assert none["bound"] == none["free"] == every["free"]
    assert every["bound"]["proved"]
    assert every["bound"]["value"] < every["free"]["value"]
    ratio = every["free"]["value"] / every["bound"]["value"]
    assert every["price_low"] == every["price_high"] == pytest.approx(ratio)


def test_an_instance_with_regions_has_one_row(ringyard: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "yard.json"
    drawn = [f"--set={one}" for one in ("regions=2", "local=1", "jobs=2", "slots=3")]
    ringyard("generate", "pdors-small", "--seed", 1, "--name", "yard", *drawn, "--out", path)
    done = ringyard("locality", path)
    assert done.code == 0
    assert done.out.splitlines()[5].split()[:4] == ["yard", "2", "2", "100"]


def test_tables_are_written(ringyard: Callable[..., Any], instance: Path, tmp_path: Path) -> None:
    files = {option: tmp_path / f"price.{option}" for option in ("csv", "latex")}
    words = [word for option, path in files.items() for word in (f"--{option}", path)]
    done = ringyard("locality", instance, *DRAWN, *words)
    with files["csv"].open(newline="") as lines:
        rows = list(csv.reader(lines))
    assert rows[0][0] == "instance"
    assert [row[0] for row in rows[1:]] == ["yard"] * 2
    assert [row[-1] for row in rows[1:]] == [
        line.split()[-1] for line in done.out.splitlines() if line.startswith("yard")
    ]
    assert r"\label{tab:locality}" in files["latex"].read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "INSTANCE: found nothing"),
        (("nope",), "expected a catalogue name"),
        (("pdors-small-06x3x6",), "Draw some: --regions 2"),
        (("gadget-small-08x4x8",), "expected 'makespan', 'online' or 'trace'"),
        (("pdors-small-06x3x6", "--regions", "1"), "--regions: found 1"),
        (("pdors-small-06x3x6", "--regions", "9"), "at most the number of servers (3)"),
        (("pdors-small-06x3x6", "--local", "1"), "expected --regions as well"),
        (("pdors-small-06x3x6", "--regions", "2", "--local", "0,NaN"), "--local: found 'NaN'"),
        (("pdors-small-06x3x6", "--regions", "2", "--local", "2"), "--local: found '2'"),
        (("pdors-small-06x3x6", "--regions", "2", "--time-limit", "0"), "--time-limit: found 0"),
        (("pdors-small-06x3x6", "--regions", "2", "--seed", "-1"), "--seed: found -1"),
        (("pdors-small-06x3x6", "--regions", "2", "--method", "srsf"), "not 'online' ones"),
        (("pdors-small-06x3x6", "--regions", "2", "--csv", "/no/a.csv"), "--csv: found"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    ringyard: Callable[..., Any], words: tuple[str, ...], said: str
) -> None:
    done = ringyard("locality", *words)
    assert done.code == 2
    assert said in done.err


def test_regions_are_not_drawn_over_regions(ringyard: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "yard.json"
    ringyard("generate", "pdors-small", "--seed", 1, "--set", "regions=2", "--out", path)
    done = ringyard("locality", path, "--regions", 2)
    assert done.code == 2
    assert "Leave it out: the instance already has regions" in done.err


def test_an_interrupt_shows_what_is_done(
    ringyard: Callable[..., Any], instance: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    true, calls = locality.solved, []

    def interrupted(*words: Any) -> Any:
        calls.append(words)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return true(*words)

    monkeypatch.setattr(locality, "solved", interrupted)
    done = ringyard("locality", instance, instance, *DRAWN, "--json")
    assert done.code == 130
    assert [row["bound_jobs"] for row in done.json["rows"]] == [0, 4, 0]
    assert "interrupted: 3 of 4 lines are done" in done.err
