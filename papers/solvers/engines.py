"""The engines of the comparison, and which programs each is asked about."""

from collections.abc import Iterator
from dataclasses import dataclass

from ...formulations.corpus.index import CorpusEntry
from ...formulations.program import Settings
from ...formulations.solver_interface.cones import FINE
from ...formulations.solver_interface.solve import SOLVERS

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
