"""Let a write fail at a random moment of a command, and see that its answer is not lost.

Of `torture.py`. The k-th call of a command that opens, writes, syncs or renames a file fails; or
all fail from there on, beside the target or everywhere; or the kernel limits the size of
files. The command must end with 0, 1 or 2, without a traceback. An old target is whole or
what it was; the answer is in the target, or where the command says, or printed, unless the command
refused before its work, or what cannot be printed can be written nowhere. A campaign is taken up
again, and gives all its rows.
"""

import errno
import io
import os
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, chdir
from functools import cache
from pathlib import Path
from random import Random
from resource import RLIM_INFINITY, RLIMIT_FSIZE, setrlimit
from typing import Any
from unittest.mock import patch

from damage import Ended, base, here
from kills import STABLE

from ringyard.campaigns.store import Store

COMMANDS = {
    "x.json": "solve hand-theorem5 --method gang-lpt --out",
    "x.json.gz": "generate small --seed 1 --out",
    "x.svg": "solve hand-theorem5 --method gang-lpt --gantt",
    "ratios.svg": "plot {folder} --kind ratios --family makespan --out",
    "x.md": "table {folder} --kind runs --out",
    "x.html": "report {folder} --out",
    "x.csv": "journal {folder} --out",
    "x.parquet": "journal {folder} --out",
    "x.mps": "export hand-theorem5 --formulation linearised --format mps --out",
    "x": "run {file} --workers 1 --out",
}
"""Commands by the file, or the folder, that they write."""

HOW = ("once", "from then on there", "from then on everywhere", "few bytes")
ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES, errno.EDQUOT)
OLD = b"what was there before"
CALLS = {
    (os, "open"): lambda _, flags, *__, **___: flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT),
    (io, "open"): lambda _, mode="r", *__, **___: set(mode) & set("wax+"),
    **{(os, name): lambda *_, **__: True for name in ("replace", "fsync", "mkdir", "write")},
}
"""Calls, and whether they write."""


class Disk:
    """Counts the calls that write, and lets them fail from one on."""

    def __init__(self, target: Path, at: int = 0, how: str = "once", most: int = 0) -> None:
        self.target, self.at, self.how, self.most, self.calls = target, at, how, most, 0

    def watched(self, call: Callable[..., Any], writes: Callable[..., Any]) -> Callable[..., Any]:
        """Return a call that fails when its time has come."""

        def instead(*given: Any, **named: Any) -> Any:
            if writes(*given, **named):
                self.called(given[0])
            return call(*given, **named)

        return instead

    def called(self, place: Any) -> None:
        path = os.readlink(f"/proc/self/fd/{place}") if isinstance(place, int) else str(place)
        self.calls += 1
        there = path.startswith(str(self.target.parent)) or "everywhere" in self.how
        if self.calls == self.at and self.how == HOW[3]:
            setrlimit(RLIMIT_FSIZE, (self.most, RLIM_INFINITY))
        elif self.calls == self.at or (
            "then on" in self.how and there and self.calls > self.at > 0
        ):
            number = ERRORS[self.most % len(ERRORS)]
            raise OSError(number, os.strerror(number), path)

    def under(self, name: str) -> Ended:
        """Run a command on this disk."""
        folder, file = base() / "out", base() / "damaged.toml"
        place = self.target.parents[1]
        words = COMMANDS[name].format(folder=folder, file=file).split()
        with ExitStack() as stack:
            stack.enter_context(chdir(place))
            stack.enter_context(patch.object(tempfile, "tempdir", str(place)))
            stack.callback(setrlimit, RLIMIT_FSIZE, (RLIM_INFINITY, RLIM_INFINITY))
            for (module, call), writes in CALLS.items():
                instead = self.watched(getattr(module, call), writes)
                stack.enter_context(patch.object(module, call, instead))
            return here([*words, str(self.target)])


def one(index: int) -> dict[str, Any]:
    """Do a trial."""
    rng, name = Random(index), list(COMMANDS)[index % len(COMMANDS)]
    whole, calls = undisturbed(name)
    with tempfile.TemporaryDirectory() as place:
        target = Path(place) / "there" / name
        target.parent.mkdir()
        if old := name != "x" and rng.random() < 0.5:
            target.write_bytes(OLD)
        most = rng.randrange(max(4, len(whole)))
        disk = Disk(target, rng.randint(1, calls), rng.choice(HOW), most)
        ended = disk.under(name)
        faults = ["a draft is left"] if [*Path(place).rglob("*.draft")] else []
        if ended.code not in (0, 1, 2) or "Traceback" in ended.err:
            faults.append("no such end")
        nowhere = disk.how in HOW[2:]
        faults += taken_up(target) if name == "x" else kept(target, ended, whole, old, nowhere)
    what = f"{COMMANDS[name].split()[0]}: {disk.how}, exit code {ended.code}"
    told = f" [{name}, {what}, call {disk.at} of {calls}: {ended.err[-600:]}]"
    return {"what": what, "faults": [text + told for text in faults]}


def kept(target: Path, ended: Ended, whole: bytes, old: bool, nowhere: bool) -> list[str]:
    """Describe where an answer is lost; `nowhere` any file can be written, it may be."""
    found = target.read_bytes() if target.exists() else None
    if found == whole:
        return []
    faults = [] if found == (OLD if old else None) else ["half a file"]
    said = [
        Path(line.partition("saved in ")[2])
        for line in ended.err.splitlines()
        if "saved in" in line
    ]
    refused = "a file in a writable folder" in ended.err
    there = any(path.read_bytes() == whole for path in said)
    there |= nowhere and "no other folder" in ended.err
    printed = whole.decode("utf-8", "replace").strip() in ended.out
    if not ended.code or not (refused or there or printed):
        faults.append("the answer is lost")
    return faults


def taken_up(folder: Path) -> list[str]:
    """Return True if a campaign can go on."""
    again = Disk(folder).under("x")
    same = not again.code and rows(folder) == rows(base() / "out")
    return [] if same else [f"taken up again, it ends with {again.code}: {again.err[-600:]}"]


@cache
def undisturbed(name: str) -> tuple[bytes, int]:
    """Return what a command writes, and with how many calls, once machine code is there."""
    for _ in range(2):
        with tempfile.TemporaryDirectory() as place:
            disk = Disk(Path(place) / "there" / name)
            disk.target.parent.mkdir()
            if disk.under(name).code:
                raise RuntimeError(f"{name} fails where nothing breaks")
            whole = b"" if name == "x" else disk.target.read_bytes()
    return whole, disk.calls


def rows(folder: Path) -> list[list[str]]:
    """Return what of a campaign is the same every time."""
    return sorted([str(row[key]) for key in STABLE] for row in Store(folder).rows())
