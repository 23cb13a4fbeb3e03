"""Cheats get what they deserve, and a row that says so; where the system guards, nothing leaks."""

import os
import socket
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from evaluation.small import SECRET, SOLE, TINY, on_tiny, rows

from ringyard.evaluation.evaluate import drawn
from ringyard.evaluation.seeds import TRAINING
from ringyard.instances.errors import InputError
from ringyard.instances.reading.encode import to_text
from ringyard.run import solve

CHEATS = Path(__file__).with_name("cheats.py")


@cache
def is_guarded() -> bool:
    """Say whether this system allows what the sandbox is made of."""
    return all(on_tiny("gang-lpt", SOLE, baselines=()).guards.values())


@pytest.fixture
def guarded() -> None:
    if not is_guarded():
        pytest.skip("no user namespaces here")


@pytest.fixture
def cheats(tmp_path: Path) -> Path:
    folder = tmp_path / "methods"
    folder.mkdir()
    (folder / "cheats.py").write_text(CHEATS.read_text().replace("@PLANTED@", SECRET[:20]))
    best = solve(drawn(TINY, TRAINING)[1], "gang-lpt").schedule
    (folder / "plan.json").write_text(to_text(best))
    return folder / "cheats.py"


def one(cheats: Path, name: str, **options: Any) -> dict[str, Any]:
    """Return what the row of a cheat says, with nobody beside it unless that is asked for."""
    [row] = rows(on_tiny(f"{cheats}:{name}", SOLE, **{"baselines": (), **options}))
    return row


def test_what_is_honest_is_valid_and_shown_to_be_the_same(cheats: Path) -> None:
    for row in rows(on_tiny(f"{cheats}:honest", workers=2)):
        assert (row["status"], row["rank"], row["same_as"]) == ("valid", 1, ["gang-lpt"])
        assert row["note"] == ""


