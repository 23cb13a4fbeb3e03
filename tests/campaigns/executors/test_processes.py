"""What the system tells of processes is what they do."""

import os
import subprocess
import sys
from contextlib import suppress

import pytest
from campaigns.executors.conftest import Marked
from campaigns.executors.doing import eventually

from ringyard.campaigns.executors.processes import cpu_s, descendants, forget_peak, lives, memory_mb

ME = os.getpid()


def test_processor_time_counts_what_has_ended() -> None:
    before = cpu_s(ME)
    burn = "import time\nwhile time.process_time() < 0.2: pass"
    shell = ["sh", "-c", '"$@"; true', "sh", sys.executable, "-S", "-c", burn]
    subprocess.run(shell, check=True)
    assert cpu_s(ME) - before >= 0.18


def test_processor_time_counts_what_still_runs() -> None:
    before = cpu_s(ME)
    process = subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"])
    eventually(lambda: cpu_s(ME) - before > 0.1)
    process.kill()
    process.wait()


def test_a_peak_of_memory_can_be_forgotten() -> None:
    heap = bytearray(200_000_000)
    heap[:] = b"x" * len(heap)
    del heap
    before = memory_mb(ME, "VmHWM")
    forget_peak(ME)
    assert memory_mb(ME, "VmHWM") < before - 150
    assert memory_mb(ME, "VmHWM") == pytest.approx(memory_mb(ME, "VmRSS"), abs=20)


def test_descendants_are_found_however_deep(processes: Marked) -> None:
    known = {*descendants(ME)}
    shell = subprocess.Popen(["sh", "-c", "sh -c 'sleep 600 & wait' & wait"])
    found = eventually(lambda: _of_three({*descendants(ME)} - known))
    assert found == {*processes.found()} - {ME}
    for one in found - {shell.pid}:
        with suppress(ProcessLookupError):  # The end of one may be the end of another.
            os.kill(one, 9)
    shell.wait()


def _of_three(found: set[int]) -> set[int]:
    return found if len(found) == 3 else set()


def test_what_is_gone_takes_nothing() -> None:
    process = subprocess.Popen(["true"])
    eventually(lambda: not lives(process.pid))
    assert memory_mb(process.pid, "VmHWM") == 0
    process.wait()
    assert not lives(process.pid)
    assert [*descendants(process.pid)] == []
    assert cpu_s(process.pid) == 0
    forget_peak(process.pid)
