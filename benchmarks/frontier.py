"""Find out how large an instance each exact method still solves to proved optimality.

    python benchmarks/frontier.py run [RUNG ..] [--limit S] [--seeds N] [--methods A,B] [--file F]
    python benchmarks/frontier.py write [--limit S] [--file F]

A RUNG is a size such as 8x4 (jobs x servers) or a name of the catalogue. Of a size, the
instances are the first N of the family `small` that a list scheduler and a bound do not settle.
`run` adds a line to F, as JSON, for every method and instance that has none there yet, so that
it can be interrupted and taken up again; without a RUNG it runs the ladder below and all
`small-*` instances. A method that proves none of a size is not tried on larger ones. `write`
puts the tables into docs/frontier.md. Ends with exit code 1 if values and bounds contradict
each other.
"""

import json
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterable, Iterator
from itertools import count, islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from ringyard.analysis.compare import contradictions
from ringyard.cli.apart import solve_apart
from ringyard.instances import MakespanInstance, save
from ringyard.instances.catalogue import entries, load
from ringyard.instances.generate import generate
from ringyard.methods import METHODS
from ringyard.run import solve

LADDER = "4x2 5x3 6x3 7x3 8x4 9x4 10x4 10x5 11x5 12x4 12x5 14x5 14x6 16x6 18x6 20x8"
PAGE = Path(__file__).parent.parent / "docs" / "frontier.md"
FILE = Path("out") / "frontier.jsonl"

Row = dict[str, Any]


def is_size(rung: str) -> bool:
    jobs, cross, servers = rung.partition("x")
    return bool(cross) and jobs.isdigit() and servers.isdigit()


def instances(rung: str, seeds: int) -> Iterator[MakespanInstance]:
    """Yield the instances of a rung."""
    if not is_size(rung):
        yield load(rung)
        return
    jobs, servers = map(int, rung.split("x"))
    drawn = (generate("small", seed=s, jobs=jobs, servers=servers) for s in count())
    yield from islice((one for one in drawn if solve(one, "gang-lpt").status != "optimal"), seeds)


def run(options: Namespace) -> int:
    """Add what is missing to the file."""
    named = [name for name, entry in entries().items() if entry.family == "small"]
    proofs = [method.name for method in METHODS if method.guarantee == "optimal"]
    methods = options.methods.split(",") if options.methods else proofs
    options.file.parent.mkdir(exist_ok=True)
    for rung in options.rungs or [*LADDER.split(), *named]:
        for method in methods:
            if is_size(rung) and gave_up(read(options), rung, method):
                continue
            for instance in instances(rung, options.seeds):
                fill(options, rung, instance, method)
    return report(read(options))


def read(options: Namespace) -> list[Row]:
    """Return the lines of the file that were made with this time limit."""
    if not options.file.exists():
        return []
    rows = [json.loads(line) for line in options.file.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["limit"] == options.limit]


def gave_up(rows: list[Row], rung: str, method: str) -> bool:
    """Say whether a method has proved none of a size that is nowhere larger than `rung`."""
    sizes = {row["rung"] for row in rows if row["method"] == method and is_size(row["rung"])}
    proved = {row["rung"] for row in rows if row["method"] == method and is_proved(row)}
    here = [int(part) for part in rung.split("x")]
    return any(
        size != rung and all(int(a) <= b for a, b in zip(size.split("x"), here, strict=True))
        for size in sizes - proved
    )


def is_proved(row: Row) -> bool:
    return bool(row["status"] == "optimal")


def fill(options: Namespace, rung: str, instance: MakespanInstance, method: str) -> None:
    """Run a method on an instance, unless the file has the answer."""
    have = {(row["rung"], row["instance"], row["method"]) for row in read(options)}
    if (rung, instance.name, method) in have:
        return
    with TemporaryDirectory() as folder:
        path = Path(folder) / "instance.json"
        save(instance, path)
        found = solve_apart([str(path), "--method", method], time_s=options.limit)
    key = {"limit": options.limit, "rung": rung, "instance": instance.name, "method": method}
    row = {**found, **key, "jobs": len(instance.jobs), "servers": len(instance.cluster.servers)}
    with options.file.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")
    shown = [row.get(column) for column in ("objective", "bound", "note")]
    print(f"{instance.name:24} {method:18} {row['status']:10} {row['seconds']:8.2f} s", *shown)  # noqa: T201


def report(rows: list[Row]) -> int:
    found = contradictions(rows)
    for sentence in found:
        print(sentence, file=sys.stderr)  # noqa: T201
    return bool(found)


def write(options: Namespace) -> int:
    """Put the tables into the page."""
    rows = read(options)
    text = PAGE.read_text(encoding="utf-8")
    for name, wanted in (("sizes", True), ("named", False)):
        some = [row for row in rows if is_size(row["rung"]) == wanted]
        before, begin, rest = text.partition(f"<!-- {name} -->\n")
        _, end, after = rest.partition("<!-- end -->")
        lines = ["\n", *table(some), "\n"] if some else []
        text = before + begin + "".join(lines) + end + after
    PAGE.write_text(text, encoding="utf-8")
    return report(rows)


def table(rows: list[Row]) -> Iterator[str]:
    """Yield the lines of a table: a rung in each, a method in each column."""
    methods = list(dict.fromkeys(row["method"] for row in rows))
    yield "| instances | jobs | servers | slots | " + " | ".join(f"`{m}`" for m in methods) + " |\n"
    yield "|---|--:|--:|--:|" + "--:|" * len(methods) + "\n"
    for rung in sorted({row["rung"] for row in rows}, key=lambda rung: size_of(rows, rung)):
        same = [row for row in rows if row["rung"] == rung]
        cells = [cell([row for row in same if row["method"] == method]) for method in methods]
        sizes = [str(same[0][key]) for key in ("jobs", "servers")]
        yield "| " + " | ".join([rung, *sizes, slots(same), *cells]) + " |\n"


def size_of(rows: list[Row], rung: str) -> tuple[int, int, str]:
    row = next(row for row in rows if row["rung"] == rung)
    return row["jobs"], row["servers"], rung


def slots(rows: Iterable[Row]) -> str:
    """Return the least and the most optimum; best known and a plus where one is not proved."""
    best: dict[str, float] = {}
    proved = {row["instance"] for row in rows if is_proved(row)}
    for row in rows:
        if row.get("valid"):
            best[row["instance"]] = min(row["objective"], best.get(row["instance"], 10**9))
    if not best:
        return "-"
    ends = sorted({min(best.values()), max(best.values())})
    return "-".join(f"{end:g}" for end in ends) + ("" if proved >= set(best) else " ?")


def cell(rows: list[Row]) -> str:
    """Return how many are proved, and the median seconds; nothing where it was not tried."""
    tried = [row for row in rows if row["status"] != "refused"]
    if not tried:
        return "refused" if rows else ""
    times = [row["seconds"] for row in tried if is_proved(row)]
    share = "" if len(tried) == len(times) == 1 else f"{len(times)}/{len(tried)}"
    if not times:
        return share
    middle = median(times)
    return f"{share} {f'{middle:.2g}' if middle >= 0.01 else '< 0.01'} s".strip()


def main() -> int:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["run", "write"])
    parser.add_argument("rungs", nargs="*")
    parser.add_argument("--limit", type=float, default=60.0)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--methods")
    parser.add_argument("--file", type=Path, default=FILE)
    options = parser.parse_args()
    return {"run": run, "write": write}[options.command](options)


if __name__ == "__main__":
    sys.exit(main())
