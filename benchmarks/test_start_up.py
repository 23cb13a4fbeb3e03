"""Start-up of the command line, beside that of Python itself: whole processes."""

import subprocess
import sys
from typing import Any

import pytest

MAIN = "import sys; from ringyard.cli import main; sys.exit(main(sys.argv[1:]))"
COMMANDS = {
    "python": [sys.executable, "-c", "pass"],
    "--version": [sys.executable, "-c", MAIN, "--version"],
    "--help": [sys.executable, "-c", MAIN, "--help"],
    "list": [sys.executable, "-c", MAIN, "list"],
    "show": [sys.executable, "-c", MAIN, "show", "small-06x3"],
    "solve": [sys.executable, "-c", MAIN, "solve", "small-06x3"],
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.benchmark(group="start a process")
def test_start(benchmark: Any, command: str) -> None:
    def start() -> int:
        return subprocess.run(COMMANDS[command], stdout=subprocess.DEVNULL, check=False).returncode

    assert benchmark.pedantic(start, rounds=5, warmup_rounds=1) == 0
