"""`ringyard compare`: every method on the same instances, each run in a separate process.

A crash or a hang becomes a row.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, Annotated, Any

from cyclopts import Parameter

from ..analysis.rows import metric_names
from ..analysis.stats.references import contradictions
from ..families.method import Method
from ..formulations.named import solvers_of
from ..formulations.solver_interface.child import peak_mb
from ..instances import Instance, save
from ..instances.arguments import seed_problems, time_limit_problems
from ..instances.catalogue import load
from ..instances.errors import ABSENT, InputError, Problem, raise_any
from ..instances.outcome import TerminationReason
from ..instances.reading.vocabulary import short
from ..interrupts import interrupted, raising, undoing, waiting
from ..methods import all_methods, find_method, twins
from .shared.options import AsJson
from .shared.output import cell, emit, flush, note, percent, say, terminal
from .shared.progress import progress

WIDTHS = {
    "status": 10,
    "value": 7,
    "bound": 7,
    "by": 13,
    "gap": 8,
    "seconds": 7,
    "nodes": 9,
    "MB": 5,
    "judge": 7,
    "remark": 6,
}
"""Columns after instance, method and solver, which fit their contents."""


def compare_command(
    *instances: str,
    named: Annotated[str | None, Parameter(name="--methods")] = None,
    formulations: str | None = None,
    solvers: str | None = None,
    time_limit: float = 60.0,
    memory_limit: int | None = None,
    metrics: str | None = None,
    seed: int = 0,
    json: AsJson = False,
) -> int:
    """Run several methods on the same instances and compare the answers with each other.

    By default, run all methods that prove optimality: the searches, and every program with every
    installed solver that supports it. Each run has a separate process, and a crash or a hang
    becomes a row. The exit code is 1 if a value lies below a bound.

    Parameters
    ----------
    instances
        Catalogue names, or files.
    named
        Names from `ringyard list methods`, separated by commas (default: all methods that prove
        optimality). A program's name may include a solver, as in linearised:scip.
    formulations
        Compare solvers on these programs from `ringyard list formulations`, separated by commas.
    solvers
        Run programs only, with these solvers, separated by commas (default: all installed ones).
    time_limit
        Seconds for each run.
    memory_limit
        Megabytes of memory for each run (default: no limit).
    metrics
        Further columns, separated by commas, such as p95_queueing_s,group_fairness: numbers of the
        rows of campaigns. --json has all.
    seed
        Seed of the random steps.
    """
    wrong = seed_problems(seed) + time_limit_problems(time_limit)
    if not instances:
        advice = "see `ringyard list instances`"
        wrong.append(Problem("INSTANCE", ABSENT, "at least one instance", advice))
    for one in instances:
        if "," in one and not Path(one).exists():
            expected = "instances separated by blanks (methods, after --methods, by commas)"
            wrong.append(Problem("INSTANCE", one, expected, "write blanks"))
    if memory_limit is not None and memory_limit < 1:
        wrong.append(Problem("--memory-limit", memory_limit, "1 or more", "give megabytes"))
    raise_any("ringyard compare", wrong)
    numbers = metric_names("ringyard compare", metrics)
    problems = {instance: load(instance) for instance in instances}
    names = {instance: problem.name for instance, problem in problems.items()}
    kinds = dict.fromkeys(problem.kind for problem in problems.values())
    chosen = [one for kind in kinds for one in choose(named, formulations, solvers, kind)]
    if same_names := twins("--methods", ((one.name, one.spelled) for one in chosen)):
        raise InputError("ringyard compare", same_names)
    chosen = list({one.name: one for one in chosen}.values())
    if named is formulations is solvers is None:
        note("these methods prove optimality. Choose methods with --methods A,B.")
    heads = _heads(names.values(), chosen, numbers)
    if not json:
        say(_line(heads, dict(zip(heads, heads, strict=True))))
        say(_line(heads, {head: "-" * width for head, width in heads.items()}))
    rows: list[dict[str, Any]] = []
    with waiting(), ExitStack() as stack:
        files = {name: _readable(name, problem, stack) for name, problem in problems.items()}
        for instance, method in product(instances, chosen):
            words = [files[instance], "--method", method.asked, "--seed", str(seed)]
            with progress(f"{method.name} on {names[instance]}"):
                row = solve_apart(words, time_s=time_limit, memory_mb=memory_limit)
            rows.append({"instance": names[instance], "method": method.name, **row})
            if not json:
                say(_line(heads, _cells(rows[-1], method, numbers)))
                flush()
            if interrupted() or row.get("termination") == "interrupted":
                break
        return _conclude(rows, json)


def _readable(instance: str, problem: Instance, stack: ExitStack) -> str:
    """Return a name by which other processes can read an instance: a pipe is read only once."""
    path = Path(instance)
    if not path.exists() or path.is_file():
        return instance

    kept = Path(stack.enter_context(TemporaryDirectory(prefix="ringyard-"))) / "instance.json"
    save(problem, kept)
    return str(kept)


def choose(
    methods: str | None, formulations: str | None, solvers: str | None, family: str
) -> list[Method]:
    """Return the methods that the options name, by default all that prove optimality.

    If the family has no such method, return all its methods.
    """
    if methods is not None:
        return [find_method(name, family) for name in methods.split(",")]
    same = list(all_methods(family))
    programs = [method for method in same if method.kind == "program"]
    if formulations is not None:
        wanted = [find_method(name, family) for name in formulations.split(",")]
        programs = [_refuse_search(method) for method in wanted]
    pairs = [
        f"{program.name}:{solver}"
        for program in programs
        for solver in (solvers.split(",") if solvers else solvers_of(program.formulation))
    ]
    searches = [m for m in same if m.guarantee == "optimal" and m.kind == "search"]
    own = searches if formulations is None and solvers is None else []
    found = own + [find_method(pair, family) for pair in pairs]
    if not found and solvers is not None:
        expected = f"no method: the family {family!r} has no programs"
        raise InputError("ringyard compare", [Problem("--solvers", solvers, expected, "drop it")])
    return found or same


def _refuse_search(method: Method) -> Method:
    if method.formulation:
        return method
    expected = "a method of kind 'program'"
    advice = "name it with --methods"
    raise InputError.of("ringyard compare", "--formulations", method.name, expected, advice)


def _name(method: Method) -> str:
    """Return the method's name with its options, without its solver."""
    return method.name.removesuffix(f":{short(method.solver)}") if method.solver else method.name


