"""Processor time of whole commands, beside that of importing numpy in the same minute.

`of numpy` in the saved numbers (`--benchmark-json`) is the ratio of the two, each the median of its
rounds. It hardly depends on the machine, and those of `MOST` are held.
"""

import subprocess
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from typing import Any

import pytest

PYTHON = [sys.executable, "-P", "-c"]
MAIN = "import sys; from ringyard.cli import main; sys.exit(main(sys.argv[1:]))"
COMMANDS = {
    "python": [*PYTHON, "pass"],
    "import numpy": [*PYTHON, "import numpy"],
    **{
        words: [*PYTHON, MAIN, *words.split()]
        for words in (
            "--version",
            "--help",
            "list",
            "show hand-spread",
            "check hand-spread plan.json",
            "bound hand-spread",
            "solve hand-spread",
            "solve small-06x3",
            *(f"{what} pdors-small-03x2x4" for what in ("show", "bound", "solve")),
            *(f"{what} tiny-trace-03x1" for what in ("show", "bound", "solve")),
        )
    },
}
MOST = {
    "--help": 2,
    "check hand-spread plan.json": 2,
    "show hand-spread": 3,
    "bound hand-spread": 3,
}


def spent_s() -> float:
    """Return the processor time of all child processes that have ended."""
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.benchmark(group="processor time of a process", timer=spent_s)
def test_start(benchmark: Any, command: str, tmp_path: Path) -> None:
    beside = list[float]()

    def run(words: list[str]) -> int:
        done = subprocess.run(words, cwd=tmp_path, stdout=subprocess.DEVNULL, check=False)
        return done.returncode

    def import_numpy() -> None:
        before = spent_s()
        assert run(COMMANDS["import numpy"]) == 0
        beside.append(spent_s() - before)

    if "plan.json" in command:
        solved = [*PYTHON, MAIN, "solve", "hand-spread", "--out", "plan.json"]
        assert run(solved) == 0
    code = benchmark.pedantic(
        run, args=(COMMANDS[command],), setup=import_numpy, rounds=5, warmup_rounds=1
    )
    assert code == 0
    if benchmark.stats is not None:
        ratio = benchmark.extra_info["of numpy"] = benchmark.stats.stats.median / median(beside)
        assert ratio <= MOST.get(command, ratio), f"{ratio:.2f} times `import numpy`"


@pytest.mark.parametrize("cache", ["empty", "filled"])
@pytest.mark.benchmark(group="a solve beside the kernels of no, and of one, run", timer=spent_s)
def test_first_solve(
    benchmark: Any, cache: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    name = "mobihoc-20-s0" if benchmark.enabled else "hand-spread"
    words = [*PYTHON, MAIN, "solve", name]

    def run() -> int:
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False)
        return done.returncode

    assert cache == "empty" or run() == 0
    assert benchmark.pedantic(run, rounds=1) == 0
