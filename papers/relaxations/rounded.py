"""Which relaxation feeds which rounding, and what comes out beside the factor that is proved."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ...analysis.guarantees import guarantees_of
from ...analysis.intervals import Interval, mean_above, mean_share
from ...analysis.tables import Table, numbers, texts
from ...campaigns.runs import Run
from ...formulations.catalogue import find_formulation
from ...formulations.matrix import relaxed, stated_matrix
from ...formulations.solver_interface.solve import solve
from ...instances import NO_LIMITS
from ...search.makespan.rounding import Shares, least_shares, servers_as_machines
from ..study import Answers, named
from .picture import RoundedPair
from .roots import best_known


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
"""Relaxations with their values for a named instance, and what rounds them."""


def rounded_runs(name: str, time_limit: float) -> Iterator[Run]:
    """Yield the runs of an instance."""
    for _, methods in ROUNDED.values():
        yield from (_run(name, method, time_limit) for method in methods)


def _run(name: str, method: str, time_limit: float) -> Run:
    return Run(instance=named(name), method=method, time_limit=time_limit)


def rounded(names: Sequence[str], time_limit: float, answers: Answers) -> Rounded:
    """Return what the pairs make of instances, all over the best that is known."""
    pairs = list(_pairs(names, time_limit, answers))
    table = rounded_table(
        "What is rounded from which relaxation, over the best makespan known",
        pairs,
        digits=(3, 2),
        notes=("Means over instances, the factor too; where no theorem speaks there is none.",),
    )
    return Rounded(table, pairs)


def rounded_table(
    caption: str, pairs: Sequence[RoundedPair], digits: tuple[int, int], notes: tuple[str, ...] = ()
) -> Table:
    """Return a line for each pair; `digits` are those of ratios and of proved factors."""
    return Table(
        caption=caption,
        columns=(
            *texts("relaxation", "rounding"),
            *numbers("relaxation", "rounded", digits=digits[0], over="over the best known"),
            *numbers("proved factor", digits=digits[1]),
        ),
        rows=tuple(tuple(pair) for pair in pairs),
        notes=notes,
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