def _heads(names: Iterable[str], methods: list[Method], metrics: list[str]) -> dict[str, int]:
    """Return the columns with their widths, on a narrow terminal only the main ones."""
    widths = {}
    for head, width in WIDTHS.items():
        widths[head] = width
        if head == "value":
            widths |= {name: max(9, len(name)) for name in metrics}
    texts = {
        "instance": list(names),
        "method": [_name(method) for method in methods],
        "solver": [short(method.solver) for method in methods],
    }
    heads = {head: max(map(len, [head, *cells])) for head, cells in texts.items()} | widths
    less = ["MB", "nodes", "by", "seconds", "bound", *([] if any(texts["solver"]) else ["solver"])]
    while less and (room := terminal()) and sum(heads.values()) + 2 * len(heads) - 2 > room:
        heads.pop(less.pop(0))
    return heads


def _line(heads: dict[str, int], cells: dict[str, str]) -> str:
    words = {"instance", "method", "solver", "status", "by", "judge", "remark"}
    parts = [
        cells[head].ljust(width) if head in words else cells[head].rjust(width)
        for head, width in heads.items()
        if head in cells
    ]
    return "  ".join(parts).rstrip()


def _cells(row: dict[str, Any], method: Method, metrics: list[str]) -> dict[str, str]:
    """Return the cells of a row. If it has no answer, the reason follows the status."""
    cells = {
        "instance": row["instance"],
        "method": _name(method),
        "solver": short(method.solver) or "-",
        "status": row["status"],
    }
    if "valid" not in row:
        return cells | {"remark": row["note"].partition("\n")[0]}
    gap = None if row["gap"] is None else Fraction(row["gap"])
    return cells | {
        "value": cell(row["objective"]),
        **{name: cell(row.get(name)) for name in metrics},
        "bound": cell(row["bound"]),
        "by": row["bound_kind"],
        "gap": percent(gap),
        "seconds": f"{row['seconds']:.2f}",
        "nodes": cell(row["nodes"]),
        "MB": "-" if row["memory_mb"] is None else f"{row['memory_mb']:.0f}",
        "judge": {True: "valid", False: "INVALID"}[row["valid"]]
        if row["objective"] is not None
        else "-",
        "remark": row["note"] or TerminationReason(row["termination"]).words,
    }


def _error_text(row: dict[str, Any]) -> str:
    """Return the error of a run, or the first rule that its schedule breaks."""
    broken = [f"{one['rule']} at {one['where']}" for one in row.get("violations", ())]
    note_text = row["note"] or ": ".join(["its schedule is invalid", *broken[:1]])
    named = "" if note_text.startswith(row["method"]) else f"{row['method']}: "
    return f"{row['instance']}: {named}{note_text}"


