"""Send signals to commands at random moments, and see that each ends as it should.

    python benchmarks/interrupts.py [COUNT] [SEED] [--shard I/N] [--workers N] [--log FILE]
        [--cache FOLDER] [--page]

Tries 0 .. COUNT - 1 of a seed each start a command, send it SIGINT, SIGTERM or SIGHUP at a random
moment, from 100 ms after the start to its end, or every other time from the moment when a first
schedule is found, and wait. It must end with exit code 130, no
traceback, and nothing of it may run on. Where a schedule had been found when the signal came, the
answer must be there, checked; of a campaign all rows that were there before. Every fourth try has
an empty cache of compiled kernels. A try whose signal came before the program had any handler,
while the interpreter itself was starting, is counted apart.

With --log each try becomes a line of FILE; a second run skips those that are there. The other tries
share the cache in FOLDER, which is better filled before. --page writes the counts into
docs/studies/speed.md. Ends with exit code 1 if a try went wrong.
"""

import atexit
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory, TemporaryFile, mkdtemp

sys.path.insert(0, str(Path(__file__).parent))

from by_number import Row, campaign, reader
from on_page import show

COMMANDS = (
    ("solve", "mobihoc-20-s0", "--time-limit", "6"),
    ("solve", "mobihoc-10-s0", "--method", "list-scheduling"),
    ("solve", "small-10x4"),
    ("solve", "small-08x3", "--method", "linearised", "--time-limit", "8"),
    ("solve", "pdors-s0", "--time-limit", "6"),
    ("solve", "gadget-small-05x4x6", "--time-limit", "6"),
    ("solve", "tiny-trace-04x2", "--time-limit", "6"),
    ("solve", "rental-small-s0", "--time-limit", "6"),
    ("solve", "boa-two-types-fleet", "--time-limit", "6"),
    ("solve", "coded-100"),
    ("solve", "hand-shuffle-pentagon", "--time-limit", "6"),
    ("solve", "hand-transfers-moore", "--time-limit", "6"),
    ("compare", "hand-theorem5", "small-06x3", "--time-limit", "3"),
    ("compare", "small-06x3", "--methods", "list-scheduling,sjf-bco,portfolio,random"),
    ("run", "demo", "--workers", "2", "--out", "runs"),
    ("run", "graph", "--workers", "2", "--out", "runs"),
)

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

SOON_S, LATE_S = 0.1, {False: 10.0, True: 30.0}
"""A signal is sent so long after the start; an empty cache has to be filled first."""

AFTER_S = 3.0
"""A signal that waits for a first schedule is sent at most so long after it."""

LONGEST_S, GONE_S = 120.0, 15.0
"""A command that takes so long after its signal went wrong; what it started has so long to end."""

EXITING = 4
"""A flag of proc_pid_stat(5): the process has called exit(2)."""

MARK = "RINGYARD_FOUND"
"""The environment names by this a file that is made once a schedule is found."""

HOOK = f'''
import importlib.machinery as machinery, os, sys
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "ringyard.run":
            return None
        spec = machinery.PathFinder.find_spec(name, path)
        load = spec.loader.exec_module
        def exec_module(module):
            load(module)
            run = module.run_method
            def watched(method, instance, seed, limits, *rest):
                tell = limits.watch
                def watch(incumbent):
                    os.close(os.open(os.environ["{MARK}"], os.O_CREAT))
                    tell(incumbent)
                return run(method, instance, seed, module.replace(limits, watch=watch), *rest)
            module.run_method = watched
        spec.loader.exec_module = exec_module
        return spec
sys.meta_path.insert(0, Finder)
'''
"""What every process runs at its start: it makes that file when a method tells its schedule."""


class Try:
    """A command in a folder of its own, until its end."""

    def __init__(self, folder: Path, words: tuple[str, ...], cache: Path) -> None:
        self.folder, self.mark = folder, folder / "found"
        (folder / "sitecustomize.py").write_text(HOOK, encoding="utf-8")
        surroundings = {"PYTHONPATH": str(folder), MARK: str(self.mark)}
        surroundings |= {"NUMBA_CACHE_DIR": str(cache), "PYTHONSAFEPATH": "1"}
        self.out, self.err = TemporaryFile(), TemporaryFile()  # noqa: SIM115
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ringyard", *words],
            cwd=folder,
            env={**os.environ, **surroundings},
            stdin=subprocess.DEVNULL,
            stdout=self.out,
            stderr=self.err,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )

    def ready(self) -> bool:
        """Return True if the program handles signals by now."""
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        except OSError:
            return True
        caught = next(line.split()[1] for line in status.splitlines() if "SigCgt" in line)
        return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)

    def stopped(self) -> bool:
        """Let it stand still; say whether it was still there for that."""
        with suppress(OSError):
            self.process.send_signal(signal.SIGSTOP)
            while self.process.poll() is None:
                stat = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii")
                fields = stat.rpartition(")")[2].split()
                if int(fields[6]) & EXITING:
                    break
                if fields[0] == "T":
                    return True
        self.process.wait()
        return False

    def await_schedule(self) -> bool:
        """Wait until a schedule is reported, or a row of a campaign is there; say if one is."""
        while self.process.poll() is None:
            if self.mark.exists() or self.rows():
                return True
            time.sleep(0.01)
        return False

    def rows(self) -> set[bytes]:
        """Return the whole rows of a campaign."""
        files = (self.folder / "runs" / "journal").glob("*.jsonl")
        return {line for file in files for line in file.read_bytes().split(b"\n")[:-1]}

    def left(self) -> list[int]:
        """Return the processes of this try that are still there."""
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if f"{MARK}={self.mark}".encode() in (place / "environ").read_bytes():
                    found.append(int(place.name))
        return found

    def clear(self) -> list[int]:
        """Wait until nothing of it is left; return, and end, what is there in spite of that."""
        deadline = time.monotonic() + GONE_S
        while (left := self.left()) and time.monotonic() < deadline:
            time.sleep(0.05)
        for one in left:
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
        self.out.close()
        self.err.close()
        return left

    def said(self) -> tuple[str, str]:
        """Return what it printed on both streams."""
        texts = []
        for stream in (self.out, self.err):
            stream.seek(0)
            texts.append(stream.read().decode("utf-8", "replace"))
        return texts[0], texts[1]


