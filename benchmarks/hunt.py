"""Hunt for wrong answers of solvers on random programs of all formulations with nasty numbers.

    python benchmarks/hunt.py [COUNT] [SEED] [--shard I/N] [--log FILE] [--limit S] [--keep FOLDER]
        [--hours H]

Programs 0 .. COUNT - 1 of a seed are given to HiGHS and SCIP with and without presolve, every tenth
that takes only whole numbers to CP-SAT. What a point in fractions refutes is wrong; so is an
optimal point that misses the program, a crash, and an engine that does not heed its limit. A wrong
answer is shrunk and written to FOLDER (instances/found if not said), of one solver and kind at most
three. With --log each program becomes a line of FILE, and a second run skips those that are there.
`python docs/found_page.py` then lists what FOLDER has.
"""

# ruff: noqa: T201

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from math import inf
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from by_number import Row, campaign, reader
from by_number import wrong as faults_of
from hunt_programs import VARIANTS, program

from ringyard.formulations.exact import Point, exact_point, value
from ringyard.formulations.program import Caps, Matrix, Solution, matrix_checker
from ringyard.formulations.shrink import Shrinking, keep_small
from ringyard.formulations.solver_interface.call import plain_answer
from ringyard.formulations.solver_interface.solve import named_solver
from ringyard.formulations.wrong import Wrong, doubted, own_point_wrong, read_found, refuted
from ringyard.instances import Limits, RefusedError, SolutionStatus, TerminationReason

ROOT = Path(__file__).parent.parent

ENGINES = ("highs", "highs:presolve=off", "scip", "scip:presolving/maxrounds=0")

WHOLE, SELDOM = "cp-sat", 10
"""This one has a process of its own for each program, which takes a second."""

UNDRAWN = "none"
"""What a program is whose instance could not be stated within `STUCK_S`."""

MOST_EACH = 3
"""Wrong answers of one solver and kind that are kept."""

SHRINK_S, STUCK_S = 120.0, 60.0
"""Seconds to shrink a wrong answer, and until an engine that has not answered is ended."""


def examine(seed: int, index: int, *, limit: float, keep: Path, report: Any) -> Row:
    """Give one program to the engines; return what came out as a row."""
    row: Row = {"seed": seed, "index": index, "faults": []}
    report("drawing")
    what, matrix, point = program(seed, index)
    said = dict(answers(matrix, index, limit, report))
    report("checking")
    points = witnesses(matrix, point, said) if doubtful(matrix, point, said) else []
    row |= {
        "what": what,
        "size": [len(matrix.rows), len(matrix.columns), matrix.a.nnz],
        "said": {name: told(one) for name, one in said.items()},
    }
    for name, one in said.items():
        found = fault(matrix, one, points)
        if found is not None:
            row["faults"].append(f"{name}: {found.kind}: {found.text}")
            report(f"shrinking {name}")
            kept(matrix, found, name, f"{what}, number {index} of seed {seed}", limit, keep)
    row["differ"] = not row["faults"] and differ(matrix, said)
    return row


