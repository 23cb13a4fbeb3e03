"""Signals: each program sends one to itself at a known place, so that no clock decides."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

BEGIN = """
import os, signal, sys, time
from dataclasses import replace
from ringyard import interrupts
from ringyard.__main__ import main

def send(number=signal.SIGTERM):
    os.kill(os.getpid(), number)
"""

METHOD = """
import ringyard.policies.makespan.gang_lpt as simple
from ringyard.instances import Incumbent

usual = simple.run
def run(instance, request):
    outcome = usual(instance, request)
    request.limits.report(Incumbent(schedule=outcome.schedule, value=0.0, bound=0.0))
    work()
    return outcome
simple.run = run
"""

SOLVE = ("solve", "hand-theorem5", "--method", "gang-lpt", "--json")


def ended(program: str, *words: str) -> "subprocess.CompletedProcess[str]":
    """Return how a program ended in which signals are as in a terminal."""
    return subprocess.run(
        [sys.executable, "-c", BEGIN + program + "\nmain()", *words],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


@pytest.mark.parametrize(
    ("imports", "number"), [(1, "SIGINT"), (60, "SIGTERM"), (300, "SIGHUP"), (200, "SIGINT")]
)
def test_an_end_among_the_imports_leaves_one_line(imports: int, number: str) -> None:
    hook = f"""
left = [{imports}]
def look(event, arguments):
    if event == "import":
        left[0] -= 1
        if not left[0]:
            send(signal.{number})
install = interrupts.install
def armed(**options):
    install(**options)
    sys.addaudithook(look)
interrupts.install = armed
"""
    done = ended(hook, "solve", "hand-theorem5")
    assert done.returncode == 130
    assert (done.stdout, done.stderr) == ("", "error: interrupted before any result was found\n")


WORKS = {
    "at once": "send()\n    time.sleep(600)",
    "in a callback that can raise nothing": """import ctypes
    ctypes.CFUNCTYPE(None)(send)()
    time.sleep(600)""",
    "where compiled code asks for a type": """import numba.core.serialize as asked
    exec(compile("send()", asked.__file__, "exec"))
    print("whole", file=sys.stderr)
    time.sleep(600)""",
    "swallowed": """try:
        send()
    except BaseException:
        pass
    time.sleep(600)""",
    "turned into something else": """try:
        send()
    except BaseException:
        raise ImportError("initialization failed") from None""",
    "among the imports": """import tempfile, pathlib
    folder = tempfile.mkdtemp()
    text = "import os, sys; os.kill(os.getpid(), 15); print('whole', file=sys.stderr)"
    pathlib.Path(folder, "broken_off.py").write_text(text)
    sys.path.insert(0, folder)
    import broken_off
    time.sleep(600)""",
}

RARE = {"where compiled code asks for a type", "turned into something else", "among the imports"}
"""Places that signals seldom meet."""


@pytest.mark.parametrize(
    "work", [pytest.param(work, marks=pytest.mark.slow if work in RARE else ()) for work in WORKS]
)
def test_the_best_is_kept_whatever_becomes_of_the_interrupt(work: str) -> None:
    done = ended(METHOD + f"def work():\n    {WORKS[work]}\n", *SOLVE)
    assert done.returncode == 130, done.stderr
    assert done.stderr == ("whole\n" if "whole" in WORKS[work] else "")
    row = json.loads(done.stdout)
    assert (row["termination"], row["valid"], row["objective"]) == ("interrupted", True, 7)


@pytest.mark.parametrize(("module", "place"), [("run", "check"), ("running.answer", "digest")])
def test_an_answer_on_its_way_out_goes_out(module: str, place: str) -> None:
    patch = f"""
import ringyard.{module} as runner
old = runner.{place}
def disturbed(*words, **options):
    send(signal.SIGHUP)
    return old(*words, **options)
runner.{place} = disturbed
def work():
    pass
"""
    done = ended(METHOD + patch, *SOLVE)
    assert (done.returncode, done.stderr) == (130, "")
    assert json.loads(done.stdout)["objective"] == 7


def test_a_second_signal_ends_what_does_not_heed_the_first() -> None:
    work = """def work():
    while True:
        try:
            print("on", file=sys.stderr, flush=True)
            time.sleep(600)
        except BaseException:
            pass
"""
    with subprocess.Popen(
        [sys.executable, "-c", BEGIN + METHOD + work + "main()", *SOLVE],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "on\n"
        while process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.stderr.readline()
        assert process.returncode == 130
        assert "Traceback" not in process.stderr.read()


def test_a_signal_that_is_ignored_from_the_start_stays_ignored() -> None:
    program = METHOD + "def work():\n    send(signal.SIGHUP)\n    print('on', file=sys.stderr)\n"
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + program + "main()", *SOLVE],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    assert (done.returncode, done.stderr) == (0, "on\n")


def test_a_signal_at_the_very_end_counts() -> None:
    program = "import atexit\natexit.register(send)\n"
    done = ended(program, "list", "families")
    assert (done.returncode, done.stderr) == (130, "")
    assert "mobihoc" in done.stdout


def test_compare_shows_what_its_process_had_and_leaves_none() -> None:
    """The process that solves tells its parent by a line, and the parent interrupts itself."""
    child = (
        BEGIN + METHOD + "def work():\n    os.kill(os.getppid(), 15)\n    time.sleep(600)\nmain()"
    )
    parent = f"""
import ringyard.cli.compare as compare
compare.PROGRAM = {child!r}
{METHOD}
"""
    done = ended(parent, "compare", "hand-theorem5", "--methods", "gang-lpt,random", "--json")
    assert done.returncode == 130, done.stderr
    (row,) = json.loads(done.stdout)["rows"]
    assert (row["termination"], row["objective"]) == ("interrupted", 7)


def test_no_draft_is_left(tmp_path: Path) -> None:
    program = """
import ringyard.instances.writing as writing
def disturbed(folder):
    with writing._draft_in(folder) as draft:
        draft.write_bytes(b"some")
        send()
        time.sleep(600)
writing.reserve = disturbed
"""
    done = ended(program, "solve", "hand-theorem5", "--out", str(tmp_path / "plan.json"))
    assert (done.returncode, list(tmp_path.iterdir())) == (130, [])
