"""Kill a running campaign again and again, and see that nothing is lost, doubled or unreadable.

    python benchmarks/kills.py [KILLS] [SEED]

Runs a campaign of quick deterministic methods in a folder of its own, and sends `kill -9` at
random moments to the process that drives it, to one of the processes below it, or to all of
them, as often as asked (200 times unless another number is given); each time the campaign is
taken up again, sometimes by two processes side by side, and a campaign that is done is followed
by a new one. After every kill each row that was in the journal before must still be there,
byte for byte, every line must be JSON, and no key may stand in two lines. Each finished campaign
must give the same table as an undisturbed one. Ends with exit code 1 if any of this fails.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from ringyard.analysis.rows import Row
from ringyard.campaigns.executors.processes import descendants

PROGRAM = "import sys; from ringyard.cli import main; sys.exit(main())"

CAMPAIGN = """format = "ringyard-campaign/1"
name = "killed"
instances = ["small-0*"]
methods = ["sjf-bco", "first-fit", "random", "local-search:work=30000", "branch-and-bound"]
seeds = 4
"""

STABLE = ("instance", "method", "seed", "status", "objective", "bound", "bound_kind", "valid")
"""Columns that do not depend on the machine."""

SOON_S, EARLY_S = 1.5, 3.0
"""Mostly a kill comes so soon after a first new row; sometimes so early after the start."""


class Campaign:
    """A folder that is worked on, and everything it has ever acknowledged."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.file, self.out = folder / "killed.toml", folder / "out"
        self.file.write_text(CAMPAIGN, encoding="utf-8")
        self.known: dict[str, bytes] = {}

    def start(self) -> "subprocess.Popen[bytes]":
        words = ["run", str(self.file), "--out", str(self.out), "--workers", "2"]
        return subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def await_news(self, running: "list[subprocess.Popen[bytes]]") -> None:
        """Wait until there is a row more, or no process left to write one."""
        before = len(self.known)
        while len(self.known) == before and any(process.poll() is None for process in running):
            time.sleep(0.05)
            self.look()

    def look(self) -> None:
        """Take note of every row that is there; raise if one is gone, doubled or unreadable."""
        lines: dict[str, list[bytes]] = {}
        for path in sorted((self.out / "journal").glob("*.jsonl")):
            whole, _, _ = path.read_bytes().rpartition(b"\n")
            for line in whole.splitlines():
                lines.setdefault(json.loads(line)["key"], []).append(line)
        for key, line in self.known.items():
            if line not in lines.get(key, []):
                raise SystemExit(f"lost: {line.decode()}")
        for key, some in lines.items():
            if len(some) > 1:
                raise SystemExit(f"doubled: {key}: {b' '.join(some).decode()}")
            self.known[key] = some[0]

    def rows(self) -> list[Row]:
        return [json.loads(line) for line in self.known.values()]

    def table(self) -> list[list[str]]:
        """Return what is the same on every machine, sorted."""
        return sorted([str(row[name]) for name in STABLE] for row in self.rows())


def kill(process: "subprocess.Popen[bytes]", whom: str, rng: Random) -> str:
    """Send `kill -9` and say to whom it went."""
    below = list(descendants(process.pid))
    if whom == "one below" and not below:
        whom = "driver"
    victims = {"driver": [process.pid], "one below": below and [rng.choice(below)]}
    for victim in victims.get(whom, [process.pid, *below]):
        with suppress(ProcessLookupError):
            os.kill(victim, signal.SIGKILL)
    return whom


def disturb(campaign: Campaign, rng: Random) -> str:
    """Start, wait, kill; then see that all is there. Say who was killed."""
    running = [campaign.start() for _ in range(rng.choice((1, 1, 2)))]
    if rng.random() < 0.8:
        campaign.await_news(running)
        time.sleep(rng.uniform(0, SOON_S))
    else:
        time.sleep(rng.uniform(0, EARLY_S))
    campaign.look()
    whom = kill(rng.choice(running), rng.choice(("driver", "one below", "all")), rng)
    campaign.look()
    if rng.random() < 0.5:  # Processes that are left may go on for a while.
        time.sleep(rng.uniform(0, 1))
    for process in running:
        kill(process, "all", rng)
        process.wait()
    campaign.look()
    return whom


def undisturbed(campaign: Campaign) -> list[list[str]]:
    """Run a campaign to its end and return its table."""
    if campaign.start().wait() != 0:
        raise SystemExit("an undisturbed campaign fails")
    campaign.look()
    return campaign.table()


def one(index: int) -> dict[str, Any]:
    """Kill a campaign once, take it up again, and check it against an undisturbed one."""
    with TemporaryDirectory() as place:
        campaign = Campaign(Path(place) / "killed")
        whom = disturb(campaign, Random(index))
        wrong = None if undisturbed(campaign) == _reference() else "another table than undisturbed"
    return {"what": whom, "fault": wrong}


@cache
def _reference() -> list[list[str]]:
    with TemporaryDirectory() as place:
        return undisturbed(Campaign(Path(place) / "reference"))


def main() -> int:
    words = dict(zip(("kills", "seed"), sys.argv[1:], strict=False))
    kills, seed = int(words.get("kills", 200)), int(words.get("seed", 0))
    rng, killed, done, rows = Random(seed), Counter[str](), 0, 0
    reference = _reference()
    with TemporaryDirectory() as place:
        campaign, begun = Campaign(Path(place) / "0"), 0
        while killed.total() < kills:
            killed[disturb(campaign, rng)] += 1
            if len(campaign.known) == len(reference) or killed.total() == kills:
                if undisturbed(campaign) != reference:
                    raise SystemExit("another table than that of an undisturbed campaign")
                done, rows, begun = done + 1, rows + len(campaign.known), begun + 1
                campaign = Campaign(Path(place) / str(begun))
    told = ", ".join(f"{count} {whom}" for whom, count in sorted(killed.items()))
    sys.stdout.write(
        f"{killed.total()} kills ({told}); {done} campaigns ended with the table of an undisturbed "
        f"one; {rows} rows, none lost, doubled or unreadable\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
