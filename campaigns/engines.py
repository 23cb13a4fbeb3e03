"""The engines of the solver comparison, the programs each one gets, and its runs."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from ..formulations.corpus.index import CorpusEntry
from ..formulations.program import Settings
from ..formulations.solver_interface.cones import FINE
from ..formulations.solver_interface.solve import SOLVERS
from ..instances.catalogue import load
from .program_run import ProgramRun

TAKES = {"LP": {"lp"}, "MILP": {"milp"}, "ip": {"milp", "ip"}, "NL": {"nonconvex", "local"}}
"""What a solver must be able to do, one of these, to be asked about programs of a class."""

CONES = {f"cvxpy-{name}" for name in FINE}
"""Engines that are asked about programs in cones."""

DOUBLE = {"cvxpy-highs"}
"""Solvers that are another one by a longer way."""

MIXED = {"highs", "scip-no-presolve"}
"""Engines that are asked about integers only: on LP, HiGHS by itself is `highs-simplex`."""

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
"""Programs that get `TIMES` the limit of the others, to see what lies behind it."""

TIMES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """A solver with a number of threads, under the name that heads its rows."""

    name: str
    solver: str
    can: tuple[str, ...]
    threads: int = 1

    def takes(self, entry: CorpusEntry) -> bool:
        """Say whether it is asked about a program; it may refuse it still."""
        if entry.kind == "conic":
            return self.name in CONES
        if entry.kind == "LP" and self.name in MIXED:
            return False
        return bool(TAKES.get(entry.kind, set()) & {*self.can})

    def settings(self, entry: CorpusEntry, seed: int) -> Settings:
        """Return options beside seed and threads: SCIP draws the order of NL programs itself."""
        if entry.kind != "NL" or seed == 0 or not self.solver.startswith("scip"):
            return ()
        return (
            ("randomization/permutationseed", str(seed)),
            ("randomization/permutevars", "TRUE"),
        )


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
    """Return an instance of the catalogue; each is read, or made, once."""
    return load(name)
