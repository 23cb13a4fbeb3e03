"""The engines of a comparison, and the programs that each takes."""

from collections.abc import Iterator
from dataclasses import dataclass

from ..formulations.corpus.index import CorpusEntry
from ..formulations.program import Settings
from ..formulations.solver_interface.cones import CONES
from ..formulations.solver_interface.solve import SOLVERS

TAKES = {"LP": {"lp"}, "MILP": {"milp"}, "ip": {"milp", "ip"}, "NL": {"nonconvex", "local"}}
"""Classes of programs, each with the required capabilities. A solver needs one of them."""

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
