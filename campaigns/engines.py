"""The engines of the solver comparison, their programs and runs, and the runs that are kept."""

import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..analysis.rows import FORMER, VERSION, Row, whole_row
from ..formulations.corpus.index import CorpusEntry, corpus, find_entry
from ..formulations.program import Settings
from ..formulations.solver_interface.cones import FINE
from ..formulations.solver_interface.solve import SOLVERS, find_solver
from ..instances.catalogue import load
from ..version import __version__
from .code_digest import Code, code_of_modules
from .runs import Run, Task


def case_digest(program: str) -> str:
    """Return a digest of a program's name and content: two instances may state the same program."""
    return sha256(f"{program} {find_entry(program).digest}".encode()).hexdigest()


@dataclass(frozen=True, kw_only=True)
class ProgramRun(Run):
    """An engine on a program. `instance` is the program's source.

    The engine's seed also permutes rows and columns, except for seed 0.
    """

    program: str
    solver: str
    settings: Settings = ()

    @property
    def about(self) -> str:
        """The name of the program, for people."""
        return self.program

    @property
    def code(self) -> Code:
        """The Ringyard code that performs it."""
        return code_of_modules(".campaigns.perform_program")

    @cached_property
    def key(self) -> str:
        """Digest shared with a row that represents this run.

        Ringyard's version is left out because the digest identifies the program and no Ringyard
        code solves it. Rows therefore stay valid, and only an upgraded engine is rerun.
        """
        content = {"v": VERSION, **self._question()}
        return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]

    def _question(self) -> dict[str, Any]:
        return {
            "instance": self.program,
            "digest": case_digest(self.program),
            "method": self.method,
            "options": ":".join(map("=".join, self.settings)),
            "solver": self.solver,
            "solver_version": find_solver(self.solver).version,
            **self._limits(),
        }

    def stated(self) -> dict[str, Any]:
        """Return the columns that are known before the run."""
        kind = find_entry(self.program).family
        known = {"family": kind, "sense": "min", "random": True}
        done = {"code": self.code.digest}
        return {"v": VERSION, "key": self.key, **known, **done, **self._question()}

    def task(self) -> Task:
        """Return the data needed by another process, possibly on another machine."""
        return {
            "key": self.key,
            "version": __version__,
            "program": self.program,
            "digest": case_digest(self.program),
            "solver": self.solver,
            "settings": self.settings,
            **self._limits(),
        }


TAKES = {"LP": {"lp"}, "MILP": {"milp"}, "ip": {"milp", "ip"}, "NL": {"nonconvex", "local"}}
"""Classes of programs, each with the required capabilities. A solver needs one of them."""

CONES = {f"cvxpy-{name}" for name in FINE}
"""Engines for conic programs."""

DOUBLE = {"cvxpy-highs"}
"""Solvers that are another one behind a longer interface."""

MIXED = {"highs", "scip-no-presolve"}
"""Engines for integers only. On LP, plain HiGHS is `highs-simplex`."""

LICENSED = {"gurobi", "cplex", "xpress", "copt", "mosek"}
"""Solvers that are not free: here with the licences that their packages bring, for small sizes."""

ORDERS, LIMIT_S = 3, 5.0
"""Orders of rows and columns, and seconds per run, of the runs that come with Ringyard."""

LONG = (
    "small-06x3.disjunctive.h12",
    "small-07x3.linearised.h15",
    "small-07x3.patterns.h15",
    "small-10x4.linearised.h15",
    "small-10x4.occupancy.h15",
    "pdors-small-10x4x8.offline",
)
"""Programs with `TIMES` the usual limit, to observe slow solutions."""

TIMES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """A solver with a number of threads, under the name that heads its rows."""

    name: str
    solver: str
    can: tuple[str, ...]
    threads: int = 1

    def takes(self, entry: CorpusEntry) -> bool:
        """Return True if it runs on a program, which it may still refuse."""
        if entry.kind == "conic":
            return self.name in CONES
        if entry.kind == "LP" and self.name in MIXED:
            return False
        return bool(TAKES.get(entry.kind, set()) & {*self.can})

    def settings(self, entry: CorpusEntry, seed: int) -> Settings:
        """Return options besides seed and threads. SCIP permutes NL programs itself."""
        if entry.kind != "NL" or seed == 0 or not self.solver.startswith("scip"):
            return ()
        return (("randomization/permutationseed", str(seed)), ("randomization/permutevars", "TRUE"))


def engines() -> Iterator[Engine]:
    """Yield every engine whose solver is installed."""
    for solver in SOLVERS:
        if solver.installed and solver.name not in DOUBLE:
            one = Engine(name=solver.name, solver=solver.name, can=solver.can)
            yield one
            if solver.name == "cp-sat":
                yield Engine(name="cp-sat-x2", solver=one.solver, can=one.can, threads=2)


def run_of(engine: Engine, entry: CorpusEntry, seed: int, limit_s: float) -> ProgramRun:
    """Return a run."""
    return ProgramRun(
        instance=_named(entry.recipe.instance),
        program=entry.name,
        method=engine.name,
        solver=engine.solver,
        settings=engine.settings(entry, seed),
        seed=seed,
        threads=engine.threads,
        time_limit=limit_s * (TIMES if entry.name in LONG else 1),
    )


@cache
def _named(name: str) -> Any:
    """Return an instance of the catalogue, read or made once."""
    return load(name)


KEPT = Path(__file__).with_name("files") / "runs.jsonl.gz"

COLUMNS = (
    *("key", "instance", "digest", "method", "options", "solver", "solver_version", "seed"),
    *(
        "threads",
        "time_limit",
        "status",
        "termination",
        "solution_status",
        "note",
        "objective",
        "bound",
    ),
    *("bound_kind", "seconds", "phases", "cpu_seconds", "memory_mb", "nodes", "valid"),
    *(
        "violations",
        "violation",
        "rejection",
        "trajectory",
        "workers",
        "python",
        "started",
        "finished",
    ),
)
"""Kept columns of a row. Of its environment, only columns that affect times are kept."""


SAME = {"v": VERSION, "sense": "min", "repetition": 0, "random": True}
"""Columns that are the same in all rows."""


def packed(rows: Iterable[Row]) -> bytes:
    """Return rows as compressed lines of values, after a line with their names."""
    ordered = sorted(rows, key=lambda row: (row["instance"], row["method"], row["seed"]))
    lines = [COLUMNS, *([row[name] for name in COLUMNS] for row in ordered)]
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    return gzip.compress(text.encode(), 9, mtime=0)


def unpacked(data: bytes) -> list[Row]:
    """Return the rows, without rows of programs that changed."""
    first, *lines = gzip.decompress(data).decode().splitlines()
    names, known = [FORMER.get(name, name) for name in json.loads(first)], corpus()
    rows = (dict(zip(names, json.loads(line), strict=True)) for line in lines)
    return [
        whole_row({**row, **SAME, "family": known[row["instance"]].family})
        for row in rows
        if row["instance"] in known and case_digest(row["instance"]) == row["digest"]
    ]


def kept_rows() -> list[Row]:
    """Return the rows that come with Ringyard."""
    return unpacked(KEPT.read_bytes())
