"""Files that commands are asked to write: refused before the work, and not lost after it."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ringyard.instances import load_schedule, save, writing
from ringyard.instances.catalogue import load

Call = Callable[..., Any]

SOLVE = ("solve", "hand-theorem5", "--method", "gang-lpt")

EXPORT = ("export", "hand-theorem5", "--formulation", "linearised", "--format", "mps")

TINY = """format = "ringyard-campaign/1"
name = "tiny"
instances = ["hand-lpt", "hand-graham"]
methods = ["gang-lpt", "random"]
"""

PROGRAM = "from ringyard.__main__ import main; main()"


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small campaign."""
    from ringyard.cli import main

    place = tmp_path_factory.mktemp("campaign")
    text = (
        'format = "ringyard-campaign/1"\nname = "tiny"\ninstances = ["hand-lpt", "hand-graham"]\n'
    )
    (place / "tiny.toml").write_text(text + 'methods = ["gang-lpt", "random"]\n', encoding="utf-8")
    assert (
        main(["run", str(place / "tiny.toml"), "--out", str(place / "out"), "--workers", "1"]) == 0
    )
    return place


def words_of(command: str, campaign: Path) -> list[object]:
    """Return a command that writes a file, but for the file."""
    folder = campaign / "out"
    return {
        "solve": [*SOLVE, "--out"],
        "solve --gantt": [*SOLVE, "--gantt"],
        "table": ["table", folder, "--kind", "runs", "--out"],
        "report": ["report", folder, "--out"],
        "plot": ["plot", folder, "--kind", "ratios", "--out"],
        "journal": ["journal", folder, "--out"],
        "generate": ["generate", "small", "--seed", 1, "--out"],
        "export": [*EXPORT, "--out"],
        "run": ["run", campaign / "tiny.toml", "--out"],
    }[command]


NAMES = {
    "solve": "x.json",
    "solve --gantt": "x.svg",
    "table": "x.md",
    "report": "x.html",
    "plot": "x.svg",
    "journal": "x.csv",
    "generate": "x.json",
    "export": "x.mps",
}