def _conclude(rows: list[dict[str, Any]], json: bool) -> int:
    """Print the contradictions and return the exit code."""
    crossed = contradictions(rows)
    wrong = [_error_text(row) for row in rows if row["status"] == "error"]
    if json:
        emit({"rows": rows, "contradictions": crossed})
    for sentence in crossed + wrong:
        note(f"error: {sentence}")
    if crossed or wrong:
        return 1
    if rows[-1].get("termination") == "interrupted":
        return 130
    return 0 if any(row.get("objective") is not None for row in rows) else 3


PROGRAM = "from ringyard.__main__ import main; main()"

GRACE_S = 60.0
"""Seconds after its time limit when a process is killed: for start-up and model building."""

INTERRUPTED_S = 5.0
"""Seconds for a process to return its best schedule after an interrupt."""

GLANCE_S = 0.02
"""Seconds between two checks of a process."""


def solve_apart(
    words: list[str], *, time_s: float, memory_mb: int | None = None, grace_s: float = GRACE_S
) -> dict[str, Any]:
    """Run `ringyard solve WORDS --json` and return its row, with `memory_mb` added.

    If the row is missing, `status` is `refused` (the method does not support the instance, or a
    requirement is missing), `error`, `out of memory`, `crashed` or `killed`, and `note` is the
    reason. After an interrupt, which is passed on to the process, `stop` is `interrupted`.
    """
    command = [sys.executable, "-P", "-c", PROGRAM, "solve", *words, "--json"]
    command += ["--time-limit", str(time_s)]
    start = time.perf_counter()
    with TemporaryFile() as out, TemporaryFile() as err:
        with waiting():  # Otherwise an interrupt could leave a process behind.
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
            )
            child = _WatchedProcess(process, time.monotonic() + time_s + grace_s, memory_mb or inf)
            with undoing(partial(child.end, signal.SIGKILL)):
                try:
                    child.follow()
                finally:
                    child.end(signal.SIGKILL)
                    process.wait()
        row = _row(process.returncode, child.ended_for, _text(out), _text(err))
    row = {"seconds": round(time.perf_counter() - start, 6), **row}
    if child.interrupted:
        row["termination"] = "interrupted"
        if row["status"] in ("crashed", "killed"):
            row |= {"status": "interrupted", "note": "before any result was found"}
    return {**row, "memory_mb": round(child.peak_mb, 1) or None}


@dataclass(slots=True)
class _WatchedProcess:
    """A process that is watched, and killed if it exceeds a limit."""

    process: "subprocess.Popen[bytes]"
    deadline: float
    most_mb: float
    peak_mb: float = 0.0
    ended_for: str = ""
    interrupted: bool = False

    def follow(self) -> None:
        """Watch the process until it ends."""
        while self.process.poll() is None:
            try:
                with waiting() if self.interrupted else raising():
                    self._look()
                    time.sleep(GLANCE_S)
            except KeyboardInterrupt:
                self.interrupted = True
                self.deadline = time.monotonic() + INTERRUPTED_S
                self.end(signal.SIGINT)

    def end(self, how: signal.Signals) -> None:
        """Send a signal to the process and its children, if they still run."""
        if self.process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, how)

    def _look(self) -> None:
        now = sum(map(peak_mb, _with_children(self.process.pid)))
        self.peak_mb = max(self.peak_mb, now)
        if self.peak_mb > self.most_mb:
            self.ended_for = "out of memory"
        elif time.monotonic() > self.deadline:
            self.ended_for = "killed"
        if self.ended_for:
            self.end(signal.SIGKILL)


def _with_children(process: int) -> Iterator[int]:
    """Yield a process and its children: some solvers start one."""
    yield process
    with suppress(OSError):
        children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii")
        for child in children.split():
            yield from _with_children(int(child))


def _text(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode("utf-8", "replace")


def _row(code: int, ended_for: str, out: str, err: str) -> dict[str, Any]:
    """Return the printed row, or a row with the reason why it is missing."""
    printed = _object(out)
    if "status" in printed:
        return printed
    if "error" in printed:
        status = {2: "refused", 130: "interrupted"}.get(code, "error")
        return {"status": status, "note": printed["error"]}
    last = err.strip().rpartition("\n")[2]
    if ended_for:
        about = {
            "killed": "it exceeded its time limit",
            "out of memory": "it exceeded its memory limit",
        }
        return {"status": ended_for, "note": about[ended_for]}
    if "MemoryError" in last or "bad_alloc" in err:
        return {"status": "out of memory", "note": last}
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return {"status": "killed" if code == -signal.SIGKILL else "crashed", "note": f"{how} {last}"}


def _object(text: str) -> dict[str, Any]:
    """Return the JSON object in a text. Solvers may print other lines around it."""
    try:
        found: dict[str, Any] = json.loads(text[text.index("{") : text.rindex("}") + 1])
    except ValueError:
        return {}
    return found
