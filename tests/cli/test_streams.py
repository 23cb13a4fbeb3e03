"""Standard output holds the result and nothing else, whatever other code prints."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = "from ringyard.__main__ import main; main()"

METHODS = '''
import ctypes
import os
import sys
import warnings

import ringyard

print("print at import")


def loud(instance):
    """Print in every way."""
    print("print")
    os.write(1, b"os.write\\n")
    sys.stdout.buffer.write(b"buffer\\n")
    sys.__stdout__.write("first stream\\n")
    libc = ctypes.CDLL(None)
    libc.puts(b"puts")
    libc.printf(b"printf\\n")
    os.system("echo child")
    warnings.warn("warning")
    return ringyard.solve(instance, "gang-lpt").schedule


def failing(instance):
    print("print")
    ctypes.CDLL(None).puts(b"puts")
    raise ValueError("no")


def closing(instance):
    sys.stdout.close()
    sys.stderr.close()
    return ringyard.solve(instance, "gang-lpt").schedule


def closing_descriptor(instance):
    os.close(1)
    return ringyard.solve(instance, "gang-lpt").schedule


def taking(instance):
    sys.stdout = sys.stderr = None
    return ringyard.solve(instance, "gang-lpt").schedule


def coloured(instance):
    warnings.warn("warned \\x1b[31mred\\x07\\u202e")
    print("printed \\x1b[2J", end="")
    print("noted \\x9b2J\\ttab", file=sys.stderr)
    assert not sys.stdout.isatty()
    return ringyard.solve(instance, "gang-lpt").schedule
'''

WAYS = ("print at import", "print", "os.write", "buffer", "first stream", "puts", "printf", "child")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with methods that print."""
    (tmp_path / "loud.py").write_text(METHODS, encoding="utf-8")
    return tmp_path


def ran(folder: Path, *words: str, unbuffered: bool = False) -> "subprocess.CompletedProcess[str]":
    """Run a command in a process of its own, whose descriptors are looked at."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1" if unbuffered else ""}
    return subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM, *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("unbuffered", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_whatever_a_method_prints_a_json_object_stays_one(folder: Path, unbuffered: bool) -> None:
    words = ("solve", "hand-lpt", "--method", "loud.py:loud")
    done = ran(folder, *words, "--json", unbuffered=unbuffered)
    assert (done.returncode, json.loads(done.stdout)["status"]) == (0, "feasible")
    for way in (*WAYS, "warning"):
        assert way in done.stderr
    plain = ran(folder, *words, unbuffered=unbuffered)
    assert plain.stdout.startswith("hand-lpt by loud.py:loud")
    assert not [line for line in plain.stdout.splitlines() if line in WAYS]


@pytest.mark.parametrize("command", ["compare", "list", "run"])
def test_other_commands_that_ask_methods_print_their_result_only(
    folder: Path, command: str
) -> None:
    text = 'format = "ringyard-campaign/1"\nname = "x"\ninstances = ["hand-lpt"]\n'
    (folder / "x.toml").write_text(f'{text}methods = ["loud.py:loud"]\n', encoding="utf-8")
    words = {
        "compare": ("compare", "hand-lpt", "--methods", "loud.py:loud,gang-lpt"),
        "list": ("list", "methods", "loud.py:loud"),
        "run": ("run", "x.toml", "--workers", "1"),
    }[command]
    done = ran(folder, *words, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)


def test_data_on_standard_output_is_nothing_but_data(folder: Path) -> None:
    done = ran(folder, "solve", "hand-lpt", "--method", "loud.py:loud", "--out", "-")
    assert json.loads(done.stdout)["kind"] == "makespan-schedule"
    assert "makespan" in done.stderr
    plugin = ran(folder, "--plugin", "loud.py", "solve", "hand-lpt", "--json")
    assert "print at import" not in plugin.stdout


def test_a_method_that_fails_is_told_in_one_object(folder: Path) -> None:
    done = ran(folder, "solve", "hand-lpt", "--method", "loud.py:failing", "--json")
    assert done.returncode == 1
    assert "ValueError: no" in json.loads(done.stdout)["error"]
    assert "puts" in done.stderr


@pytest.mark.parametrize(
    "name",
    [
        "closing_descriptor",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("closing", "taking")),
    ],
)
def test_a_method_that_closes_standard_output_closes_its_own(folder: Path, name: str) -> None:
    words = ("solve", "hand-lpt", "--method", f"loud.py:{name}")
    done = ran(folder, *words, "--json")
    assert (done.returncode, json.loads(done.stdout)["valid"]) == (0, True)
    assert "Traceback" not in done.stderr
    assert "checked   valid" in ran(folder, *words).stdout


def test_no_escape_sequence_of_a_method_reaches_a_terminal(folder: Path) -> None:
    ours, theirs = pty.openpty()
    words = ("--quiet", "solve", "hand-lpt", "--method", "loud.py:coloured")
    with subprocess.Popen(
        [sys.executable, "-P", "-c", PROGRAM, *words],
        cwd=folder,
        stdout=theirs,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        said = b""
        try:
            while part := os.read(ours, 4096):
                said += part
        except OSError:  # The other end is closed.
            pass
    os.close(ours)
    text = said.decode()
    assert process.returncode == 0, text
    assert "checked   valid" in text
    for word in ("warned \\x1b[31mred\\x07\\u202e", "printed \\x1b[2J", "noted \\x9b2J\ttab"):
        assert word in text.replace("        tab", "\ttab")
    assert not [c for c in text if not c.isprintable() and c not in "\r\n\t"]


def test_help_and_lists_stay_on_standard_output_and_broken_pipes_silent(folder: Path) -> None:
    for words in (("--help",), ("solve", "--help"), ("--version",), ("list", "families")):
        done = ran(folder, *words)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout
    ours, theirs = os.pipe()
    os.close(ours)
    done = subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM, "list", "instances"],
        stdout=theirs,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(theirs)
    assert (done.returncode, done.stderr) == (0, b"")
