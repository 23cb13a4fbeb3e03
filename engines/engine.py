"""The engines of a comparison, and the programs that each takes."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ..formulations.corpus.index import CorpusEntry
from ..formulations.program import Settings
from ..formulations.solver_interface.cones import CONES
from ..formulations.solver_interface.solve import (
    SOLVERS,
    find_solver,
    read_settings,
    solver_digest,
)
from ..instances import MissingError
from ..instances.errors import ABSENT, InputError

TAKES = {"LP": {"lp"}, "MILP": {"milp"}, "ip": {"milp", "ip"}, "NL": {"nonconvex", "local"}}
"""Classes of programs, each with the required capabilities. A solver needs one of them."""

DOUBLE = {"cvxpy-highs"}
"""Solvers that are another one behind a longer interface."""

MIXED = {"highs", "scip-no-presolve"}
"""Engines for integers only. On LP, plain HiGHS is `highs-simplex`."""

LICENSED = frozenset({"gurobi", "cplex", "xpress", "copt", "mosek"})
"""Solvers that are not free: here with the licences that their packages bring, for small sizes."""

ORDERS, LIMIT_S = 3, 5.0
"""Orders of rows and columns, and seconds per run, of the runs that come with Ringyard."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """A solver with a number of threads and options, under the name that heads its rows."""

    name: str
    solver: str
    can: tuple[str, ...]
    threads: int = 1
    options: Settings = ()
    asked: str = ""
    """Reference by which another process finds a solver of a user's file."""
    source: str = ""
    """A digest of that file."""

    def takes(self, entry: CorpusEntry) -> bool:
        """Return True if it runs on a program, which it may still refuse."""
        if entry.kind == "conic":
            return self.solver in CONES
        return bool(TAKES.get(entry.kind, set()) & {*self.can})

    def settings(self, entry: CorpusEntry, seed: int) -> Settings:
        """Return options besides seed and threads. SCIP permutes NL programs itself."""
        if entry.kind != "NL" or seed == 0 or self.source or not self.solver.startswith("scip"):
            return self.options
        order = {"randomization/permutationseed": str(seed), "randomization/permutevars": "TRUE"}
        return tuple(sorted({**order, **dict(self.options)}.items()))


def engines() -> Iterator[Engine]:
    """Yield the engines of the study: every solver that is installed, on the classes it is for."""
    for solver in SOLVERS:
        if solver.installed and solver.name not in DOUBLE:
            integers_only = solver.name in MIXED
            can = tuple(c for c in solver.can if c != "lp" or not integers_only)
            one = Engine(name=solver.name, solver=solver.name, can=can)
            yield one
            if solver.name == "cp-sat":
                yield Engine(name="cp-sat-x2", solver=one.solver, can=one.can, threads=2)


def read_engines(text: str, threads: int = 1) -> list[Engine]:
    """Return the engines that a list names, each once, in its order.

    Names are separated by commas, and may have options: ``highs:presolve=off,cp-sat:threads=2``.
    ``all`` names all installed solvers of Ringyard.

    Raises:
        InputError: If a solver or option is unknown.
        MissingError: If a solver is not installed. The message says how to get it.
    """
    found = list[Engine]()
    for word in filter(None, map(str.strip, text.split(","))):
        found += _installed(threads) if word == "all" else [engine_of(word, threads)]
    if not found:
        advice = "name solvers of `ringyard list solvers`, with commas between them"
        raise InputError.of("ringyard bench", "--solvers", text, "at least one solver", advice)
    return told_apart(found)


def told_apart(engines: Iterable[Engine]) -> list[Engine]:
    """Return engines, each once. Files of one name in different folders get folders as names."""
    unique = list({(one.name, _file_of(one)): one for one in engines}.values())

    def apart(one: Engine) -> Engine:
        own, others = _file_of(one).parts, [_file_of(o).parts for o in unique if o.name == one.name]
        deep = next((k for k in range(1, len(own)) if _tails(others, k).count(own[-k:]) == 1), 1)
        folders = "".join(f"{part}/" for part in own[-deep:-1])
        return replace(one, name=folders + one.name, solver=folders + one.solver)

    return [apart(one) for one in unique]


def _tails(paths: Iterable[tuple[str, ...]], length: int) -> list[tuple[str, ...]]:
    return [path[-length:] for path in paths]


def _file_of(engine: Engine) -> Path:
    """Return the file of a user's solver, or the current folder for all others."""
    return Path(engine.asked.rpartition(":")[0]).resolve() if ".py:" in engine.asked else Path(".")


def _installed(threads: int) -> list[Engine]:
    there = (one for one in SOLVERS if one.installed and one.name not in DOUBLE)
    return [Engine(name=o.name, solver=o.name, can=o.can, threads=threads) for o in there]


def engine_of(words: str, threads: int = 1) -> Engine:
    """Return the engine of a name with options, such as ``mine.py:MySolver:threads=2``."""
    name, *options = words.split(":")
    if name.endswith(".py") and options:
        if not Path(name).is_file():
            expected, advice = "a Python file with a solver", "check the path"
            raise InputError.of("--solvers", name, ABSENT, expected, advice)
        name = f"{Path(name).absolute()}:{options.pop(0)}"
    solver = find_solver(name)
    if solver.missing:
        raise MissingError(solver.missing)
    own = [option for option in options if not option.startswith("threads=")]
    for option in options:
        if option not in own:
            threads = _whole(option)
    return Engine(
        name=":".join([solver.name, *options]),
        solver=solver.name,
        can=solver.can,
        threads=threads,
        options=read_settings(solver, own) if own else (),
        asked=name if name != solver.name else "",
        source=solver_digest(name),
    )


def _whole(option: str) -> int:
    number = option.partition("=")[2]
    if not number.isdecimal() or int(number) < 1:
        expected, advice = "a number of threads from 1", "write threads=2"
        raise InputError.of("--solvers", "threads", number, expected, advice)
    return int(number)
