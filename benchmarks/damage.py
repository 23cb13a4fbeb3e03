"""Damage the folder of a campaign in every way that comes to mind, and read it by every command.

    python benchmarks/damage.py [COUNT] [SEED] [--shard I/N] [--workers N] [--log FILE]

Makes a small campaign once, and damages a copy of it for each of COUNT numbers (300) of a seed:
bits, lines, cells, whole files, links, pipes, encodings; often several at a time. Then every
command that reads a folder reads it, every 25th folder also as a process of its own, and the
campaign goes on there. None may end with a traceback or never. In a folder with digests, what
`ringyard journal` hands over must be rows as they were written, a row that is not there must be
reported by every command, and `ringyard check` must not accept a changed schedule or instance. In
one without, or with digests worked out anew, a changed objective must not pass it.

With --log each folder becomes a line of FILE; a second run skips those that are there. Ends with
exit code 1 if anything failed, and prints a table by kind of damage.
"""

# ruff: noqa: T201

import atexit
import json
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from functools import cache
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory, mkdtemp
from traceback import format_exc
from typing import Any, NamedTuple

from ringyard.analysis.rows import Row
from ringyard.campaigns.journal import contents
from ringyard.campaigns.state import elsewhere
from ringyard.campaigns.store import Store
from ringyard.cli import main as ringyard
from ringyard.instances import InputError

sys.path.insert(0, str(Path(__file__).parent))

from by_number import campaign, reader
from damages import ANEW, DAMAGES, seals

PROGRAM = "import sys; from ringyard.cli import main; sys.exit(main())"

CAMPAIGN = """format = "ringyard-campaign/1"
name = "damaged"
[[parts]]
instances = ["hand-lpt", "hand-online-trap", "hand-gadget-later", "hand-transfers-stale"]
methods = ["gang-lpt", "random", "fifo", "ring-fifo", "branch-and-bound", "fair"]
seeds = 2
[[parts]]
instances = ["hand-lpt", "hand-online-trap"]
methods = ["bound"]
"""

READERS = (
    ("table", "{folder}", "--kind", "all"),
    ("table", "{folder}", "--kind", "runs", "--format", "csv"),
    ("report", "{folder}", "--out", "{out}/page.html"),
    ("journal", "{folder}", "--out", "{out}/rows.csv"),
    ("journal", "{folder}", "--out", "{out}/rows.parquet"),
    ("plot", "{folder}", "--kind", "ratios", "--family", "makespan", "--out", "{out}/a.svg"),
    ("plot", "{folder}", "--kind", "profile", "--family", "makespan", "--out", "{out}/b.svg"),
    ("plot", "{folder}", "--kind", "ecdf", "--family", "makespan", "--out", "{out}/c.svg"),
    ("plot", "{folder}", "--kind", "convergence", "--instance", "hand-lpt", "--out", "{out}/d.svg"),
    (
        *("plot", "{folder}", "--kind", "gantt", "--instance", "hand-online-trap"),
        *("--method", "fifo", "--out", "{out}/e.svg"),
    ),
)
"""Commands that make something of the rows that the campaign asks for."""

OTHERS = (
    ("run", "{file}", "--out", "{folder}", "--plan"),
    ("check", "{folder}", "--json"),
)

TOLD = ("left out", "without a row", "without a digest", "error:")
LONGEST_S = 120
MOST = 10**6
"""Folders of a seed."""

EVERY = 25
"""One folder in this many is read by processes of their own."""


class Ended(NamedTuple):
    """What a command came to."""

    code: int
    out: str
    err: str

    @property
    def told(self) -> bool:
        return any(words in self.err for words in TOLD)