def answers(
    matrix: Matrix, index: int, limit: float, report: Any
) -> Iterator[tuple[str, Solution]]:
    """Yield what each engine says."""
    for name in (*ENGINES, *([WHOLE] if index // SELDOM % SELDOM == index % SELDOM else [])):
        solver, settings = named_solver(name)
        report(name)
        try:
            yield name, plain_answer(solver, matrix, Caps(time_s=limit, settings=settings))
        except RefusedError:
            continue


def told(one: Solution) -> list[Any]:
    return [one.termination.value, one.status.value, one.bound, round(one.seconds, 3)]


def doubtful(matrix: Matrix, point: Point | None, said: dict[str, Solution]) -> bool:
    """Return True if a point may refute a claim: most are not worth the check in fractions."""
    price = matrix_checker(matrix).value
    values = [price(one.point) for one in said.values() if one.point is not None]
    values += [] if point is None else [float(value(matrix, point))]
    if not values:
        return False
    least = min(values) + 1e-7 * max(1.0, abs(min(values)))
    claims = {one.status for one in said.values()} & {
        SolutionStatus.INFEASIBLE,
        SolutionStatus.UNBOUNDED,
    }
    highest = max(one.bound if one.bound is not None else -inf for one in said.values())
    return bool(claims) or highest > least or max(values) > least


def witnesses(matrix: Matrix, point: Point | None, said: dict[str, Solution]) -> list[Point]:
    """Return points that hold in fractions, the best first."""
    found = [] if point is None else [point]
    for one in said.values():
        if one.point is not None and (exact := exact_point(matrix, one.point)) is not None:
            found.append(exact)
    return sorted(found, key=partial(value, matrix))


def fault(matrix: Matrix, one: Solution, points: list[Point]) -> Wrong | None:
    own = own_point_wrong(matrix, one)
    return own if own is not None or not points else refuted(matrix, one, points[0])


def differ(matrix: Matrix, said: dict[str, Solution]) -> bool:
    """Return True if engines that are done contradict each other, though nothing is shown."""
    done = [one for one in said.values() if one.termination is TerminationReason.DONE]
    left = {one.status for one in done}
    worth = [
        matrix_checker(matrix).value(o.point) for o in done if o.status is SolutionStatus.OPTIMAL
    ]
    apart = bool(worth) and max(worth) - min(worth) > 1e-4 * max(1.0, abs(min(worth)))
    return apart or {SolutionStatus.OPTIMAL, SolutionStatus.INFEASIBLE} <= left


def kept(matrix: Matrix, found: Wrong, name: str, source: str, limit: float, keep: Path) -> None:
    """Make a wrong answer small and write it, unless there are enough like it."""
    stems = [path for path in keep.glob("*.json") if alike(path, name, found.kind)]
    if len(stems) >= MOST_EACH:
        return
    solver, settings = named_solver(name)
    suspect = doubted(solver, Caps(time_s=limit, settings=settings))
    keep_small(Shrinking(suspect, matrix, found, Limits(time_s=SHRINK_S)), keep, name, source)


def alike(path: Path, name: str, kind: str) -> bool:
    found = read_found(path)
    return (found.solver, found.kind) == (name, kind)


def serve(line: Connection) -> None:
    """Examine programs as they are asked for, and say what is under way."""
    while True:
        seed, index, limit, keep = line.recv()
        row = examine(seed, index, limit=limit, keep=keep, report=lambda word: line.send(word))
        line.send(row)


class Guard:
    """A process that examines programs; one that dies or hangs is a row, and another begins."""

    def __init__(self, limit: float, keep: Path, until: float) -> None:
        self.limit, self.keep, self.until = limit, keep, until
        self.process: Any = None
        self.undrawn: set[tuple[int, int]] = set()
        """Seeds and instances that could not be drawn in time."""

    def begin(self) -> None:
        self.line, theirs = get_context("spawn").Pipe()
        self.process = get_context("spawn").Process(target=serve, args=(theirs,), daemon=False)
        self.process.start()
        theirs.close()

    def end(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.process = None

    def look(self, seed: int, index: int) -> Row:
        """Return the row of a program."""
        if time.monotonic() > self.until:
            self.end()
            raise KeyboardInterrupt
        if (seed, index // VARIANTS) in self.undrawn:
            return {"seed": seed, "index": index, "faults": [], "what": UNDRAWN}
        if self.process is None:
            self.begin()
        self.line.send((seed, index, self.limit, self.keep))
        under_way: Any = "beginning"
        while True:
            patience = SHRINK_S + STUCK_S if "shrinking" in under_way else STUCK_S
            if not self.line.poll(patience):
                return self.lost(seed, index, f"{under_way}: no answer in {patience:g} s")
            try:
                under_way = self.line.recv()
            except EOFError:
                self.process.join()
                code = self.process.exitcode
                return self.lost(seed, index, f"{under_way}: its process ended, {code}")
            if isinstance(under_way, dict):
                return under_way

    def lost(self, seed: int, index: int, what: str) -> Row:
        self.end()
        if what.startswith("drawing"):
            self.undrawn.add((seed, index // VARIANTS))
            return {"seed": seed, "index": index, "faults": [], "what": UNDRAWN}
        return {"seed": seed, "index": index, "faults": [what]}


def report(found: list[Row]) -> None:
    """Print counts by formulation, and of what was wrong."""
    print("| program | tried | differ unexplained | wrong |")
    print("|---|--:|--:|--:|")
    by_name: dict[str, list[Row]] = {}
    for row in found:
        by_name.setdefault(row.get("what", "").partition(",")[0], []).append(row)
    for name, rows in sorted(by_name.items()):
        apart = sum(row.get("differ", False) for row in rows)
        bad = sum(bool(faults_of(row)) for row in rows)
        print(f"| {name or 'lost'} | {len(rows)} | {apart} | {bad} |")
    kinds: Counter[str] = Counter()
    for row in found:
        kinds.update(": ".join(text.split(": ")[:2]) for text in row["faults"])
    print()
    for text, count in sorted(kinds.items()):
        print(f"{count} x {text}")
    spent = sum(one[3] for row in found for one in row.get("said", {}).values())
    print(f"{len(found)} programs, {spent:.0f} s in engines")


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = reader(__doc__, 10_000)
    parser.add_argument("--limit", type=float, default=2.0)
    parser.add_argument("--keep", type=Path, default=ROOT / "instances/found")
    parser.add_argument("--hours", type=float, default=1000.0)
    return parser.parse_args()


if __name__ == "__main__":
    options = arguments()
    guard = Guard(options.limit, options.keep, time.monotonic() + 3600 * options.hours)
    rows: list[Row] = []
    try:
        rows = campaign(options, {"makespan": guard.look})
    except KeyboardInterrupt:
        print("stopped; the same command with --log goes on", file=sys.stderr)
        if options.log:
            lines = options.log.read_text(encoding="utf-8").splitlines()
            rows = [row for row in map(json.loads, lines) if row["seed"] == options.seed]
    finally:
        guard.end()
    report(rows)
    sys.exit(any(map(faults_of, rows)))
