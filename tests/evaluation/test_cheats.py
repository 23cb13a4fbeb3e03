"""Cheats get what they deserve, and a row that says so; where the system guards, nothing leaks."""

import os
import re
import socket
import subprocess
import sys
from functools import cache
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest
from evaluation.small import SECRET, SOLE, TINY, on_tiny, rows

from ringyard.campaigns.executors.local import WorkerSlot
from ringyard.evaluation.evaluate import drawn
from ringyard.evaluation.suites import TRAINING
from ringyard.instances.errors import InputError
from ringyard.instances.reading.encode import to_text
from ringyard.run import solve

CHEATS = Path(__file__).with_name("cheats.py")

SLOW = pytest.mark.slow
"""A cheat of the kind of others, which the quick tests try."""

PLANTED = token_hex(16)
"""A secret that stands in no file of ours, compiled or not: a run may see the tests."""


@cache
def is_guarded() -> bool:
    """Return True if this system allows what the sandbox is made of."""
    return all(on_tiny("gang-lpt", SOLE, baselines=()).guards.values())


@pytest.fixture
def guarded() -> None:
    if not is_guarded():
        pytest.skip("no user namespaces here")


@pytest.fixture
def cheats(tmp_path: Path) -> Path:
    folder = tmp_path / "methods"
    folder.mkdir()
    (folder / "cheats.py").write_text(CHEATS.read_text().replace("@PLANTED@", PLANTED[:20]))
    best = solve(drawn(TINY, TRAINING)[1], "gang-lpt").schedule
    (folder / "plan.json").write_text(to_text(best))
    os.mkfifo(folder / "pipe")
    (tmp_path / "secret").write_text(PLANTED)
    (tmp_path / "secret").chmod(0o600)
    (folder / "outside").symlink_to("/etc/passwd")
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
        pytest.param("stops_the_clock", "timed out", "it ignored its time limit", marks=SLOW),
        pytest.param("hangs", "timed out", "it ignored its time limit", marks=SLOW),
        pytest.param("complains", "timed out", "it ignored its time limit", marks=SLOW),
        ("says_half", "timed out", "it ignored its time limit"),
        pytest.param(
            "says_too_much", "error", "it sent a line of more than 4,194,304 bytes", marks=SLOW
        ),
        ("plans_a_list", "error", "it sent an invalid answer"),
        pytest.param("is_late", "timed out", "it ignored its time limit", marks=SLOW),
        pytest.param("babbles", "error", "it sent an invalid answer", marks=SLOW),
        pytest.param("says_it_is_best", "error", "it sent an invalid answer", marks=SLOW),
        ("says_it_is_done", "no plan", ""),
        ("leaves", "crashed", "its process died (exit code 0)"),
        ("exits", "error", "cheats.py:exits raised SystemExit: 0"),
        ("fills_memory", "out of memory", "MemoryError"),
    ],
)
def test_a_run_that_gives_no_plan_scores_nothing(
    cheats: Path, name: str, status: str, note: str, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    assert "it changed its instance, and its plan was judged against the original" in row["note"]


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
    note = "it left processes behind, which were terminated"
    assert (row["status"], row["note"]) == ("valid", note)
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
    with pytest.raises(InputError, match="readable code"):
        on_tiny(f"{cheats}:deep")


def test_who_searches_would_find_it_where_nothing_is_guarded(cheats: Path) -> None:
    code = """
import sys
sys.path.insert(0, "")
import cheats
cheats.honest, cheats.PLACES[2:] = str, []
print(cheats.searches_files("found"))
"""
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, cwd=cheats.parent, capture_output=True, text=True, check=True)
    assert done.stdout == "found\n"


@pytest.mark.usefixtures("guarded")
def test_the_secret_is_out_of_reach(cheats: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planted = cheats.parent.parent / "secret"
    assert one(cheats, "searches_files", secret=planted)["status"] == "no plan"
    monkeypatch.setenv("RINGYARD_EVALUATION_SECRET", PLANTED)
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
    assert sorted(path.name for path in cheats.parent.iterdir()) == [
        "cheats.py",
        "outside",
        "pipe",
        "plan.json",
    ]
    assert one(cheats, "fills_the_disk")["status"] == "error"


@pytest.mark.usefixtures("guarded")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param("keeps_a_key", marks=SLOW),
        pytest.param("joins_a_keyring", marks=SLOW),
        "keeps_shared_memory",
        "writes_to_a_pipe",
        "links_outside",
    ],
)
def test_a_hidden_instance_cannot_be_carried_out(cheats: Path, name: str) -> None:
    assert one(cheats, name)["status"] == "no plan"


def left(cheats: Path) -> list[Path]:
    """Return the places outside a run in which the file of `writes_everywhere` is."""
    code = """
import sys
sys.path.insert(0, "")
import cheats
print(cheats.LEFT, *cheats.PRIVATE, *cheats.SHARED, sep="\\n")
"""
    words = [sys.executable, "-c", code]
    found = subprocess.run(words, cwd=cheats.parent, capture_output=True, text=True, check=True)
    name, *places = found.stdout.splitlines()
    assert PLANTED[:20] in name
    assert "/dev/shm" in places
    return [Path(place) for place in places if os.path.lexists(Path(place) / name)]