@pytest.mark.parametrize(
    ("name", "status", "note"),
    [
        ("stops_the_clock", "timed out", "it did not heed its time limit"),
        pytest.param(
            "hangs", "timed out", "it did not heed its time limit", marks=pytest.mark.slow
        ),
        pytest.param(
            "complains", "timed out", "it did not heed its time limit", marks=pytest.mark.slow
        ),
        ("says_half", "timed out", "it did not heed its time limit"),
        ("says_too_much", "error", "it said more than 33,554,432 bytes"),
        ("babbles", "error", "it said what is no answer"),
        ("says_it_is_best", "error", "it said what is no answer"),
        ("says_it_is_done", "no plan", ""),
        ("leaves", "crashed", "its process died (exit code 0)"),
        ("exits", "error", "cheats.py:exits raised SystemExit: 0"),
        ("fills_memory", "out of memory", "MemoryError"),
    ],
)
def test_a_run_that_gives_no_plan_scores_nothing(
    cheats: Path, name: str, status: str, note: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ringyard.evaluation.bench.GRACE_S", 0.5)
    short = {"time_limit": 0.5} if status == "timed out" else {}
    found = on_tiny(f"{cheats}:{name}", SOLE, **short)
    assert (found.score, found.valid, found.rank) == (0.0, 0, 2)
    [row] = rows(found)
    assert row["status"] == status
    assert row["note"].startswith(note)
    assert (row["value"], row["rank"], row["same_as"]) == (None, 2, [])


def test_an_instance_that_was_changed_is_judged_as_it_was_given(cheats: Path) -> None:
    row = one(cheats, "shrinks")
    assert (row["status"], row["value"]) == ("invalid", None)
    assert "it changed its instance; judged is what it was given" in row["note"]


def test_the_judge_stands_elsewhere(cheats: Path) -> None:
    row = one(cheats, "mutes_the_judge")
    assert row["status"] == "invalid"
    assert row["note"].startswith("its plan breaks rules: ")


def test_the_plan_of_another_instance_is_good_for_that_one_only(cheats: Path) -> None:
    first, second = rows(on_tiny(f"{cheats}:copies"))
    assert (first["status"], second["status"]) == ("invalid", "valid")
    assert "digest" in first["note"]
    assert second["same_as"] == ["gang-lpt"]


def test_time_is_measured_outside(cheats: Path) -> None:
    assert one(cheats, "lies_about_time")["seconds"] >= 0.5


def test_processes_that_are_left_behind_are_ended_and_told(cheats: Path) -> None:
    row = one(cheats, "forks")
    assert (row["status"], row["note"]) == ("valid", "it left processes behind, which were ended")
    commands = [_command(folder) for folder in Path("/proc").iterdir() if folder.name.isdigit()]
    assert b"sleep\x0086399\x00" not in commands


def _command(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""


def test_what_is_printed_goes_nowhere(cheats: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert one(cheats, "prints")["status"] == "valid"
    assert capfd.readouterr().out == ""


def test_no_code_of_the_method_runs_here(cheats: Path) -> None:
    assert one(cheats, "honest")["status"] == "valid"
    assert "RINGYARD_CHEAT" not in os.environ


def test_the_best_that_is_known_is_no_help(cheats: Path) -> None:
    assert not one(cheats, "reads_the_best")["value"]


def test_words_of_a_method_do_not_leave_hidden_instances(
    cheats: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "exits" in one(cheats, "exits")["note"]
    assert "smuggled" in one(cheats, "smuggles")["note"]
    monkeypatch.setenv("RINGYARD_EVALUATION_SECRET", SECRET)
    assert one(cheats, "exits")["note"] == ""
    assert "smuggled" not in one(cheats, "smuggles")["note"]


def test_modules_of_the_method_do_not_replace_ours(
    cheats: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("resource", "ctypes", "json", "numpy"):
        cheats.with_name(f"{name}.py").write_text("raise SystemExit('imported')\n")
    monkeypatch.setattr(sys, "path", [str(cheats.parent), *sys.path])
    assert one(cheats, "honest")["status"] == "valid"


def test_code_that_cannot_be_read_is_told(cheats: Path) -> None:
    cheats.write_text(f"def deep(instance):\n    return {'-' * 100_000}1\n")
    with pytest.raises(InputError, match="code that can be read"):
        on_tiny(f"{cheats}:deep")


def test_who_searches_would_find_it_where_nothing_is_guarded(cheats: Path) -> None:
    (cheats.parent.parent / "secret").write_text(SECRET)
    code = """
import sys
sys.path.insert(0, "")
import cheats
cheats.honest, cheats.PLACES[1:] = str, []
print(cheats.searches_files("found"))
"""
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, cwd=cheats.parent, capture_output=True, text=True, check=True)
    assert done.stdout == "found\n"


@pytest.mark.usefixtures("guarded")
def test_the_secret_is_out_of_reach(cheats: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planted = cheats.parent.parent / "secret"
    planted.write_text(SECRET)
    planted.chmod(0o600)
    assert one(cheats, "searches_files", secret=planted)["status"] == "no plan"
    monkeypatch.setenv("RINGYARD_EVALUATION_SECRET", SECRET)
    assert one(cheats, "searches_files")["status"] == "no plan"
    assert one(cheats, "reads_memory")["status"] == "no plan"


@pytest.mark.usefixtures("guarded")
def test_there_is_no_network(cheats: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        cheats.write_text(cheats.read_text().replace("@MARKER@", port))
        row = one(cheats, "calls_home")
        assert row["status"] == "error"
        server.settimeout(0)
        with pytest.raises(BlockingIOError):
            server.accept()


@pytest.mark.usefixtures("guarded")
def test_nothing_can_be_written_but_to_a_folder_that_is_thrown_away(cheats: Path) -> None:
    assert one(cheats, "writes_here")["status"] == "no plan"
    assert sorted(path.name for path in cheats.parent.iterdir()) == ["cheats.py", "plan.json"]
    assert one(cheats, "fills_the_disk")["status"] == "error"
