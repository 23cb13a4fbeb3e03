"""`ringyard locality`: rows, files, exit codes, and what it refuses."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ASK = ("pdors-small-06x3x6", "--regions", 2, "--local", "0,1", "--seed", 1)


def test_there_is_a_row_for_each_share(ringyard: Callable[..., Any]) -> None:
    done = ringyard("locality", *ASK, "--json")
    none, every = done.json["rows"]
    assert done.code == 0
    assert (none["bound_jobs"], every["bound_jobs"], every["jobs"]) == (0, 6, 6)
    assert none["bound"] == none["free"] == every["free"]
    assert every["bound"]["proved"]
    assert every["bound"]["value"] < every["free"]["value"]
    ratio = every["free"]["value"] / every["bound"]["value"]
    assert every["price_low"] == every["price_high"] == pytest.approx(ratio)


def test_an_instance_with_regions_has_one_row(ringyard: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "yard.json"
    ringyard("generate", "tiny-trace", "--seed", 0, "--set", "servers=3", "--out", path)
    assert ringyard("locality", path).code == 2
    drawn = ("--set", "regions=2", "--set", "local=1")
    ringyard("generate", "pdors-small", "--seed", 1, *drawn, "--out", path)
    done = ringyard("locality", path)
    assert done.code == 0
    assert "pdors-small-6x3x6-s1        2     6       100" in done.out


def test_tables_are_written(ringyard: Callable[..., Any], tmp_path: Path) -> None:
    files = {option: tmp_path / f"price.{option}" for option in ("csv", "latex")}
    words = [word for option, path in files.items() for word in (f"--{option}", path)]
    done = ringyard("locality", *ASK, *words)
    with files["csv"].open(newline="") as lines:
        rows = list(csv.reader(lines))
    assert rows[0][0] == "instance"
    assert [row[0] for row in rows[1:]] == ["pdors-small-06x3x6"] * 2
    assert [row[-1] for row in rows[1:]] == [
        line.split()[-1] for line in done.out.splitlines() if line.startswith("pdors")
    ]
    assert r"\label{tab:locality}" in files["latex"].read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "INSTANCE: found nothing"),
        (("nope",), "expected a name of the catalogue"),
        (("pdors-small-06x3x6",), "or draw some: --regions 2"),
        (("gadget-small-08x4x8",), "expected 'makespan', 'online' or 'trace'"),
        (("pdors-small-06x3x6", "--regions", "1"), "--regions: found 1"),
        (("pdors-small-06x3x6", "--regions", "9"), "at most the number of servers (3)"),
        (("pdors-small-06x3x6", "--local", "1"), "expected --regions beside it"),
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
    assert "leave it out: the instance has its own" in done.err
