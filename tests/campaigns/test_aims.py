"""Runs of a campaign that end at a gap or at a target."""

from pathlib import Path

import pytest

from ringyard.campaigns.plan import read_plan
from ringyard.cli import main

FILE = (
    'format = "ringyard-campaign/1"\nname = "aims"\ninstances = ["small-10x3"]\n'
    'methods = ["local-search", "bound"]\ntime_limit = 60\n'
)


def keys(folder: Path, more: str) -> list[str]:
    path = folder / "aims.toml"
    path.write_text(FILE + more)
    return [run.key for run in read_plan(path).runs]


def test_what_has_no_aim_has_the_key_that_it_always_had(tmp_path: Path) -> None:
    plain, gap, target = (
        keys(tmp_path, more) for more in ("", "gap_limit = 0.2\n", "target = 20\n")
    )
    assert plain[1] == gap[1] == target[1]  # A bound has no aims.
    assert len({plain[0], gap[0], target[0]}) == 3


@pytest.mark.parametrize(
    ("more", "stop"),
    [
        ("gap_limit = 0.2\n", "gap_reached"),
        pytest.param("target = 20\n", "target_reached", marks=pytest.mark.slow),
    ],
)
def test_a_run_ends_at_its_aim(
    tmp_path: Path, more: str, stop: str, capsys: pytest.CaptureFixture[str]
) -> None:
    keys(tmp_path, more)
    assert main(["run", str(tmp_path / "aims.toml"), "--out", str(tmp_path / "out")]) == 0
    capsys.readouterr()
    (journal,) = (tmp_path / "out/journal").glob("*.jsonl")
    assert f'"termination": "{stop}"' in journal.read_text()


def test_a_gap_is_a_part(tmp_path: Path) -> None:
    (tmp_path / "aims.toml").write_text(FILE + "gap_limit = 2\n")
    assert main(["run", str(tmp_path / "aims.toml"), "--plan"]) == 2
