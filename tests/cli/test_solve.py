"""`ringyard solve` and `ringyard check`: checked answers, files, exit codes."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from little import marks

from ringyard import run as runner
from ringyard.instances import load_schedule
from ringyard.methods import Method, all_methods

KEYS = [
    "instance",
    "digest",
    "method",
    "seed",
    "status",
    "termination",
    "sense",
    "objective",
    "bound",
    "bound_kind",
    "claimed_bound",
    "gap",
    "seconds",
    "nodes",
    "valid",
    "violations",
    "note",
    "version",
]


def test_the_promised_line(ringyard: Callable[..., Any]) -> None:
    done = ringyard("solve", "mobihoc-20-s0", "--method", "list-scheduling", "--json")
    assert done.code == 0
    row = done.json
    assert list(row)[: len(KEYS)] == KEYS
    assert row["mean_end"] <= row["objective"]
    assert row["valid"] is True
    assert row["violations"] == []
    assert row["objective"] >= row["bound"]
    assert row["gap"] == pytest.approx((row["objective"] - row["bound"]) / row["objective"])


ANY = {
    "makespan": "hand-spread",
    "online": "hand-online-across",
    "reserved": "gadget-small-03x3x4",
    "trace": "tiny-trace-03x1",
    "rental": "rental-whole-s0",
    "fleet": "tiny-fleet-3",
    "coded": "coded-10",
    "shuffle": "hand-shuffle-dear",
    "transfers": "hand-transfers-fair",
}
"""An instance of each problem family."""
SINGLE = "jobs of one GPU each, on three kinds"
OTHERS = {
    "allox": SINGLE,
    "convex": "boa-two-types",
    "copies": "hand-transfers-replica",
    "block-dive": "hand-overtake",
    "cells": "hand-ascending",
}
"""Instances for methods that refuse those."""


@pytest.mark.parametrize(
    "method", [pytest.param(one, marks=marks(one), id=one.name) for one in all_methods()]
)
def test_what_solve_writes_check_accepts(
    ringyard: Callable[..., Any], tmp_path: Path, method: Method
) -> None:
    out = tmp_path / "schedule.json"
    name = OTHERS.get(method.name, ANY[method.family])
    if name == SINGLE:
        sizes = ("--set", "widths=single", "--set", "jobs=8", "--set", "servers=3")
        name = str(tmp_path / "single.json")
        assert ringyard("generate", "gavel", "--seed", 0, *sizes, "--out", name).code == 0
    solved = ringyard("solve", name, "--method", method.name, "--out", out, "--seed", 5, "--json")
    checked = ringyard("check", name, out, "--json")
    assert (solved.code, checked.code) == (0, 0)
    assert checked.json["valid"] is True
    assert checked.json["objective"] == solved.json["objective"]
    assert load_schedule(out).seed == 5


def test_a_fleet_is_drawn_and_a_plan_of_widths_refused_before_it_is_made(
    ringyard: Callable[..., Any], tmp_path: Path
) -> None:
    chart, plan = tmp_path / "chart.svg", tmp_path / "plan.json"
    assert ringyard("solve", "tiny-fleet-3", "--gantt", chart).code == 0
    assert chart.read_text().startswith("<svg")
    done = ringyard("solve", "boa-two-types", "--gantt", tmp_path / "x.svg", "--out", plan)
    assert done.code == 2
    assert "a plan of widths has no times to draw" in done.err
    assert not plan.exists()


def test_check_finds_what_was_broken(ringyard: Callable[..., Any], tmp_path: Path) -> None:
    out = tmp_path / "schedule.json"
    ringyard("solve", "small-06x3", "--out", out)
    content = json.loads(out.read_text())
    content["assignments"][0]["gpus"] = {"s0": 4, "s1": 4, "s2": 4}
    del content["makespan"]
    for item in content["assignments"]:
        item.pop("end_slot")
    out.write_text(json.dumps(content))
    done = ringyard("check", "small-06x3", out, "--json")
    assert done.code == 1
    assert "gang" in {violation["rule"] for violation in done.json["violations"]}


def test_check_without_a_file_takes_the_record(ringyard: Callable[..., Any]) -> None:
    done = ringyard("check", "tight-full-s0")
    assert done.code == 0
    assert done.out.startswith("valid\n")


def test_the_text_says_the_same_as_json(ringyard: Callable[..., Any]) -> None:
    text = ringyard("solve", "small-06x3").out
    row = ringyard("solve", "small-06x3", "--json").json
    assert f"makespan  {row['objective']} slots" in text
    assert f"bound     {row['bound']} " in text
    assert "checked   valid" in text


def test_nothing_found_is_exit_code_3(ringyard: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "short.json"
    ringyard("generate", "small", "--seed", 1, "--set", "horizon_slots=1", "--out", file)
    done = ringyard("solve", file, "--method", "list-scheduling", "--json")
    assert done.code == 3
    assert done.json["status"] == "unknown"
    assert done.json["objective"] is None


def test_a_horizon_that_is_too_short_is_exit_code_3(ringyard: Callable[..., Any]) -> None:
    words = ("solve", "small-05x3", "--method", "enumeration", "--horizon")
    assert ringyard(*words, 9).code == 0
    done = ringyard(*words, 8)
    assert done.code == 3
    assert "infeasible" in done.out
    assert "no schedule ends by slot 8" in done.out
    assert ringyard(*words, 8, "--json").json["bound"] == 9


def test_a_contradiction_is_exit_code_1(
    ringyard: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    true_bound = runner.bound

    def lie(*asked: Any) -> Any:
        found = true_bound(*asked)
        return replace(found, value=found.value * 100)

    monkeypatch.setattr(runner, "bound", lie)
    done = ringyard("solve", "small-06x3", "--json")
    assert done.code == 1
    assert "Please report it" in done.err


def test_an_impossible_instance_is_refused(ringyard: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "slow.json"
    ringyard("generate", "small", "--seed", 1, "--set", "progress=floor", "--out", file)
    content = json.loads(file.read_text())
    content["slot_s"] = 0.000001
    file.write_text(json.dumps(content))
    for command in (["solve", file], ["bound", file]):
        done = ringyard(*command)
        assert done.code == 2
        assert "lengthen slot_s" in done.err


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["solve", "small-06x3", "--method", "list-schedulin"], "Did you mean 'list-scheduling'"),
        (["solve", "small-06x3", "--seed", "-1"], "--seed: found -1"),
        (["solve", "small-06x3", "--threads", "0"], "--threads: found 0"),
        (["solve", "small-06x3", "--horizon", "0"], "--horizon: found 0"),
        (["solve", "small-06x3", "--method", "enumeration:highs"], "it has no options"),
        (["solve", "small-06x3", "--method", "patterns:highz"], "Did you mean 'highs'"),
        (["compare"], "INSTANCE: found nothing"),
        (["compare", "small-06x3", "--memory-limit", "0"], "--memory-limit: found 0"),
        (["compare", "small-06x3", "--methods", "enumeratio"], "Did you mean 'enumeration'"),
        (["compare", "small-06x3", "--solvers", "highz"], "Did you mean 'highs'"),
        (["compare", "small-06x3", "--formulations", "random"], "of kind 'program'"),
        (["solve", "small-06x3", "--time-limit", "0"], "--time-limit: found 0"),
        (["solve", "small-06x3", "--time-limit", "nan"], "--time-limit: found nan"),
        (["solve", "small-06x3", "--seed", "x"], "seed"),
        (["solve", "small-06x3", "--gantt", "a.txt"], ".svg"),
        (["solve", "small-06x3", "--out", "no/such/folder/a.json"], "Choose another path"),
        (["solve", "small-06x3", "--out", "plan.txt"], ".json.gz"),
        (["solve", "small-06x3", "--seed", str(2**63)], "2^63 - 1"),
        (["generate", "small", "--seed", "-1"], "an integer from 0"),
        (["generate", "small", "--seed", "1", "--set", "jobs=3", "--set", "jobs=4"], "once"),
        (["generate", "small", "--seed", "1", "--set", "jobs=1000000000"], "200000"),
        (["show", "small-06x3", "--jobs", "-3"], "at least 0"),
        (["show", "a" * 5000], "ringyard list instances"),
        (["bound", "small-06x3", "--time-limit", "0"], "found 0"),
        (["solve", "small-06x"], "Did you mean 'small-06x"),
        (["solve"], "`INSTANCE` is required."),
        (["slove", "small-06x3"], 'Did you mean "solve"'),
        (["solve", "small-06x3", "--metod", "x"], "Did you mean --method"),
        (["check", "small-06x3", "nowhere.json"], "an existing file"),
        (["generate", "small"], "seed"),
        (["generate", "smal", "--seed", "1"], "Did you mean 'small'"),
        (["generate", "small", "--seed", "1", "--set", "job=3"], "Did you mean 'jobs'"),
        (["generate", "small", "--seed", "1", "--set", "jobs"], "key=value"),
        (["show", "nothing"], "ringyard list instances"),
        (["list", "stuff"], "stuff"),
    ],
)
def test_bad_usage_is_exit_code_2_with_a_next_step(
    ringyard: Callable[..., Any], words: list[str], text: str
) -> None:
    done = ringyard(*words)
    assert done.code == 2
    assert done.out == ""
    assert text in done.err
    assert "Traceback" not in done.err
    again = ringyard(*words, "--json")
    assert again.json["exit_code"] == 2


def test_interrupt_keeps_the_best_schedule(tmp_path: Path) -> None:
    out = tmp_path / "kept.json"
    command = "import sys; from ringyard.cli import main; sys.exit(main())"
    words = ["solve", "mobihoc-20-s0", "--method", "test-endless", "--json", "--out", str(out)]
    endless = (
        "import time; from ringyard.families import FAMILIES; "
        "import ringyard.policies.makespan.gang_lpt as g;"
        "from dataclasses import replace; old = g.run\n"
        "def run(instance, request):\n"
        "    outcome = old(instance, request)\n"
        "    if len(instance.jobs) > 1:\n"
        "        print('found', flush=True, file=sys.stderr)\n"
        "        time.sleep(600)\n"
        "    return outcome\n"
        "g.run = run\n"
        "held = vars(FAMILIES['makespan'])\n"
        "held['methods'] += (replace(held['methods'][0], name='test-endless'),)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", "import sys\n" + endless + command, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "found\n"
    process.send_signal(signal.SIGINT)
    stdout, _ = process.communicate(timeout=600)
    assert process.returncode == 130
    row = json.loads(stdout)
    assert (row["termination"], row["valid"]) == ("interrupted", True)
    assert load_schedule(out).makespan == row["objective"]


def test_the_instance_is_not_written_over(ringyard: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "yard.json"
    ringyard("generate", "small", "--seed", 1, "--out", file)
    before = file.read_bytes()
    done = ringyard("solve", file, "--out", file)
    assert done.code == 2
    assert "another file than the instance" in done.err
    assert file.read_bytes() == before


@pytest.mark.parametrize("words", ["list", "show nothing --json", "list --json"])
def test_a_full_disk_is_an_error_and_what_was_said_is_kept(words: str, tmp_path: Path) -> None:
    command = "import sys; from ringyard.cli import main; sys.exit(main())"
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", command, *words.split()],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            cwd=tmp_path,
        )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "No space left" in done.stderr
    (kept,) = tmp_path.iterdir()
    assert f"it is saved in {kept}" in done.stderr


def test_names_that_the_terminal_cannot_say_are_escaped(
    ringyard: Callable[..., Any], tmp_path: Path
) -> None:
    file = tmp_path / "yard.json"
    ringyard("generate", "small", "--seed", 1, "--name", "Größe 機", "--out", file)
    command = "import sys; from ringyard.cli import main; sys.exit(main())"
    for words in (["show"], ["bound", "--json"]):
        done = subprocess.run(
            [sys.executable, "-c", command, words[0], str(file), *words[1:]],
            env={**os.environ, "PYTHONIOENCODING": "ascii"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "Gr" in done.stdout


@pytest.mark.parametrize("command", ["solve", "compare", "bound", "check"])
@pytest.mark.parametrize("name", ["a.mps", "a.lp.gz", "a.nl", "a.cbf"])
def test_a_program_is_no_instance(
    command: str, name: str, ringyard: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(b"NAME\n")
    done = ringyard(command, tmp_path / name)
    assert done.code == 2
    assert "found a program, expected an instance. Use `ringyard bench" in done.err