@pytest.mark.usefixtures("guarded")
def test_no_file_outlives_a_run_or_is_seen_outside(cheats: Path) -> None:
    """Writing to a folder of the run's own may succeed: then nobody finds the file."""
    assert one(cheats, "writes_everywhere")["status"] == "no plan"
    assert left(cheats) == []
    assert one(cheats, "finds_what_was_written")["status"] == "no plan"
    file = cheats.with_name(f"ringyard-cheat-{PLANTED[:20]}")
    file.touch()
    assert left(cheats) == [cheats.parent]
    assert one(cheats, "finds_what_was_written")["status"] == "valid"
    # The plan of an attack counts as soon as one of its places is not the run's own.
    cheats.write_text(cheats.read_text().replace("SHARED = [OWN", "SHARED = [PRIVATE.pop(0), OWN"))
    assert one(cheats, "writes_everywhere")["status"] == "valid"
    assert left(cheats) == [cheats.parent]


@pytest.mark.usefixtures("guarded")
@pytest.mark.parametrize(
    "name",
    [
        "holds_in_files",
        pytest.param("holds_in_segments", marks=SLOW),
        pytest.param("holds_in_a_folder", marks=SLOW),
        "holds_in_maps",
        pytest.param("holds_in_zeros", marks=SLOW),
        pytest.param("holds_in_sockets", marks=SLOW),
        pytest.param("holds_in_pipes", marks=SLOW),
        pytest.param("holds_in_tables", marks=SLOW),
        pytest.param("holds_in_its_folder", marks=SLOW),
        "holds_in_children",
        pytest.param("names_many_files", marks=SLOW),
        "is_root_again",
    ],
)
def test_no_kind_of_memory_escapes_the_limit(cheats: Path, name: str) -> None:
    row = one(cheats, name)
    assert row["status"] in ("no plan", "error", "out of memory")


@pytest.mark.usefixtures("guarded")
def test_processes_and_threads_are_limited(cheats: Path) -> None:
    cheats.write_text(cheats.read_text().replace('["sleep", "86398"]', '["sleep", "86397"]'))
    row = one(cheats, "multiplies", memory_limit=4000.0)
    # Who is not root is stopped by the system before the keeper counts.
    assert row["status"] == "error"
    assert "64 processes" in row["note"] or "BlockingIOError" in row["note"]


@pytest.mark.usefixtures("guarded")
def test_a_method_that_ends_itself_is_not_begun_anew(
    cheats: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []
    send = WorkerSlot._send

    def counted(slot: WorkerSlot) -> None:
        begun.append(slot._task["key"])
        send(slot)

    monkeypatch.setattr(WorkerSlot, "_send", counted)
    assert one(cheats, "ends_itself")["status"] == "killed"
    assert len(begun) == 1


def test_what_was_reported_within_the_limit_counts(cheats: Path) -> None:
    row = one(cheats, "reports_and_leaves")
    assert (row["status"], row["note"]) == ("valid", "its process died (exit code 0)")


@pytest.mark.parametrize(
    "name",
    [
        "talks",
        pytest.param("complains_at_length", marks=SLOW),
        pytest.param("names_at_length", marks=SLOW),
    ],
)
def test_words_are_cut(cheats: Path, name: str) -> None:
    assert len(one(cheats, name)["note"]) <= 2100


@pytest.mark.parametrize(
    "place",
    [
        pytest.param("{methods}/../methods/cheats.py", marks=SLOW),
        "{links}/file.py",
        pytest.param("{links}/folder/cheats.py", marks=SLOW),
        pytest.param("../methods/cheats.py", marks=SLOW),
        "cheats",
    ],
)
def test_a_method_is_reached_by_any_way_to_it(
    place: str, cheats: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With ``..``, through a link to its file or its folder, and as a module."""
    links, guarded = cheats.parent.parent / "links", is_guarded()
    links.mkdir()
    (links / "file.py").symlink_to("again.py")
    (links / "again.py").symlink_to(cheats)
    (links / "folder").symlink_to(cheats.parent)
    monkeypatch.chdir(links / "folder")
    method = f"{place.format(methods=cheats.parent, links=links)}:honest"
    found = on_tiny(method, SOLE, baselines=(), strict=guarded)
    assert (found.valid, all(found.guards.values())) == (1, guarded)


def test_the_page_lists_every_cheat() -> None:
    page = (Path(__file__).parents[2] / "docs/project/threat-model.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"`(\w+)`", page.partition("## Tested cheats")[2]))
    defined = set(re.findall(r"^def ([a-z]\w+)\(instance", CHEATS.read_text(), re.MULTILINE))
    assert defined - listed == set()
