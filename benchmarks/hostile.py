"""Hand hostile candidates to `ringyard evaluate --strict`: nothing may leak, every limit must hold.

    python benchmarks/hostile.py [COUNT] [SEED] [--shard I/N] [--workers N] [--log FILE]

Candidate k of COUNT (300) is of kind k modulo the number of kinds, which are the functions of
tests/evaluation/cheats.py; how much it takes, its limits and the path by which it is named are
drawn. Each runs on a hidden instance. A candidate that attacks returns a plan only if the attack
worked. From outside this looks for what it left: files, keys, processes, bytes in a pipe and on a
port, words and secrets in the result. The exit code is 1 if anything leaked or a limit was passed.
"""

# ruff: noqa: T201

import ast
import json
import os
import socket
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random
from secrets import token_hex
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent))

from by_number import Row, campaign, reader

from ringyard.evaluation.evaluate import drawn, evaluate
from ringyard.evaluation.suites import TRAINING
from ringyard.families import Recipe, Suite
from ringyard.instances.reading.files import to_bytes
from ringyard.run import solve

CHEATS = Path(__file__).parent.parent / "tests/evaluation/cheats.py"

KINDS = [
    node.name
    for node in ast.parse(CHEATS.read_text(encoding="utf-8")).body
    if isinstance(node, ast.FunctionDef) and node.args.args and node.name[0] != "_"
    if node.args.args[0].arg == "instance"
]

FAIR = {"honest", "lies_about_time", "forks", "prints", "reports_and_hangs", "reports_and_leaves"}
"""Kinds whose plan counts: they harm nobody, or only try to."""

LATE_S, MORE_MB, RESULT_BYTES = 2.0, 200.0, 20_000
"""What a run may take beyond its limits, since it is looked at from time to time; its result."""

SMALL = Suite(
    name="hostile",
    version=1,
    kind="makespan",
    about="one tiny instance",
    recipes=(Recipe(family="small", options={"jobs": 4, "servers": 2}, times=1),),
    baselines=(),
)

TRACES = ("smuggled", "ringyard-cheat")
"""Words of candidates that no result, file or key may hold."""


def examine(seed: int, index: int) -> Row:
    """Evaluate a candidate; return what came of it, and what it should not have been able to do."""
    chance, kind = Random(f"{seed}/{index}"), KINDS[index % len(KINDS)]
    limits = {"time_limit": chance.uniform(1, 3), "memory_limit": chance.uniform(300, 400)}
    secret = token_hex(16)
    with TemporaryDirectory(prefix="hostile-") as place, _port() as port:
        root = Path(place)
        file = _laid_out(
            root, chance, {"@PLANTED@": secret[:20], "@SEED@": f"{seed}/{index}"}, port
        )
        (root / "secret").write_text(secret, encoding="ascii")
        (root / "secret").chmod(0o600)
        before = _files(root)
        reading = os.open(root / "methods/pipe", os.O_RDONLY | os.O_NONBLOCK)
        found = evaluate(
            f"{file}:{kind}", SMALL, secret=root / "secret", strict=True, workers=1, **limits
        )
        faults = list(_left(root, before, reading, port))
        os.close(reading)
    result, row = found.to_dict(), found.row(0)
    text = json.dumps(result)
    faults += [f"{word} is in the result" for word in (secret[:20], *TRACES) if word in text]
    if len(text) > RESULT_BYTES:
        faults.append(f"its result has {len(text)} bytes")
    if row["status"] == "valid" and kind not in FAIR:
        faults.append("its attack worked")
    late_s = (row["seconds"] or 0.0) - limits["time_limit"]
    more_mb = (row["memory_mb"] or 0.0) - limits["memory_limit"]
    if late_s > LATE_S:
        faults.append(f"it took {late_s:.1f} s beyond its limit")
    if more_mb > MORE_MB:
        faults.append(f"it took {more_mb:.0f} MB beyond its limit")
    if not all(found.guards.values()):
        faults.append("something was not guarded")
    told = {"kind": kind, "status": row["status"], "late_s": late_s, "more_mb": more_mb}
    return {"seed": seed, "index": index, **told, "faults": [f"{kind}: {one}" for one in faults]}


def _laid_out(root: Path, chance: Random, filled: dict[str, str], port: socket.socket) -> Path:
    """Write a candidate with all that it may use, and return a way to it."""
    folder = root / "methods"
    folder.mkdir()
    text = CHEATS.read_text(encoding="utf-8")
    for mark, value in {**filled, "@MARKER@": str(port.getsockname()[1])}.items():
        text = text.replace(mark, value)
    (folder / "cheats.py").write_text(text, encoding="utf-8")
    plan = solve(drawn(SMALL, TRAINING)[0], "gang-lpt").schedule
    (folder / "plan.json").write_bytes(to_bytes(plan, folder / "plan.json"))
    os.mkfifo(folder / "pipe")
    (folder / "outside").symlink_to("/etc/passwd")
    (root / "links").mkdir()
    (root / "links/file.py").symlink_to(folder / "cheats.py")
    (root / "links/folder").symlink_to(folder)
    ways = ("methods", "methods/../methods", "links/folder", "links")
    way = root / chance.choice(ways)
    return way / ("file.py" if way.name == "links" else "cheats.py")


def _port() -> socket.socket:
    port = socket.create_server(("127.0.0.1", 0))
    port.setblocking(False)
    return port


def _left(root: Path, before: dict[str, bytes], pipe: int, port: socket.socket) -> Iterator[str]:
    """Yield what a candidate has left behind."""
    if _files(root) != before:
        yield "it changed files"
    try:
        if os.read(pipe, 1):
            yield "it wrote to a pipe"
    except BlockingIOError:
        yield "it holds a pipe open"
    try:
        port.accept()
        yield "it connected to a port"
    except BlockingIOError:
        pass
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = Path(f"/proc/{process}/cmdline").read_bytes()
        except OSError:
            continue
        if str(root).encode() in words or b"sleep\x008639" in words:
            yield f"it left a process: {words!r}"
    keys = Path("/proc/keys")
    if keys.exists() and "ringyard-cheat" in keys.read_text(encoding="utf-8"):
        yield "it left a key"
    names = [name for folder in ("/tmp", "/dev/shm", "/dev") for name in os.listdir(folder)]
    yield from (f"it left {name}" for name in names if "ringyard-cheat" in name)


def _files(root: Path) -> dict[str, bytes]:
    """Return the files of a folder with what stands in them."""
    return {str(one): one.read_bytes() for one in sorted(root.rglob("*")) if one.is_file()}


def main() -> int:
    """Run the campaign; return 1 if anything is wrong."""
    rows = campaign(reader(__doc__, 300).parse_args(), {"": examine})
    kinds = defaultdict[str, Counter[str]](Counter)
    for row in rows:
        kinds[row["kind"]][row["status"]] += 1
    for kind in sorted(kinds):
        said = ", ".join(f"{status} {count}" for status, count in kinds[kind].most_common())
        print(f"{kind:22} {said}")
    wrong = sum(bool(row["faults"]) for row in rows)
    late_s, more_mb = (max(row[name] for row in rows) for name in ("late_s", "more_mb"))
    print(f"\n{len(rows)} candidates of {len(kinds)} kinds, {wrong} with a leak or past a limit")
    print(f"most beyond a limit: {max(0.0, late_s):.2f} s, {max(0.0, more_mb):.0f} MB")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
