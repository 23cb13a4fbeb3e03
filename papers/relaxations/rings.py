"""Relaxations of ring programs: their values, their lifts, and their roundings.

Some are lifted to products of their columns, with and without a semidefinite matrix. Each result of
a rounding is shown with its proved factor.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from ...analysis.guarantees import guarantees_of
from ...analysis.intervals import Interval, mean_above, mean_share
from ...analysis.tables import Table, numbers, texts
from ...campaigns.reproductions import Answers, Run
from ...formulations.adapters.conic_programs import semidefinite_value
from ...formulations.catalogue import find_formulation
from ...formulations.matrix import matrix_of, relaxed, stated_matrix, stated_model
from ...formulations.mccormick import mccormick
from ...formulations.named import build_named
from ...formulations.program import Matrix
from ...formulations.relaxations import lifted
from ...formulations.solver_interface.solve import solve
from ...instances import NO_LIMITS, MakespanInstance, RefusedError
from ...instances.catalogue import entries
from ...search.makespan.rounding import Shares, least_shares, servers_as_machines
from ..study import named, table_of
from .strengths import Root, RoundedPair, solved

MOST_NONZEROS = 1_000_000
"""Larger relaxations are left out."""

Stated = Callable[[MakespanInstance, int], Matrix]


def _stated(name: str, change: Callable[[Matrix], Matrix] = relaxed) -> Stated:
    return lambda instance, slots: change(stated_matrix(instance, find_formulation(name), slots))


LIFTED = ("load-limit", "occupancy", "patterns")
"""Programs whose columns all have bounds."""

RELAXATIONS: dict[str, Stated] = {
    "load-limit": _stated("load-limit"),
    "nonconvex by McCormick": lambda instance, slots: mccormick(
        stated_model(instance, find_formulation("nonconvex"), slots)
    ),
    "disjunctive by big-M": _stated("disjunctive"),
    "disjunctive by hull": lambda instance, slots: relaxed(
        matrix_of(build_named("disjunctive-hull", instance, slots))
    ),
    "linearised": _stated("linearised"),
    "occupancy": _stated("occupancy"),
    "patterns": _stated("patterns"),
    "server-configurations": _stated("server-configurations"),
    "columns": _stated("columns"),
    **{f"{name} lifted": _stated(name, lifted) for name in LIFTED},
}


def best_known(name: str) -> int:
    """Return the best value on record of an instance in slots."""
    return int(entries()[name].upper[0].value)


def roots(name: str, time_limit: float) -> Iterator[Root]:
    """Yield the relaxations of a named instance that can be stated and are not too large."""
    instance, best = named(name), best_known(name)
    for relaxation, state in RELAXATIONS.items():
        try:
            program = state(instance, best)
        except RefusedError:
            continue
        if program.a.nnz <= MOST_NONZEROS:
            yield solved(Root(name, best, relaxation, program, None, {}), time_limit)


LEAST_GAIN = 1e-4
"""Values of a first-order solver that are nearer than this are the same."""


class Lift(NamedTuple):
    """The values of a program as it is, lifted, and with a semidefinite matrix."""

    instance: str
    program: str
    plain: float | None
    lifted: float | None
    conic: float | None
    seconds: float
    """Of the semidefinite program."""


def lifts(name: str, found: Iterable[Root]) -> Iterator[Lift]:
    """Yield the lifts of a named instance whose other relaxations are known."""
    own = {root.name: root.value for root in found if root.instance == name}
    for program in LIFTED:
        began = time.process_time()
        matrix = stated_matrix(named(name), find_formulation(program), best_known(name))
        try:
            conic: float | None = semidefinite_value(matrix)
        except RefusedError:
            conic = None
        spent = time.process_time() - began
        yield Lift(name, program, own.get(program), own.get(f"{program} lifted"), conic, spent)


def lift_table(found: Iterable[Lift]) -> Table:
    """Return a line for each program of each instance."""
    heads = {"instance": None, "best": 0, "program": None, "linear": 3, "lifted": 3}
    return table_of(
        "Programs as they are, lifted, and with a semidefinite matrix of products",
        {**heads, "semidefinite": 3, "s of SCS": 0},
        ((one.instance, best_known(one.instance), *one[1:]) for one in found),
        shared=2,
    )


def statement(found: Iterable[Lift]) -> str:
    """Return in how many cases a semidefinite matrix adds to the lifted program."""
    pairs = [(one.lifted, one.conic) for one in found]
    known = [(a, b) for a, b in pairs if a is not None and b is not None]
    gains = sum(b > a * (1 + LEAST_GAIN) for a, b in known)
    return f"a semidefinite matrix adds to the lifted program in {gains} of {len(known)} cases"


class Rounded(NamedTuple):
    """The table of some pairs, and the pairs of its figure."""

    table: Table
    pairs: Sequence[RoundedPair]


def _occupancy(name: str) -> float | None:
    formulation = find_formulation("occupancy")
    return solve(relaxed(stated_matrix(named(name), formulation, best_known(name)))).value


def _assignment(name: str) -> float | None:
    found = least_shares(servers_as_machines(named(name)), NO_LIMITS)
    return found.limit if isinstance(found, Shares) else None


ROUNDED: dict[str, tuple[Callable[[str], float | None], tuple[str, ...]]] = {
    "occupancy": (_occupancy, ("alpha-points", "midpoints")),
    "assignment": (_assignment, ("raghavan-thompson", "lenstra-shmoys-tardos")),
}
"""Relaxations with their values for a named instance, and their roundings."""


def rounded_runs(name: str, time_limit: float) -> Iterator[Run]:
    """Yield the runs of an instance."""
    for _, methods in ROUNDED.values():
        yield from (_run(name, method, time_limit) for method in methods)


def _run(name: str, method: str, time_limit: float) -> Run:
    return Run(instance=named(name), method=method, time_limit=time_limit)


def rounded(names: Sequence[str], time_limit: float, answers: Answers) -> Rounded:
    """Return the results of the pairs on instances, over the best known values."""
    pairs = list(_pairs(names, time_limit, answers))
    table = rounded_table(
        "Roundings of each relaxation: makespan / best makespan known",
        pairs,
        digits=(3, 2),
        notes=("Means over instances, also for the factor. It is missing if no theorem applies.",),
    )
    return Rounded(table, pairs)


def rounded_table(
    caption: str, pairs: Sequence[RoundedPair], digits: tuple[int, int], notes: tuple[str, ...] = ()
) -> Table:
    """Return a line for each pair. `digits` applies to ratios and proved factors."""
    return table_of(
        caption,
        (
            *texts("relaxation", "rounding"),
            *numbers("relaxation", "rounded", digits=digits[0], over="over the best known"),
            *numbers("proved factor", digits=digits[1]),
        ),
        (tuple(pair) for pair in pairs),
        *notes,
    )


def _pairs(names: Sequence[str], time_limit: float, answers: Answers) -> Iterator[RoundedPair]:
    for relaxation, (value_of, methods) in ROUNDED.items():
        values = ((name, value_of(name)) for name in names)
        shares = [value / best_known(name) for name, value in values if value is not None]
        for method in methods:
            rows = [(name, answers(_run(name, method, time_limit))) for name in names]
            ratios = [row["objective"] / best_known(name) for name, row in rows if row["valid"]]
            high, factor = mean_above(ratios, 1.0), _factor(method, names)
            yield RoundedPair(relaxation, method, below(shares), high, factor)


def below(shares: Sequence[float]) -> Interval:
    """Return the mean of relaxations over the best, which few are above, with its interval."""
    return mean_share(shares) if max(shares) <= 1 else mean_above(shares, 0.0)


def _factor(method: str, names: Sequence[str]) -> float | None:
    """Return the mean of the least factor that is proved where a theorem speaks."""
    carried = [one for one in guarantees_of(method) if one.proved]
    known = [
        min(float(one.factor(named(name))) for one in carried if one.unmet(named(name)) is None)
        for name in names
        if any(one.unmet(named(name)) is None for one in carried)
    ]
    return sum(known) / len(known) if known else None
