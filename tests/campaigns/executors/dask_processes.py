"""A scheduler and workers of Dask on the loopback interface, as processes of a test."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path


class Cluster:
    """A scheduler at a port of its own, and workers with threads."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.processes: list[subprocess.Popen[bytes]] = []

    def scheduler(self) -> "subprocess.Popen[bytes]":
        words = ("--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard")
        return self.start("dask_scheduler", *words)

    def worker(self, threads: int = 1) -> "subprocess.Popen[bytes]":
        words = ("--nthreads", str(threads), "--no-nanny", "--no-dashboard")
        return self.start("dask_worker", self.address, *words)

    def environment(self) -> dict[str, str]:
        """Return the variables of its processes, which find what the test finds."""
        return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}

    def close(self) -> None:
        for process in reversed(self.processes):
            process.send_signal(signal.SIGKILL)
            process.wait()

    def start(self, program: str, *words: str) -> "subprocess.Popen[bytes]":
        with open(self.folder / f"{len(self.processes)}-{program}.log", "wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.{program}", *words],
                cwd=self.folder,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self.processes.append(process)
        return process