def one(index: int, seed: int = 0, warm: Path | None = None) -> Row:
    """Do a try and return its row; `faults` says what went wrong.

    A command that ended before its signal is started again, and gets it earlier.
    """
    rng = Random(f"{seed} {index}")
    words, number = COMMANDS[index % len(COMMANDS)], rng.choice(SIGNALS)
    late = rng.random() < 0.5
    cold = warm is None or (not late and rng.random() < 0.5)
    longest = LATE_S[cold]
    while True:
        with TemporaryDirectory() as place:
            cache = Path(place) / "cache" if cold or warm is None else warm
            running = Try(Path(place), words, cache)
            began = time.monotonic()
            if late:  # Some commands never have one.
                late = running.await_schedule()
                longest = min(longest, AFTER_S)
            at = rng.uniform(0 if late else SOON_S, longest)
            waited = time.monotonic()
            with suppress(subprocess.TimeoutExpired):
                running.process.wait(at)
            if not running.stopped():
                longest = max(0 if late else 2 * SOON_S, 0.98 * (time.monotonic() - waited))
                running.clear()
                continue
            row = {"seed": seed, "index": index, "command": " ".join(words), "cold": cold}
            row |= {"signal": number.name, "at": round(time.monotonic() - began, 3)}
            return row | interrupted(running, number)


def trial(index: int) -> Row:
    """Do a try of `torture.py`; all those of a process share a cache of compiled kernels."""
    row = one(index, warm=_warm())
    if not row["ready"]:
        row |= {"faults": [], "reason": "the interpreter itself was still starting"}
    return row


@cache
def _warm() -> Path:
    place = Path(mkdtemp(prefix="interrupts-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return place


def interrupted(running: Try, number: signal.Signals) -> Row:
    """Send the signal and return what became of it."""
    before = running.rows()
    found, ready, sent = running.mark.exists(), running.ready(), time.monotonic()
    running.process.send_signal(number)
    running.process.send_signal(signal.SIGCONT)
    try:
        code: int | None = running.process.wait(LONGEST_S)
    except subprocess.TimeoutExpired:
        code = None
    took = time.monotonic() - sent
    out, err = running.said()
    campaign = running.process.args[3] == "run"  # type: ignore[index]
    answer = running.rows() >= before if campaign else "valid" in out
    faults = [] if code == 130 else [f"ended with {code}"]
    faults += ["a traceback"] if "Traceback" in err or "Exception ignored" in err else []
    faults += ["no answer"] if (before if campaign else found) and not answer else []
    faults += ["it ran on"] if running.clear() else []
    faults = [f"{one}: {(out + err)[-2000:]}" for one in faults]
    had = bool(before) if campaign else found
    return {"ready": ready, "found": had, "code": code, "took": round(took, 3), "faults": faults}


def main() -> int:
    parser = reader(__doc__, 200)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    with TemporaryDirectory() as place:
        look = partial(_look, options.cache or Path(place))
        rows = campaign(options, {"": look}, lambda row: f"try {row['index']}: {row['command']}")
    show(report(rows), "speed", "interrupts", page=options.page)
    return int(any(row["faults"] for row in rows if row["ready"]))


def _look(warm: Path, seed: int, index: int) -> Row:
    return one(index, seed, warm)


def report(rows: list[Row]) -> Iterator[str]:
    """Yield the lines of a table of counts by command."""
    yield "| command | tries | cold | early | 130 | answers of | longest, s | wrong |"
    yield "|---|--:|--:|--:|--:|--:|--:|--:|"
    ready = [row for row in rows if row["ready"]]
    for name in [*dict.fromkeys(row["command"] for row in rows), "all"]:
        every = [row for row in rows if name in ("all", row["command"])]
        some = [row for row in ready if name in ("all", row["command"])]
        count = Counter(bool(row["faults"]) for row in some)
        found = [row for row in some if row["found"]]
        kept = sum(
            not any(fault.startswith("no answer") for fault in row["faults"]) for row in found
        )
        cells = [name, len(every), sum(row["cold"] for row in every), len(every) - len(some)]
        cells += [sum(row["code"] == 130 for row in some), f"{kept} of {len(found)}"]
        cells += [max((row["took"] for row in some), default=0.0), count[True]]
        yield f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    sys.exit(main())