@pytest.mark.parametrize("command", NAMES)
@pytest.mark.parametrize(
    "what", ["a folder", "a FIFO", "a device", "a file in a writable folder", "too many levels"]
)
def test_what_no_file_can_replace_is_refused_before_the_work(
    ringyard: Call,
    campaign: Path,
    tmp_path: Path,
    command: str,
    what: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    target = tmp_path / NAMES[command]
    if what == "a folder":
        target.mkdir()
    elif what == "a FIFO":
        os.mkfifo(target)
    elif what == "a device":
        target.symlink_to("/dev/null")
    elif what == "too many levels":
        target.symlink_to(target.name)
    else:
        target = tmp_path / "none" / target.name
    before = sorted(tmp_path.iterdir())
    done = ringyard(*words_of(command, campaign), target)
    assert (done.code, done.out) == (2, "")
    assert what in done.err
    assert sorted(tmp_path.iterdir()) == before


def full(monkeypatch: pytest.MonkeyPatch, *folders: Path, room: int = 0) -> None:
    """Let folders take no more than a file of so many bytes."""
    write = Path.write_bytes

    def refuse(self: Path, data: bytes) -> int:
        if len(data) > room and any(self.is_relative_to(folder) for folder in folders):
            raise OSError(28, "No space left on device")
        return write(self, data)

    monkeypatch.setattr(Path, "write_bytes", refuse)


@pytest.mark.parametrize("command", [*NAMES, "run"])
def test_a_full_disk_is_refused_before_the_work(
    ringyard: Call, campaign: Path, tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    full(monkeypatch, tmp_path)
    done = ringyard(*words_of(command, campaign), tmp_path / NAMES.get(command, "out"))
    assert (done.code, done.out) == (2, "")
    assert "no space left on device" in done.err


ANSWERS = {
    "solve": "makespan  7 slots",
    "solve --gantt": "makespan  7 slots",
    "table": "hand-graham",
    "report": "4 runs",
    "plot": "",
    "journal": "",
    "generate": "",
    "export": "",
}


@pytest.mark.parametrize(
    "command",
    [pytest.param(one, marks=[pytest.mark.slow] if one == "report" else []) for one in ANSWERS],
)
def test_a_disk_that_fills_up_meanwhile_costs_nothing(
    ringyard: Call, campaign: Path, tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, elsewhere = tmp_path / "full" / NAMES[command], tmp_path / "elsewhere"
    target.parent.mkdir()
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    full(monkeypatch, target.parent)
    monkeypatch.setattr("ringyard.cli.shared.options.place_problem", lambda *_: None)
    done = ringyard(*words_of(command, campaign), target)
    assert done.code == 2
    assert ANSWERS[command] in done.out
    (kept,) = elsewhere.iterdir()
    assert kept.suffix == target.suffix
    assert f"it is saved in {kept}" in done.err
    monkeypatch.undo()
    assert ringyard(*words_of(command, campaign), target).code == 0
    assert kept.read_bytes() == target.read_bytes()


def test_an_exported_program_and_its_names_are_all_kept(
    ringyard: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["export", "hand-theorem5", "--formulation", "linearised", "--format", "nl", "--out"]
    assert ringyard(*words, tmp_path / "x.nl").code == 0
    whole = {path.suffix: path.read_bytes() for path in tmp_path.iterdir()}
    (tmp_path / "full").mkdir()
    full(monkeypatch, tmp_path / "full")
    monkeypatch.setattr("ringyard.cli.shared.options.place_problem", lambda *_: None)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    done = ringyard(*words, tmp_path / "full" / "x.nl", "--json")
    assert (done.code, done.json["columns"]) == (2, whole[".col"].count(b"\n"))
    assert {path.suffix: path.read_bytes() for path in Path().iterdir()} == whole


def test_what_no_folder_takes_is_printed(
    ringyard: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full(monkeypatch, Path("/"))
    monkeypatch.setattr("ringyard.cli.shared.options.place_problem", lambda *_: None)
    done = ringyard(*SOLVE, "--out", tmp_path / "x.json")
    assert done.code == 2
    printed, brace, rest = done.out.rpartition("}\n")
    assert json.loads(printed + brace)["makespan"] == 7
    assert "makespan  7 slots" in rest


def test_a_name_that_became_a_folder_meanwhile_is_no_loss(
    ringyard: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "x.json"
    target.mkdir()
    monkeypatch.setattr("ringyard.cli.shared.options.place_problem", lambda *_: None)
    assert ringyard(*SOLVE, "--out", target).code == 2
    (kept,) = (path for path in tmp_path.iterdir() if path != target)
    assert load_schedule(kept).makespan == 7


def test_a_row_that_cannot_be_written_is_kept_and_the_campaign_can_go_on(
    ringyard: Call, campaign: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ringyard.campaigns import journal

    words = [*words_of("run", campaign), tmp_path / "out", "--workers", 1]
    appended = journal.Writer._append
    rows = iter([True, True])

    def append(self: journal.Writer, file: int, line: bytes) -> None:
        if not next(rows, False):
            raise OSError(28, "No space left on device")
        appended(self, file, line)

    monkeypatch.setattr(journal.Writer, "_append", append)
    monkeypatch.chdir(tmp_path)
    done = ringyard(*words)
    assert done.code == 2
    assert "tiny: 3 of 4 runs" in done.out  # A row that is kept in the journal's folder counts.
    assert "Free space, then resume with the same command" in done.err
    monkeypatch.undo()
    again = ringyard(*words)
    assert (again.code, "4 of 4 runs" in again.out) == (0, True)


def test_a_link_stays_a_link_and_rights_stay(ringyard: Call, tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    target, link = tmp_path / "deep" / "target.json", tmp_path / "x.json"
    target.write_text("old", encoding="utf-8")
    target.chmod(0o640)
    link.symlink_to("deep/target.json")
    assert ringyard(*SOLVE, "--out", link).code == 0
    assert (os.readlink(link), target.stat().st_mode & 0o777) == ("deep/target.json", 0o640)
    assert load_schedule(target).makespan == 7
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["deep", "target.json", "x.json"]


@pytest.mark.parametrize("name", ["-", "/dev/stdout"])
def test_standard_output_takes_a_file_and_what_is_told_goes_to_standard_error(
    ringyard: Call, name: str
) -> None:
    done = ringyard(*SOLVE, "--out", name)
    assert done.code == 0
    assert json.loads(done.out)["makespan"] == 7
    assert "makespan  7 slots" in done.err
    told = ringyard(*SOLVE, "--out", name, "--json")
    assert (told.out, json.loads(told.err)["objective"]) == (done.out, 7)


def shell(script: str, **given: Any) -> "subprocess.CompletedProcess[str]":
    """Run a script in which $R is the program."""
    program = f"{shlex.quote(sys.executable)} -c '{PROGRAM}'"
    bash = shutil.which("bash")
    assert bash is not None
    return subprocess.run(
        [bash, "-c", script.replace("$R", program)],
        capture_output=True,
        text=True,
        check=False,
        **given,
    )


STREAMS = {
    "standard output is full": (
        f"$R {' '.join(SOLVE)} >/dev/full; test $? = 2 && cat ringyard-output-*.txt",
        0,
        "makespan  7 slots",
    ),
    "standard output is closed": (f"$R {' '.join(SOLVE)} --out x.json >&-", 0, ""),
    "standard error is closed": (f"$R {' '.join(SOLVE)} --out x.json 2>&- | tail -1", 0, "valid"),
    "all are closed": (f"$R {' '.join(SOLVE)} --out x.json <&- >&- 2>&-", 0, ""),
    "nobody reads on": ("$R list instances | head -1; exit ${PIPESTATUS[0]}", 0, "name"),
    "nobody reads what is noted": (f"$R {' '.join(SOLVE)} --out x.json 2> >(:)", 0, "valid"),
    "standard input": ("$R solve - --method gang-lpt <yard.json", 0, "makespan  7 slots"),
    "a pipe by its name": ("$R solve <(cat yard.json) --method gang-lpt", 0, "makespan  7 slots"),
    "a packed pipe": ("$R solve <(gzip -c yard.json) --method gang-lpt", 0, "makespan  7 slots"),
    "a pipe that several processes need": (
        "$R compare <(cat yard.json) --methods gang-lpt,random",
        0,
        "random",
    ),
    "a pipe that is asked for its family first": (
        "$R verify <(cat yard.json) --method sjf-bco",
        0,
        "sjf-bco",
    ),
}

LONG = {
    "all are closed",
    "nobody reads what is noted",
    "standard input",
    "a packed pipe",
    "a pipe that several processes need",
    "a pipe that is asked for its family first",
}
"""Streams that only the slow tests try: each is like one of the others."""


@pytest.mark.parametrize(
    "what", [pytest.param(one, marks=pytest.mark.slow if one in LONG else ()) for one in STREAMS]
)
def test_streams_are_what_a_shell_makes_of_them(tmp_path: Path, what: str) -> None:
    script, code, said = STREAMS[what]
    save(load("hand-theorem5"), tmp_path / "yard.json")
    done = shell(script, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert said in done.stdout
    assert "Traceback" not in done.stderr
    if "x.json" in script:
        assert load_schedule(tmp_path / "x.json").makespan == 7


def test_the_package_is_a_program() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ringyard", "--version"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("ringyard ")


def test_a_draft_has_a_short_name_of_its_own(tmp_path: Path) -> None:
    """A name may have 255 bytes, and that of its draft too."""
    long = tmp_path / ("x" * 250 + ".json")
    writing.write_whole(long, b"{}")
    assert [path.name for path in tmp_path.iterdir()] == [long.name]