@cache
def base() -> Path:
    """Return the folder of a campaign that nothing has happened to; made when asked for."""
    place = Path(mkdtemp(prefix="damage-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    (place / "damaged.toml").write_text(CAMPAIGN, encoding="utf-8")
    words = ["run", str(place / "damaged.toml"), "--out", str(place / "out"), "--workers", "1"]
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        code = ringyard(words)
    if code != 0:
        raise SystemExit(f"the campaign that is to be damaged ends with exit code {code}")
    return place


class LateError(BaseException):
    """A command waits too long; nothing but this file is to catch it, as it would an OSError."""


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """Raise LateError in whatever waits longer than it may."""

    def late(*_: Any) -> None:
        raise LateError(f"more than {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def here(words: list[str]) -> Ended:
    """Run a command in this process; whatever it raises is its end."""
    out, err = (TextIOWrapper(BytesIO(), encoding="utf-8") for _ in range(2))
    try:
        with redirect_stdout(out), redirect_stderr(err), at_most(LONGEST_S):
            code = ringyard(words)
    except BaseException:
        return Ended(-1, "", format_exc())
    found = [stream.buffer.getvalue().decode() for stream in (out, err) if not stream.flush()]  # type: ignore[attr-defined]
    return Ended(code, *found)


def apart(words: list[str]) -> Ended:
    """Run a command as a process of its own."""
    command = [sys.executable, "-P", "-c", PROGRAM, *words]
    try:
        done = subprocess.run(command, capture_output=True, timeout=LONGEST_S, check=False)
    except subprocess.TimeoutExpired:
        return Ended(-1, "", f"more than {LONGEST_S} s")
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode("utf-8", "replace"))


def one(index: int, seed: int = 0) -> Row:
    """Damage a copy of the campaign in a way that the number draws, and say how it was read."""
    rng = Random(seed * MOST + index)
    with TemporaryDirectory() as place:
        folder, out = Path(place) / "out", Path(place) / "made"
        shutil.copytree(base() / "out", folder)
        out.mkdir()
        sealed = seals(folder, rng)
        names = rng.sample(sorted(DAMAGES), rng.choice((1, 1, 2, 3)))
        DAMAGES[names[0]](folder, rng)
        for name in names[1:]:
            with suppress(OSError, LookupError, ValueError, TypeError, AttributeError):
                DAMAGES[name](folder, rng)  # Unless there is nothing left to damage so.
        told = sealed and not ANEW & set(names)
        faults = list(_faults(folder, out, sealed=told, real=index % EVERY == 0))
    found = {"damage": names, "digests": sealed, "faults": faults}
    return {"seed": seed, "index": index, **found}


def _faults(folder: Path, out: Path, *, sealed: bool, real: bool) -> Iterator[str]:
    """Yield what is wrong with how a damaged folder is read."""
    file = str(base() / "damaged.toml")

    def run(words: tuple[str, ...], how: Callable[[list[str]], Ended] = here) -> Ended:
        return how([word.format(folder=folder, out=out, file=file) for word in words])

    read, known = run(("journal", "{folder}")), _rows(base() / "out")
    rows = {} if read.code else {row["key"]: row for row in map(json.loads, read.out.splitlines())}
    silent = sealed and rows != known
    ended = {words: run(words) for words in (*READERS, *OTHERS)} | {("journal",): read}
    judged = run(("check", "{folder}"))
    ended["check", "{folder}"] = judged
    if real:
        some = (READERS[0], READERS[2], ("run", "{file}", "--out", "{folder}", "--workers", "1"))
        ended |= {("process", *words): run(words, apart) for words in some}
    for words, end in ended.items():
        if end.code not in (0, 1, 2, 3) or "Traceback" in end.err:
            yield f"{' '.join(words)}: exit code {end.code}: {end.err[-1500:]}"
        elif silent and not end.told and words[0] in ("table", "report", "journal", "plot"):
            yield f"{' '.join(words)}: does not tell of the rows that are missing"
    try:
        elsewhere(folder / "status")
    except BaseException:
        yield f"elsewhere: {format_exc()[-1500:]}"
    if sealed and any(row != known.get(key) for key, row in rows.items()):
        yield "journal: hands over a row that was not written so"
    values = {key: row["objective"] for key, row in known.items()}
    wrong = [key for key, row in rows.items() if row["objective"] != values.get(key)]
    if not judged.code and (wrong or any(_lost(folder, row) for row in rows.values() if sealed)):
        yield "check: accepts what was changed"


@cache
def _rows(folder: Path) -> dict[str, Row]:
    return {row["key"]: row for row in Store(folder).rows()}


def _lost(folder: Path, row: Row) -> bool:
    """Return True if the instance or the schedule of a row is not what it was."""
    if not row["schedule"]:
        return False
    try:
        Store(folder).instance(row["digest"])
        return contents(folder / row["schedule"]) != contents(base() / "out" / row["schedule"])
    except (InputError, OSError):
        return True


def look(seed: int, index: int) -> Row:
    """Damage and read folder `index` of a seed."""
    return one(index, seed)


def report(rows: list[Row]) -> int:
    """Print a table by kind of damage; return 1 if anything failed."""
    folders, faulty = Counter[str](), Counter[str]()
    for row in rows:
        folders.update(row["damage"])
        faulty.update(row["damage"] if row["faults"] else ())
    print(f"{'damage':24} {'folders':>7} {'with a fault':>12}")
    for name, some in sorted(folders.items()):
        print(f"{name:24} {some:7} {faulty[name]:12}")
    failed = sum(bool(row["faults"]) for row in rows)
    print(f"{len(rows)} folders, {failed} with a fault")
    return int(failed > 0)


if __name__ == "__main__":
    options = reader(__doc__, 300).parse_args()
    named = lambda row: f"{row['index']} ({', '.join(row['damage'])})"  # noqa: E731
    sys.exit(report(campaign(options, {"": look}, named)))
