"""Which relaxation feeds which rounding, and what comes out beside the factor that is proved."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ...analysis.drawing.shapes import Picture
from ...analysis.guarantees import GUARANTEES
from ...analysis.guarantees.roundings import CARRIED_BY
from ...analysis.intervals import mean_above, mean_share
from ...analysis.tables import Table, numbers, texts
from ...campaigns.runs import Run
from ...formulations.catalogue import find_formulation
from ...formulations.door.solve import solve
from ...formulations.matrix import relaxed, stated_matrix
from ...instances import NO_LIMITS, MakespanInstance
from ...search.makespan.rounded_assignment import Shares, least_shares, servers_as_machines
from ..study import Answers, named
from .picture import RoundedPair, rounded_picture
from .roots import best_known


class Pair(NamedTuple):
    """A relaxation and what rounds it."""

    relaxation: str
    method: str
    value: Callable[[MakespanInstance, int], float | None]


class Rounded(NamedTuple):
    """The table of the pairs, and its figure."""

    table: Table
    picture: Picture


def _occupancy(instance: MakespanInstance, horizon: int) -> float | None:
    program = stated_matrix(instance, find_formulation("occupancy"), horizon)
    return solve(relaxed(program)).value


def _assignment(instance: MakespanInstance, _: int) -> float | None:
    found = least_shares(servers_as_machines(instance), NO_LIMITS)
    return found.limit if isinstance(found, Shares) else None


PAIRS = (
    Pair("occupancy", "alpha-points", _occupancy),
    Pair("occupancy", "midpoints", _occupancy),
    Pair("assignment", "raghavan-thompson", _assignment),
    Pair("assignment", "lenstra-shmoys-tardos", _assignment),
)


def rounded_runs(name: str, time_limit: float) -> Iterator[Run]:
    """Yield the runs of an instance."""
    for pair in PAIRS:
        yield _run(name, pair, time_limit)


def _run(name: str, pair: Pair, time_limit: float) -> Run:
    return Run(instance=named(name), method=pair.method, time_limit=time_limit)


def rounded(names: Sequence[str], time_limit: float, answers: Answers) -> Rounded:
    """Return what the pairs make of instances, all over the best that is known."""
    pairs = [_rounded(pair, names, time_limit, answers) for pair in PAIRS]
    table = Table(
        caption="What is rounded from which relaxation, over the best makespan known",
        columns=(
            *texts("relaxation", "rounding"),
            *numbers("relaxation", "rounded", digits=3, over="over the best known"),
            *numbers("proved factor", digits=2),
        ),
        rows=tuple(tuple(pair) for pair in pairs),
        notes=("Means over instances, the factor too; where no theorem speaks there is none.",),
    )
    return Rounded(table, rounded_picture(pairs))


def _rounded(pair: Pair, names: Sequence[str], time_limit: float, answers: Answers) -> RoundedPair:
    values = ((name, pair.value(named(name), best_known(name))) for name in names)
    shares = [value / best_known(name) for name, value in values if value is not None]
    rows = [(name, answers(_run(name, pair, time_limit))) for name in names]
    ratios = [row["objective"] / best_known(name) for name, row in rows if row["valid"]]
    low = mean_share(shares) if max(shares) <= 1 else mean_above(shares, 0.0)
    factor = _factor(pair.method, names)
    return RoundedPair(pair.relaxation, pair.method, low, mean_above(ratios, 1.0), factor)


def _factor(method: str, names: Sequence[str]) -> float | None:
    """Return the mean of the least factor that is proved where a theorem speaks."""
    carried = [one for one in GUARANTEES if one.proved and one.name in CARRIED_BY.get(method, ())]
    known = [
        min(float(one.factor(named(name))) for one in carried if one.unmet(named(name)) is None)
        for name in names
        if any(one.unmet(named(name)) is None for one in carried)
    ]
    return sum(known) / len(known) if known else None
