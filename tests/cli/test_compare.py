"""`ringyard compare`: a row for whatever happens, and no two rows that contradict each other."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from ringyard.analysis.stats.references import contradictions
from ringyard.cli import compare
from ringyard.instances import digest
from ringyard.instances.catalogue import load

ROW = {
    "instance": "yard",
    "digest": "d",
    "method": "first",
    "status": "feasible",
    "termination": "done",
    "objective": 9,
    "bound": 7,
    "bound_kind": "combinatorial",
    "gap": 2 / 9,
    "seconds": 0.5,
    "nodes": None,
    "valid": True,
    "note": "",
    "memory_mb": 100.0,
}


def row(**changes: Any) -> dict[str, Any]:
    return ROW | changes


def test_every_method_has_a_row(ringyard: Callable[..., Any]) -> None:
    names = ("hand-lpt", "small-03x2")
    methods = "enumeration,gang-lpt"
    done = ringyard("compare", *names, "--methods", methods, "--json")
    rows = done.json["rows"]
    assert done.code == 0
    pairs = [(name, method) for name in names for method in methods.split(",")]
    assert [(row["instance"], row["method"]) for row in rows] == pairs
    assert [row["digest"] for row in rows] == [digest(load(name)) for name, _ in pairs]
    assert all(row["valid"] and row["memory_mb"] > 0 for row in rows)
    assert [row["status"] for row in rows[::2]] == ["optimal", "optimal"]
    assert rows[0]["nodes"] > 0
    assert done.json["contradictions"] == []


def test_a_refusal_is_a_row_with_its_reason(ringyard: Callable[..., Any]) -> None:
    done = ringyard("compare", "mobihoc-20-s0", "--methods", "enumeration")
    assert done.code == 3
    assert "refused" in done.out
    assert "at most 8 jobs" in done.out


def test_numbers_of_rows_are_further_columns(ringyard: Callable[..., Any]) -> None:
    words = ("compare", "tiny-trace-03x1", "--methods", "fifo")
    head, _, line = ringyard(*words, "--metrics", "p95_queueing_s,preemptions").out.splitlines()
    found = dict(zip(head.split(), line.split(), strict=False))
    row = ringyard(*words, "--json").json["rows"][0]
    assert float(found["p95_queueing_s"]) == row["p95_queueing_s"] > 0
    assert int(found["preemptions"]) == row["preemptions"]
    wrong = ringyard(*words, "--metrics", "p95_queuing")
    assert wrong.code == 2
    assert "Did you mean 'p95_queueing_s'?" in wrong.err
    empty = ringyard(*words, "--metrics", "")
    assert (empty.code, "--metrics: found ''" in empty.err) == (2, True)


def test_the_default_is_all_that_proves_optimality() -> None:
    names = [method.name for method in compare.choose(None, None, None, "makespan")]
    assert {"enumeration", "patterns:highs", "linearised:highs"} <= set(names)
    assert "gang-lpt" not in names
    assert [method.name for method in compare.choose(None, "patterns", "highs", "makespan")] == [
        "patterns:highs"
    ]


@pytest.mark.parametrize(
    ("program", "status", "words"),
    [
        ("import os; os.kill(os.getpid(), 11)", "crashed", "signal 11"),
        ("import os; os.kill(os.getpid(), 9)", "killed", "signal 9"),
        (
            "b = bytearray(3 * 10**8); import time; time.sleep(600)",
            "out of memory",
            "exceeded its memory",
        ),
        ("raise MemoryError", "out of memory", "MemoryError"),
        ("raise ValueError('so it is')", "crashed", "so it is"),
        ("print('solver chatter')", "crashed", "exit code 0"),
        ("print('chatter'); print('{\"error\": \"no\"}'); exit(2)", "refused", "no"),
        ('print(\'{"error": "crossed"}\'); exit(1)', "error", "crossed"),
    ],
)
def test_whatever_happens_becomes_a_row(
    monkeypatch: pytest.MonkeyPatch, program: str, status: str, words: str
) -> None:
    monkeypatch.setattr(compare, "PROGRAM", program)
    found = compare.solve_apart(["yard"], time_s=600, memory_mb=200)
    assert found["status"] == status
    assert words in found["note"]
    assert found["seconds"] > 0


def test_what_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare, "PROGRAM", "import time; time.sleep(600)")
    found = compare.solve_apart(["yard"], time_s=0.1, grace_s=0.1)
    assert (found["status"], "time limit" in found["note"]) == ("killed", True)


def test_memory_counts_what_the_process_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    large = "b = bytearray(3 * 10**8); import time; time.sleep(600)"
    program = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {large!r}])"
    monkeypatch.setattr(compare, "PROGRAM", program)
    found = compare.solve_apart(["yard"], time_s=600, memory_mb=200)
    assert found["status"] == "out of memory"
    assert found["memory_mb"] > 200


def test_an_interrupt_reaches_the_process_and_keeps_its_row(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ready = tmp_path / "ready"
    monkeypatch.setattr(
        compare,
        "PROGRAM",
        "import pathlib, time\n"
        "try:\n"
        f"    pathlib.Path({str(ready)!r}).touch()\n"
        "    time.sleep(600)\n"
        "except KeyboardInterrupt:\n"
        '    print(\'{"status": "feasible"}\')\n',
    )

    def interrupt() -> None:
        while not ready.exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    thread = Thread(target=interrupt)
    thread.start()
    found = compare.solve_apart(["yard"], time_s=600)
    thread.join()
    assert (found["status"], found["termination"]) == ("feasible", "interrupted")


def test_an_interrupt_ends_the_table_with_the_rows_so_far(
    ringyard: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = iter([row(), row(termination="interrupted"), row()])
    monkeypatch.setattr(compare, "solve_apart", lambda *_, **__: next(rows))
    done = ringyard("compare", "small-03x2", "--methods", "enumeration,gang-lpt,random", "--json")
    assert done.code == 130
    assert len(done.json["rows"]) == 2


def test_a_value_below_a_bound_is_exit_code_1_and_names_both(
    ringyard: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = iter([row(method="enumeration"), row(method="gang-lpt", objective=6, bound=5)])
    monkeypatch.setattr(compare, "solve_apart", lambda *_, **__: next(rows))
    done = ringyard("compare", "small-03x2", "--methods", "enumeration,gang-lpt")
    assert done.code == 1
    assert "gang-lpt gave a valid value of 6" in done.err
    assert "combinatorial bound 7 of enumeration" in done.err


def test_what_contradicts_what() -> None:
    low = row(method="low", objective=6, bound=5)
    assert len(contradictions([row(), low])) == 1
    assert not contradictions([row(bound_kind="none"), low])
    assert not contradictions([row(), row(objective=6, bound=5, valid=False)])
    assert not contradictions([row(), row(digest="other", objective=6, bound=5)])
    assert not contradictions([row(), {"instance": "yard", "status": "crashed"}])
    assert len(contradictions([row(), row(bound=8), low])) == 2


def test_rows_appear_as_they_come(tmp_path: Path) -> None:
    """The first row is there while the second method still runs."""
    program = (
        "import sys, time; from ringyard.cli import main\n"
        "from ringyard.cli import compare\n"
        "true = compare.solve_apart\n"
        "def slow(words, **limits):\n"
        "    if 'gang-lpt' in words: time.sleep(600)\n"
        "    return true(words, **limits)\n"
        "compare.solve_apart = slow\n"
        "sys.exit(main())\n"
    )
    words = ["compare", "small-03x2", "--methods", "enumeration,gang-lpt"]
    process = subprocess.Popen(
        [sys.executable, "-c", program, *words],
        env={k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(3)]
    process.kill()
    process.communicate()
    assert lines[2].startswith("small-03x2  enumeration")
