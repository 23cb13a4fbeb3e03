"""`kill -9` at random moments; the whole campaign of kills is a command of `benchmarks/`."""

import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = Path(__file__).parents[2] / "benchmarks" / "kills.py"


@pytest.mark.slow
def test_killed_campaigns_lose_nothing() -> None:
    done = subprocess.run(
        [sys.executable, str(COMMAND), "6", "2"], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("6 kills")
    assert "none lost, doubled or unreadable" in done.stdout
